// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A stand-in for a contract wallet: one owner signs for it (ERC-1271, the digest as it is) and sends calls through it.
/// Its owner is part of its code, which may be put at any address.
contract ContractWallet {
    address public immutable owner;
    /// Signatures stand no more.
    bool public closed;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    modifier byOwner() {
        require(msg.sender == owner, "ContractWallet: not the owner");
        _;
    }

    function close() external byOwner {
        closed = true;
    }

    function execute(address target, uint256 value, bytes calldata callData) external byOwner returns (bytes memory) {
        (bool done, bytes memory returned) = target.call{value: value}(callData);
        require(done, "ContractWallet: the call failed");
        return returned;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (closed || signature.length != 65) return 0xffffffff;
        address signer =
            ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        return signer == owner && signer != address(0) ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
