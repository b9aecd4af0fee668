// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Makes a transaction revert if its caller ends it with less of a token than it began with and what it has to gain.
/// What is noted belongs to the caller and ends with the transaction: nobody can change what another account noted, and nothing is left
/// for the next transaction.
contract BalanceGuard {
    error NotNoted(address token);
    error NotRead(address token);
    error TooLittle(address token, uint256 missing);

    /// The native coin, as settlements name it.
    address private constant nativeMarker = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// Stores what the caller holds of each token. What was noted before is only raised by it.
    function note(address[] calldata tokens) external {
        for (uint256 index = 0; index < tokens.length; index++) {
            // One more than the balance: zero stands for a token that is not noted.
            uint256 noted = held(tokens[index]) + 1;
            uint256 slot = slotOf(tokens[index]);
            assembly ("memory-safe") {
                if gt(noted, tload(slot)) {
                    tstore(slot, noted)
                }
            }
        }
    }

    /// Reverts unless the caller holds at least what it noted of each token and `least` more, or less where that is negative. Each note
    /// can be checked once.
    function check(address[] calldata tokens, int256[] calldata least) external {
        require(tokens.length == least.length);
        for (uint256 index = 0; index < tokens.length; index++) {
            address token = tokens[index];
            uint256 slot = slotOf(token);
            uint256 noted;
            assembly ("memory-safe") {
                noted := tload(slot)
                tstore(slot, 0)
            }
            if (noted == 0) revert NotNoted(token);
            uint256 needed = sum(noted - 1, least[index]);
            uint256 left = held(token);
            if (left < needed) revert TooLittle(token, needed - left);
        }
    }

    /// Zero where less than nothing is needed.
    function sum(uint256 noted, int256 least) private pure returns (uint256) {
        if (least >= 0) return noted + uint256(least);
        uint256 less = uint256(-least);
        return noted > less ? noted - less : 0;
    }

    function held(address token) private view returns (uint256 amount) {
        if (token == nativeMarker) return msg.sender.balance;
        (bool isRead, bytes memory answer) =
            token.staticcall(abi.encodeWithSignature("balanceOf(address)", msg.sender));
        if (!isRead || answer.length < 32) revert NotRead(token);
        assembly ("memory-safe") {
            amount := mload(add(answer, 32))
        }
    }

    function slotOf(address token) private view returns (uint256 slot) {
        assembly ("memory-safe") {
            mstore(0, caller())
            mstore(32, token)
            slot := keccak256(0, 64)
        }
    }
}
