// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The local chain's stand-in of the contract that makes many calls in one.
contract Multicall3 {
    struct Call {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct CallWithValue {
        address target;
        bool allowFailure;
        uint256 value;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function aggregate3(Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 index = 0; index < calls.length; index++) {
            Call calldata item = calls[index];
            results[index] = run(item.target, item.allowFailure, 0, item.callData);
        }
    }

    /// The values of all calls are the value of the transaction.
    function aggregate3Value(CallWithValue[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        uint256 sum = 0;
        for (uint256 index = 0; index < calls.length; index++) {
            CallWithValue calldata item = calls[index];
            sum += item.value;
            results[index] = run(item.target, item.allowFailure, item.value, item.callData);
        }
        require(msg.value == sum, "Multicall3: value mismatch");
    }

    function run(address target, bool allowFailure, uint256 value, bytes calldata callData)
        private
        returns (Result memory result)
    {
        (result.success, result.returnData) = target.call{value: value}(callData);
        require(result.success || allowFailure, "Multicall3: call failed");
    }
}
