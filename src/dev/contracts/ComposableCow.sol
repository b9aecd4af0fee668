// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// An order of the settlement contract, as it is signed.
struct Order {
    address sellToken;
    address buyToken;
    address receiver;
    uint256 sellAmount;
    uint256 buyAmount;
    uint32 validTo;
    bytes32 appData;
    uint256 feeAmount;
    bytes32 kind;
    bool partiallyFillable;
    bytes32 sellTokenBalance;
    bytes32 buyTokenBalance;
}

/// A conditional order: the contract that makes its parts, and what that contract makes them from.
struct ConditionalOrderParams {
    address handler;
    bytes32 salt;
    bytes staticInput;
}

/// Where the leaves of a root are published.
struct Proof {
    uint256 location;
    bytes data;
}

/// A conditional order with its authorisation: the proof is empty for a single order.
struct Payload {
    bytes32[] proof;
    ConditionalOrderParams params;
    bytes offchainInput;
}

bytes32 constant orderType = keccak256(
    "Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance)"
);

bytes4 constant signatureMagic = 0x1626ba7e;

// The first bytes of a signature that names its domain, for wallets with verifiers of domains.
bytes4 constant domainSignature = 0x5fd7e97d;

// The interface of wallets that have a verifier for each domain.
bytes4 constant domainVerifiersInterface = 0x62af8dc2;

function digestOf(Order memory order, bytes32 domainSeparator) pure returns (bytes32) {
    return keccak256(abi.encodePacked(hex"1901", domainSeparator, keccak256(abi.encode(orderType, order))));
}

interface Introspective {
    function supportsInterface(bytes4 id) external view returns (bool);
}

/// Makes the order of a conditional order that can trade in the present block.
interface Handler is Introspective {
    function getTradeableOrder(
        address owner,
        address sender,
        bytes32 ctx,
        bytes calldata staticInput,
        bytes calldata offchainInput
    ) external view returns (Order memory);

    function verify(
        address owner,
        address sender,
        bytes32 digest,
        bytes32 domainSeparator,
        bytes32 ctx,
        bytes calldata staticInput,
        bytes calldata offchainInput,
        Order calldata order
    ) external view;
}

/// A wallet's own veto.
interface SwapGuard {
    function verify(
        Order calldata order,
        bytes32 ctx,
        ConditionalOrderParams calldata params,
        bytes calldata offchainInput
    ) external view returns (bool);
}

interface ValueFactory {
    function getValue(bytes calldata data) external returns (bytes32);
}

/// The local chain's stand-in of the contract that authorises conditional orders: signatures, topics, errors, the order of
/// checks and the storage slots are those of real networks.
contract ComposableCow {
    event ConditionalOrderCreated(address indexed owner, ConditionalOrderParams params);
    event MerkleRootSet(address indexed owner, bytes32 root, Proof proof);
    event SwapGuardSet(address indexed owner, address swapGuard);

    error ProofNotAuthed();
    error SingleOrderNotAuthed();
    error SwapGuardRestricted();
    error InvalidHandler();
    error InvalidFallbackHandler();
    error InterfaceNotSupported();

    bytes32 public immutable domainSeparator;

    // These four are in storage slots 0 to 3.
    mapping(address => bytes32) public roots;
    mapping(address => mapping(bytes32 => bool)) public singleOrders;
    mapping(address => address) public swapGuards;
    /// By owner and context: the id of a single order, zero for all orders of a root.
    mapping(address => mapping(bytes32 => bytes32)) public cabinet;

    constructor(address settlement) {
        bytes32 domainType =
            keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        domainSeparator = keccak256(
            abi.encode(domainType, keccak256("Gnosis Protocol"), keccak256("v2"), block.chainid, settlement)
        );
    }

    /// Publishes the order if `dispatch` is set.
    function create(ConditionalOrderParams calldata params, bool dispatch) public {
        if (params.handler == address(0)) revert InvalidHandler();
        singleOrders[msg.sender][hash(params)] = true;
        if (dispatch) emit ConditionalOrderCreated(msg.sender, params);
    }

    /// Keeps a value that the factory makes now, such as the time at which a schedule begins.
    function createWithContext(
        ConditionalOrderParams calldata params,
        ValueFactory factory,
        bytes calldata data,
        bool dispatch
    ) external {
        create(params, dispatch);
        cabinet[msg.sender][hash(params)] = factory.getValue(data);
    }

    /// Authorises every leaf of a tree instead of those of the root before.
    function setRoot(bytes32 root, Proof calldata proof) public {
        roots[msg.sender] = root;
        emit MerkleRootSet(msg.sender, root, proof);
    }

    function setRootWithContext(bytes32 root, Proof calldata proof, ValueFactory factory, bytes calldata data)
        external
    {
        setRoot(root, proof);
        cabinet[msg.sender][0] = factory.getValue(data);
    }

    /// Takes the authorisation of a single order back, without an event.
    function remove(bytes32 id) external {
        singleOrders[msg.sender][id] = false;
        cabinet[msg.sender][id] = 0;
    }

    function setSwapGuard(address swapGuard) external {
        swapGuards[msg.sender] = swapGuard;
        emit SwapGuardSet(msg.sender, swapGuard);
    }

    /// The id of a conditional order.
    function hash(ConditionalOrderParams memory params) public pure returns (bytes32) {
        return keccak256(abi.encode(params));
    }

    /// Returns the order that can trade now, with the signature that the owner's kind of wallet accepts for it.
    function getTradeableOrderWithSignature(
        address owner,
        ConditionalOrderParams calldata params,
        bytes calldata offchainInput,
        bytes32[] calldata proof
    ) external view returns (Order memory order, bytes memory signature) {
        bytes32 ctx = authorise(owner, params, proof);
        requireHandler(params.handler);
        order = Handler(params.handler).getTradeableOrder(owner, msg.sender, ctx, params.staticInput, offchainInput);
        askGuard(owner, order, ctx, params, offchainInput);
        signature = sign(owner, order, Payload(proof, params, offchainInput));
    }

    /// Verifies the signature of an order for a wallet.
    function isValidSafeSignature(
        address safe,
        address sender,
        bytes32 digest,
        bytes32 domain,
        bytes32,
        bytes calldata encodeData,
        bytes calldata payload
    ) external view returns (bytes4) {
        Payload memory authorised = abi.decode(payload, (Payload));
        bytes32 ctx = authorise(safe, authorised.params, authorised.proof);
        Order memory order = abi.decode(encodeData, (Order));
        askGuard(safe, order, ctx, authorised.params, authorised.offchainInput);
        Handler(authorised.params.handler).verify(
            safe, sender, digest, domain, ctx, authorised.params.staticInput, authorised.offchainInput, order
        );
        return signatureMagic;
    }

    /// Returns the context of an authorised order. The leaf of an order is the hash of its id.
    function authorise(address owner, ConditionalOrderParams memory params, bytes32[] memory proof)
        private
        view
        returns (bytes32)
    {
        bytes32 id = hash(params);
        if (proof.length == 0) {
            if (!singleOrders[owner][id]) revert SingleOrderNotAuthed();
            return id;
        }
        bytes32 node = keccak256(abi.encode(id));
        for (uint256 index = 0; index < proof.length; index++) {
            bytes32 other = proof[index];
            node = node < other ? keccak256(abi.encode(node, other)) : keccak256(abi.encode(other, node));
        }
        if (node != roots[owner]) revert ProofNotAuthed();
        return 0;
    }

    /// A handler without code fails without data.
    function requireHandler(address handler) private view {
        try Introspective(handler).supportsInterface(Handler.getTradeableOrder.selector) returns (bool supported) {
            if (!supported) revert InterfaceNotSupported();
        } catch {
            revert InterfaceNotSupported();
        }
    }

    function askGuard(
        address owner,
        Order memory order,
        bytes32 ctx,
        ConditionalOrderParams memory params,
        bytes memory offchainInput
    ) private view {
        SwapGuard guard = SwapGuard(swapGuards[owner]);
        if (address(guard) == address(0)) return;
        if (!guard.verify(order, ctx, params, offchainInput)) revert SwapGuardRestricted();
    }

    /// A wallet that reverts has no such function: it forwards the signature. One that returns less than a word, or has no code,
    /// fails without data.
    function sign(address owner, Order memory order, Payload memory payload) private view returns (bytes memory) {
        try Introspective(owner).supportsInterface(domainVerifiersInterface) returns (bool supported) {
            if (!supported) revert InvalidFallbackHandler();
            return abi.encodeWithSelector(
                domainSignature, domainSeparator, orderType, abi.encode(order), abi.encode(payload)
            );
        } catch {
            return abi.encode(order, payload);
        }
    }
}
