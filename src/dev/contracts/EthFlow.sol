// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface Settlement {
    function domainSeparator() external view returns (bytes32);
    function filledAmount(bytes calldata orderUid) external view returns (uint256);
}

interface Wrapped {
    function deposit() external payable;
    function withdraw(uint256 value) external;
}

/// The local chain's stand-in of the contract that places orders for users who sell the chain's own coin. It owns the
/// orders, keeps the coins until a settlement wraps and takes them, and gives back what was not sold.
contract EthFlow {
    /// As users send it. The quote's id is only logged.
    struct Data {
        address buyToken;
        address receiver;
        uint256 sellAmount;
        uint256 buyAmount;
        bytes32 appData;
        uint256 feeAmount;
        uint32 validTo;
        bool partiallyFillable;
        int64 quoteId;
    }

    /// As it is signed.
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

    /// Scheme 0: this contract answers for the order.
    struct Signature {
        uint8 scheme;
        bytes data;
    }

    struct Placed {
        address user;
        uint32 validTo;
    }

    event OrderPlacement(address indexed sender, Order order, Signature signature, bytes data);
    event OrderInvalidation(bytes orderUid);
    event OrderRefund(bytes orderUid, address indexed refunder);

    bytes32 private constant orderType = keccak256(
        "Order(address sellToken,address buyToken,address receiver,uint256 sellAmount,uint256 buyAmount,uint32 validTo,bytes32 appData,uint256 feeAmount,string kind,bool partiallyFillable,string sellTokenBalance,string buyTokenBalance)"
    );
    address private constant invalidated = address(type(uint160).max);

    Settlement private immutable settlement;
    address private immutable wrapped;

    /// By order digest.
    mapping(bytes32 => Placed) public orders;

    constructor(address settlement_, address wrapped_) {
        settlement = Settlement(settlement_);
        wrapped = wrapped_;
    }

    receive() external payable {}

    function createOrder(Data calldata data) external payable returns (bytes32 digest) {
        require(msg.value == data.sellAmount + data.feeAmount, "EthFlow: value");
        require(data.sellAmount != 0, "EthFlow: nothing to sell");
        require(data.validTo >= block.timestamp, "EthFlow: expired");
        require(data.receiver != address(0), "EthFlow: no receiver");
        Order memory order = toOrder(data);
        digest = digestOf(order);
        require(orders[digest].user == address(0), "EthFlow: placed before");
        orders[digest] = Placed(msg.sender, data.validTo);
        Signature memory signature = Signature(0, abi.encodePacked(this));
        emit OrderPlacement(msg.sender, order, signature, abi.encodePacked(data.quoteId, data.validTo));
    }

    function wrapAll() external {
        Wrapped(wrapped).deposit{value: address(this).balance}();
    }

    function isValidSignature(bytes32 digest, bytes calldata) external view returns (bytes4) {
        Placed memory placed = orders[digest];
        bool live = placed.user != address(0) && placed.user != invalidated && placed.validTo >= block.timestamp;
        return live ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function invalidateOrder(Data calldata data) external {
        require(invalidate(data), "EthFlow: not allowed");
    }

    function invalidateOrdersIgnoringNotAllowed(Data[] calldata list) external {
        for (uint256 index = 0; index < list.length; index++) invalidate(list[index]);
    }

    /// Its user at any time, everybody once it has expired.
    function invalidate(Data calldata data) private returns (bool) {
        bytes32 digest = digestOf(toOrder(data));
        Placed memory placed = orders[digest];
        if (placed.user == address(0) || placed.user == invalidated) return false;
        bool expired = placed.validTo < block.timestamp;
        if (!expired && placed.user != msg.sender) return false;
        orders[digest].user = invalidated;

        bytes memory uid = abi.encodePacked(digest, this, type(uint32).max);
        if (expired) emit OrderRefund(uid, msg.sender);
        else emit OrderInvalidation(uid);

        uint256 sold = settlement.filledAmount(uid);
        if (sold >= data.sellAmount) return true;
        uint256 rest = data.sellAmount - sold;
        rest += data.feeAmount * rest / data.sellAmount;
        if (address(this).balance < rest) Wrapped(wrapped).withdraw(rest - address(this).balance);
        (bool paid,) = placed.user.call{value: rest}("");
        require(paid, "EthFlow: refund refused");
        return true;
    }

    function toOrder(Data calldata data) private view returns (Order memory) {
        return Order(
            wrapped,
            data.buyToken,
            data.receiver,
            data.sellAmount,
            data.buyAmount,
            type(uint32).max,
            data.appData,
            data.feeAmount,
            keccak256("sell"),
            data.partiallyFillable,
            keccak256("erc20"),
            keccak256("erc20")
        );
    }

    function digestOf(Order memory order) private view returns (bytes32) {
        bytes32 content = keccak256(abi.encode(orderType, order));
        return keccak256(abi.encodePacked(hex"1901", settlement.domainSeparator(), content));
    }
}
