// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A price feed that says what it was told to say.
contract Aggregator {
    struct Round {
        uint256 roundId;
        int256 answer;
        uint256 startedAt;
        uint256 updatedAt;
        uint256 answeredInRound;
    }

    uint256 public decimals;
    Round public latestRoundData;

    function tell(uint256 newDecimals, Round calldata round) external {
        decimals = newDecimals;
        latestRoundData = round;
    }
}
