// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Runs settlements one after the other in one call that changes nothing, each on the state that those before it leave. A state
/// override puts this code at the solvers' accounts, so that the settlement contract sees the solver as its caller.
contract SettlementSequence {
    struct Call {
        address sender;
        address target;
        uint256 gas;
        bytes data;
    }

    struct Result {
        /// False where the call's gas was not left.
        bool ran;
        bool success;
        uint256 gas;
        bytes revertData;
    }

    uint256 private constant longestRevert = 256;
    /// For this code around a call.
    uint256 private constant reserve = 100_000;

    /// The caller is the account that this runs at: `execute` obeys it alone.
    function run(Call[] calldata calls) external returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 index = 0; index < calls.length; index++) {
            Call calldata one = calls[index];
            // Each of the two nested calls keeps back a 64th.
            if (gasleft() - gasleft() / 16 < one.gas + reserve) continue;
            results[index].ran = true;
            (results[index].success, results[index].gas, results[index].revertData) =
                SettlementSequence(payable(one.sender)).execute(one.target, one.gas, one.data);
        }
    }

    /// Code of strangers that a settlement runs meets an account that does nothing.
    function execute(address target, uint256 gasLimit, bytes calldata data)
        external
        returns (bool success, uint256 used, bytes memory revertData)
    {
        if (msg.sender != tx.origin) return (false, 0, "");
        bytes memory input = data;
        uint256 before = gasleft();
        assembly {
            success := call(gasLimit, target, 0, add(input, 32), mload(input), 0, 0)
        }
        used = before - gasleft();
        if (success) return (true, used, "");
        uint256 size;
        assembly {
            size := returndatasize()
        }
        if (size > longestRevert) size = longestRevert;
        revertData = new bytes(size);
        assembly {
            returndatacopy(add(revertData, 32), 0, size)
        }
    }

    fallback() external payable {}

    receive() external payable {}
}
