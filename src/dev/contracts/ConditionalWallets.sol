// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ComposableCow, digestOf, domainSignature, domainVerifiersInterface, Order, Payload, signatureMagic} from
    "./ComposableCow.sol";

// Stand-ins of the two kinds of wallets that can own conditional orders.

struct Call {
    address target;
    uint256 value;
    bytes data;
}

/// Runs the calls of one account.
abstract contract OwnedWallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    /// Makes all calls or none.
    function execute(Call[] calldata calls) external payable {
        require(msg.sender == owner, "OwnedWallet: not the owner");
        for (uint256 index = 0; index < calls.length; index++) {
            (bool done, bytes memory answer) = calls[index].target.call{value: calls[index].value}(calls[index].data);
            if (!done) fail(answer);
        }
    }

    function fail(bytes memory answer) internal pure {
        assembly ("memory-safe") {
            revert(add(answer, 32), mload(answer))
        }
    }
}

/// A wallet like a Safe with one owner: calls of functions that it lacks go to its fallback handler, with the caller's 20 bytes
/// behind them. Without a handler they return nothing.
contract SafeWallet is OwnedWallet {
    event ChangedFallbackHandler(address indexed handler);

    /// Where Safes keep it.
    bytes32 private constant handlerSlot = keccak256("fallback_manager.handler.address");

    constructor(address owner_, address handler) OwnedWallet(owner_) {
        store(handler);
    }

    /// The wallet itself calls it.
    function setFallbackHandler(address handler) external {
        require(msg.sender == address(this), "GS031");
        store(handler);
    }

    /// Reverts unless the owner has signed the digest as it is.
    function checkSignature(bytes32 digest, bytes calldata signature) external view {
        require(signature.length > 0, "Hash not approved");
        require(signature.length >= 65, "GS020");
        address signer = ecrecover(
            digest, uint8(signature[64]), bytes32(signature[:32]), bytes32(signature[32:64])
        );
        require(signer == owner, "GS026");
    }

    fallback(bytes calldata data) external returns (bytes memory) {
        address handler;
        bytes32 slot = handlerSlot;
        assembly ("memory-safe") {
            handler := sload(slot)
        }
        if (handler == address(0)) return "";
        (bool done, bytes memory answer) = handler.call(abi.encodePacked(data, msg.sender));
        if (!done) fail(answer);
        return answer;
    }

    function store(address handler) private {
        bytes32 slot = handlerSlot;
        assembly ("memory-safe") {
            sstore(slot, handler)
        }
        emit ChangedFallbackHandler(handler);
    }
}

/// The stand-in of the fallback handler with which Safes verify signatures of each domain by a contract of their choice.
/// It keeps the verifiers of all Safes.
contract ExtensibleFallbackHandler {
    event AddedDomainVerifier(address indexed safe, bytes32 domainSeparator, address verifier);
    event ChangedDomainVerifier(
        address indexed safe, bytes32 domainSeparator, address oldVerifier, address newVerifier
    );
    event RemovedDomainVerifier(address indexed safe, bytes32 domainSeparator);

    mapping(address => mapping(bytes32 => address)) public domainVerifiers;

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == domainVerifiersInterface || id == signatureMagic || id == this.supportsInterface.selector;
    }

    /// A Safe calls it through itself.
    function setDomainVerifier(bytes32 domain, address verifier) external {
        require(caller() == msg.sender, "only safe can call this method");
        address old = domainVerifiers[msg.sender][domain];
        domainVerifiers[msg.sender][domain] = verifier;
        if (verifier == address(0)) emit RemovedDomainVerifier(msg.sender, domain);
        else if (old == address(0)) emit AddedDomainVerifier(msg.sender, domain, verifier);
        else emit ChangedDomainVerifier(msg.sender, domain, old, verifier);
    }

    /// Asks the domain's verifier if the signature names one that the Safe has set, and is of the digest; else the Safe.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length >= 68 && bytes4(signature) == domainSignature) {
            (bytes32 domain, bytes32 typeHash) = abi.decode(signature[4:68], (bytes32, bytes32));
            ComposableCow verifier = ComposableCow(domainVerifiers[msg.sender][domain]);
            if (address(verifier) != address(0)) {
                (,, bytes memory encodeData, bytes memory payload) =
                    abi.decode(signature[4:], (bytes32, bytes32, bytes, bytes));
                bytes32 content = keccak256(abi.encodePacked(typeHash, encodeData));
                if (keccak256(abi.encodePacked(hex"1901", domain, content)) == digest) {
                    return verifier.isValidSafeSignature(
                        msg.sender, caller(), digest, domain, typeHash, encodeData, payload
                    );
                }
            }
        }
        SafeWallet(payable(msg.sender)).checkSignature(digest, signature);
        return signatureMagic;
    }

    /// The Safe puts its caller at the end of the call.
    function caller() private pure returns (address) {
        return address(bytes20(msg.data[msg.data.length - 20:]));
    }
}

/// A wallet that passes a conditional order's signature on, and has no functions but its own.
contract ForwarderWallet is OwnedWallet {
    error InvalidHash();

    ComposableCow private immutable composableCow;

    constructor(address owner_, ComposableCow composableCow_) OwnedWallet(owner_) {
        composableCow = composableCow_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        (Order memory order, Payload memory payload) = abi.decode(signature, (Order, Payload));
        bytes32 domain = composableCow.domainSeparator();
        if (digestOf(order, domain) != digest) revert InvalidHash();
        return composableCow.isValidSafeSignature(
            address(this), msg.sender, digest, domain, 0, abi.encode(order), abi.encode(payload)
        );
    }
}

/// The stand-in of the factory that gives each account one wallet, a shed.
contract ShedFactory {
    event COWShedBuilt(address user, address shed);

    ComposableCow private constant composableCow = ComposableCow(0xfdaFc9d1902f4e0b84f65F49f244b32b31013b74);

    /// By shed.
    mapping(address => address) public ownerOf;

    /// Builds the user's shed, if it has none.
    function build(address user) external returns (address shed) {
        shed = proxyOf(user);
        if (ownerOf[shed] != address(0)) return shed;
        new ForwarderWallet{salt: bytes32(uint256(uint160(user)))}(user, composableCow);
        ownerOf[shed] = user;
        emit COWShedBuilt(user, shed);
    }

    /// The address of the user's shed, also before it is built.
    function proxyOf(address user) public view returns (address) {
        bytes32 salt = bytes32(uint256(uint160(user)));
        bytes memory code = abi.encodePacked(type(ForwarderWallet).creationCode, abi.encode(user, composableCow));
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", this, salt, keccak256(code))))));
    }
}
