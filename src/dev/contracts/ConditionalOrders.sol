// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ComposableCow, digestOf, Handler, Introspective, Order, ValueFactory} from "./ComposableCow.sol";

// Stand-ins of the handlers of real networks. Messages are part of them: services and people read them.

ComposableCow constant composableCow = ComposableCow(0xfdaFc9d1902f4e0b84f65F49f244b32b31013b74);

interface Balances {
    function balanceOf(address owner) external view returns (uint256);
    function decimals() external view returns (uint8);
}

/// A handler that has nothing but the inputs of an order: it ignores the sender.
abstract contract ConditionalOrder is Handler {
    error OrderNotValid(string reason);
    error PollTryNextBlock(string reason);
    error PollTryAtEpoch(uint256 timestamp, string reason);

    bytes32 internal constant sell = keccak256("sell");
    bytes32 internal constant buy = keccak256("buy");
    bytes32 internal constant erc20 = keccak256("erc20");

    function make(address owner, bytes32 ctx, bytes calldata staticInput, bytes calldata offchainInput)
        internal
        view
        virtual
        returns (Order memory);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == Handler.getTradeableOrder.selector || id == Introspective.supportsInterface.selector;
    }

    function getTradeableOrder(
        address owner,
        address,
        bytes32 ctx,
        bytes calldata staticInput,
        bytes calldata offchainInput
    ) external view returns (Order memory) {
        return make(owner, ctx, staticInput, offchainInput);
    }

    /// Makes the order again, in this block.
    function verify(
        address owner,
        address,
        bytes32 digest,
        bytes32 domainSeparator,
        bytes32 ctx,
        bytes calldata staticInput,
        bytes calldata offchainInput,
        Order calldata
    ) external view {
        Order memory made = make(owner, ctx, staticInput, offchainInput);
        if (digestOf(made, domainSeparator) != digest) revert OrderNotValid("invalid hash");
    }

    function toUint32(uint256 value) internal pure returns (uint32) {
        require(value <= type(uint32).max, "SafeCast: value doesn't fit in 32 bits");
        return uint32(value);
    }

    /// The end of the present bucket of time.
    function bucketEnd(uint32 bucketSeconds) internal view returns (uint32) {
        return toUint32(block.timestamp / bucketSeconds * bucketSeconds + bucketSeconds);
    }

    /// A fill-or-kill sell order of ERC-20 balances.
    function sellOrder(
        address sellToken,
        address buyToken,
        address receiver,
        uint256 sellAmount,
        uint256 buyAmount,
        uint32 validTo,
        bytes32 appData
    ) internal pure returns (Order memory order) {
        order.sellToken = sellToken;
        order.buyToken = buyToken;
        order.receiver = receiver;
        order.sellAmount = sellAmount;
        order.buyAmount = buyAmount;
        order.validTo = validTo;
        order.appData = appData;
        order.kind = sell;
        order.sellTokenBalance = erc20;
        order.buyTokenBalance = erc20;
    }
}

/// Sells the same amount `n` times, once in each period of `t` seconds, within its first `span` seconds, or within all of it
/// if `span` is zero.
contract Twap is ConditionalOrder {
    struct Input {
        address sellToken;
        address buyToken;
        address receiver;
        uint256 partSellAmount;
        uint256 minPartLimit;
        uint256 t0;
        uint256 n;
        uint256 t;
        uint256 span;
        bytes32 appData;
    }

    function make(address owner, bytes32 ctx, bytes calldata staticInput, bytes calldata)
        internal
        view
        override
        returns (Order memory)
    {
        Input memory input = abi.decode(staticInput, (Input));
        if (input.t0 == 0) input.t0 = uint256(composableCow.cabinet(owner, ctx));
        check(input);
        uint32 validTo = partEnd(input);
        return sellOrder(
            input.sellToken,
            input.buyToken,
            input.receiver,
            input.partSellAmount,
            input.minPartLimit,
            validTo,
            input.appData
        );
    }

    function check(Input memory input) private pure {
        if (input.sellToken == input.buyToken) revert OrderNotValid("same token");
        if (input.sellToken == address(0) || input.buyToken == address(0)) revert OrderNotValid("invalid token");
        if (input.partSellAmount == 0) revert OrderNotValid("invalid part sell amount");
        if (input.minPartLimit == 0) revert OrderNotValid("invalid min part limit");
        if (input.t0 >= type(uint32).max) revert OrderNotValid("invalid start time");
        if (input.n < 2 || input.n > type(uint32).max) revert OrderNotValid("invalid num parts");
        if (input.t == 0 || input.t > 365 days) revert OrderNotValid("invalid frequency");
        if (input.span > input.t) revert OrderNotValid("invalid span");
    }

    /// The last second of the present part.
    function partEnd(Input memory input) private view returns (uint32 validTo) {
        if (block.timestamp < input.t0) revert OrderNotValid("before twap start");
        if (block.timestamp >= input.t0 + input.n * input.t) revert OrderNotValid("after twap finish");
        uint256 start = block.timestamp - (block.timestamp - input.t0) % input.t;
        validTo = toUint32(start + (input.span == 0 ? input.t : input.span) - 1);
        if (block.timestamp > validTo) revert OrderNotValid("not within span");
    }
}

interface Oracle {
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound);
    function decimals() external view returns (uint8);
}

/// Trades once the price of two oracles is at or below the strike.
contract StopLoss is ConditionalOrder {
    struct Input {
        address sellToken;
        address buyToken;
        uint256 sellAmount;
        uint256 buyAmount;
        bytes32 appData;
        address receiver;
        bool isSellOrder;
        bool isPartiallyFillable;
        uint32 validTo;
        Oracle sellTokenPriceOracle;
        Oracle buyTokenPriceOracle;
        int256 strike;
        uint256 maxTimeSinceLastOracleUpdate;
    }

    function make(address, bytes32, bytes calldata staticInput, bytes calldata)
        internal
        view
        override
        returns (Order memory order)
    {
        Input memory input = abi.decode(staticInput, (Input));
        if (input.validTo < block.timestamp) revert OrderNotValid("order expired");
        checkPrice(input);
        order = sellOrder(
            input.sellToken,
            input.buyToken,
            input.receiver,
            input.sellAmount,
            input.buyAmount,
            input.validTo,
            input.appData
        );
        if (!input.isSellOrder) order.kind = buy;
        order.partiallyFillable = input.isPartiallyFillable;
    }

    function checkPrice(Input memory input) private view {
        (, int256 base,, uint256 baseTime,) = input.sellTokenPriceOracle.latestRoundData();
        (, int256 quote,, uint256 quoteTime,) = input.buyTokenPriceOracle.latestRoundData();
        if (base <= 0 || quote <= 0) revert OrderNotValid("oracle invalid price");
        uint256 oldest = block.timestamp - input.maxTimeSinceLastOracleUpdate;
        if (baseTime < oldest || quoteTime < oldest) revert PollTryNextBlock("oracle stale price");
        base = scale(base, input.sellTokenPriceOracle.decimals());
        quote = scale(quote, input.buyTokenPriceOracle.decimals());
        if (base * 1e18 / quote > input.strike) revert PollTryNextBlock("strike not reached");
    }

    /// To 18 decimals.
    function scale(int256 price, uint8 decimals) private pure returns (int256) {
        return decimals <= 18 ? price * int256(10 ** (18 - decimals)) : price / int256(10 ** (decimals - 18));
    }
}

/// Sells all of a balance that is at or above the threshold.
contract TradeAboveThreshold is ConditionalOrder {
    struct Input {
        address sellToken;
        address buyToken;
        address receiver;
        uint32 validityBucketSeconds;
        uint256 threshold;
        bytes32 appData;
    }

    function make(address owner, bytes32, bytes calldata staticInput, bytes calldata)
        internal
        view
        override
        returns (Order memory)
    {
        Input memory input = abi.decode(staticInput, (Input));
        uint256 balance = Balances(input.sellToken).balanceOf(owner);
        if (balance < input.threshold) revert PollTryNextBlock("balance insufficient");
        uint32 validTo = bucketEnd(input.validityBucketSeconds);
        return sellOrder(input.sellToken, input.buyToken, input.receiver, balance, 1, validTo, input.appData);
    }
}

interface PriceChecker {
    function getExpectedOut(uint256 amountIn, address fromToken, address toToken, bytes calldata data)
        external
        view
        returns (uint256);
}

/// Sells from a time on, for an amount that the poller names.
contract GoodAfterTime is ConditionalOrder {
    struct Input {
        address sellToken;
        address buyToken;
        address receiver;
        uint256 sellAmount;
        uint256 minSellBalance;
        uint256 startTime;
        uint256 endTime;
        bool allowPartialFill;
        bytes priceCheckerPayload;
        bytes32 appData;
    }

    function make(address owner, bytes32, bytes calldata staticInput, bytes calldata offchainInput)
        internal
        view
        override
        returns (Order memory order)
    {
        Input memory input = abi.decode(staticInput, (Input));
        if (block.timestamp < input.startTime) revert PollTryAtEpoch(input.startTime, "too early");
        if (Balances(input.sellToken).balanceOf(owner) < input.minSellBalance) {
            revert OrderNotValid("balance insufficient");
        }
        uint256 buyAmount = abi.decode(offchainInput, (uint256));
        if (input.priceCheckerPayload.length > 0) checkPrice(input, buyAmount);
        order = sellOrder(
            input.sellToken,
            input.buyToken,
            input.receiver,
            input.sellAmount,
            buyAmount,
            toUint32(input.endTime),
            input.appData
        );
        order.partiallyFillable = input.allowPartialFill;
    }

    function checkPrice(Input memory input, uint256 buyAmount) private view {
        (PriceChecker checker, bytes memory data, uint256 slippageBps) =
            abi.decode(input.priceCheckerPayload, (PriceChecker, bytes, uint256));
        uint256 expected = checker.getExpectedOut(input.sellAmount, input.sellToken, input.buyToken, data);
        if (buyAmount < expected * (10000 - slippageBps) / 10000) revert PollTryNextBlock("price checker failed");
    }
}

/// Sells whichever of two tokens the owner holds more of, for as much of the other and a spread.
contract PerpetualStableSwap is ConditionalOrder {
    struct Input {
        address tokenA;
        address tokenB;
        uint32 validityBucketSeconds;
        uint256 halfSpreadBps;
        bytes32 appData;
    }

    function make(address owner, bytes32, bytes calldata staticInput, bytes calldata)
        internal
        view
        override
        returns (Order memory)
    {
        Input memory input = abi.decode(staticInput, (Input));
        (bool sellsA, uint256 amount, uint256 par) = choose(owner, input);
        if (amount == 0) revert OrderNotValid("not funded");
        return sellOrder(
            sellsA ? input.tokenA : input.tokenB,
            sellsA ? input.tokenB : input.tokenA,
            address(0),
            amount,
            par * (10000 + input.halfSpreadBps) / 10000,
            bucketEnd(input.validityBucketSeconds),
            input.appData
        );
    }

    /// Returns the balance that is worth more, token B's if both are worth the same, and the same worth of the other token.
    function choose(address owner, Input memory input) private view returns (bool sellsA, uint256 amount, uint256 par) {
        uint256 balanceA = Balances(input.tokenA).balanceOf(owner);
        uint256 balanceB = Balances(input.tokenB).balanceOf(owner);
        uint256 unitA = 10 ** Balances(input.tokenA).decimals();
        uint256 unitB = 10 ** Balances(input.tokenB).decimals();
        sellsA = balanceA * unitB > balanceB * unitA;
        amount = sellsA ? balanceA : balanceB;
        par = sellsA ? amount * unitB / unitA : amount * unitA / unitB;
    }
}

/// The time of the block, for schedules that begin when they are created.
contract CurrentBlockTimestampFactory is ValueFactory {
    function getValue(bytes calldata) external view returns (bytes32) {
        return bytes32(block.timestamp);
    }
}

/// A price that every account may set.
contract PriceOracle is Oracle {
    uint8 public constant decimals = 8;

    int256 private answer;
    /// Zero for the time of the block.
    uint256 private updatedAt;

    function set(int256 answer_, uint256 updatedAt_) external {
        answer = answer_;
        updatedAt = updatedAt_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        uint256 time = updatedAt == 0 ? block.timestamp : updatedAt;
        return (1, answer, time, time, 1);
    }
}
