// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A stand-in for the contract of the real networks. Hooks are strangers' calls: they run from here, where no approval and no
/// token is, and not from the settlement contract.
contract HooksTrampoline {
    struct Hook {
        address target;
        bytes callData;
        uint256 gasLimit;
    }

    address public immutable settlement;

    constructor(address settlement_) {
        settlement = settlement_;
    }

    /// A hook that fails is its order's affair; one that can't be given its gas is the settlement's, which then fails.
    function execute(Hook[] calldata hooks) external {
        require(msg.sender == settlement, "HooksTrampoline: not a settlement");
        for (uint256 index = 0; index < hooks.length; index++) {
            Hook calldata hook = hooks[index];
            // A call passes on all gas but a 64th.
            require(gasleft() * 63 / 64 >= hook.gasLimit, "HooksTrampoline: gas");
            (uint256 gasLimit, address target, bytes memory data) = (hook.gasLimit, hook.target, hook.callData);
            // What a hook returns is not read: that costs more the longer it is.
            assembly ("memory-safe") {
                pop(call(gasLimit, target, 0, add(data, 32), mload(data), 0, 0))
            }
        }
    }
}
