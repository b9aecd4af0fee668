// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Asks a wallet, in one call that changes nothing, whether a signature is its own (ERC-1271), also one whose code is not on the
/// chain yet (ERC-6492). It is never deployed: its constructor runs in the call, and what it returns in place of code is the answer.
/// Strangers' code gets the gas it is given, and what it returns is read up to a word: it can spoil its own answer alone. Where the
/// call as a whole has too little gas, it reverts: nobody's signature is bad because the node was short.
contract SignatureCheck {
    /// Returns one word: 1 where the signature is the wallet's, 2 where it is not, 0 where the wallet has no code.
    /// The preparation is a call to `factory`, made where the wallet does not say yes without it; no gas for it means that there is none.
    constructor(
        address wallet,
        bytes32 digest,
        bytes memory signature,
        uint256 signatureGas,
        address factory,
        bytes memory factoryCall,
        uint256 factoryGas
    ) {
        bytes memory question = abi.encodeWithSignature("isValidSignature(bytes32,bytes)", digest, signature);
        bool isValid = agrees(wallet, question, signatureGas);
        if (!isValid && factoryGas > 0) {
            prepare(factory, factoryCall, factoryGas);
            isValid = agrees(wallet, question, signatureGas);
        }
        uint256 answer = isValid ? 1 : wallet.code.length > 0 ? 2 : 0;
        assembly ("memory-safe") {
            mstore(0, answer)
            return(0, 32)
        }
    }

    function agrees(address wallet, bytes memory question, uint256 gasLimit) private view returns (bool) {
        require(canPass(gasLimit));
        bytes32 word;
        assembly ("memory-safe") {
            let done := staticcall(gasLimit, wallet, add(question, 32), mload(question), 0, 32)
            if and(done, gt(returndatasize(), 31)) { word := mload(0) }
        }
        return word == bytes32(bytes4(0x1626ba7e));
    }

    function prepare(address factory, bytes memory factoryCall, uint256 gasLimit) private {
        require(canPass(gasLimit));
        assembly ("memory-safe") {
            pop(call(gasLimit, factory, 0, add(factoryCall, 32), mload(factoryCall), 0, 0))
        }
    }

    /// A call passes on all gas but a 64th.
    function canPass(uint256 gasLimit) private view returns (bool) {
        return gasleft() - gasleft() / 64 > gasLimit + 10_000;
    }
}
