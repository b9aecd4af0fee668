// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Reads the balances of one account between the calls of a simulation. A state override puts this code at an account that nothing uses.
/// Tokens are code of strangers: each gets so much gas, and of what it returns one word is read. It can spoil its own answer alone.
contract BalanceProbe {
    /// The native coin, as settlements name it.
    address private constant nativeMarker = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    /// Enough for tokens that compute their balances.
    uint256 private constant readGas = 150_000;

    /// Returns two words for each token: 1 if it has a balance, and the balance. What does not answer, or for which no gas is left, is 0, 0.
    function read(address owner, address[] calldata tokens) external view returns (uint256[] memory words) {
        words = new uint256[](2 * tokens.length);
        for (uint256 index = 0; index < tokens.length; index++) {
            (bool isRead, uint256 amount) = held(tokens[index], owner);
            if (!isRead) continue;
            words[2 * index] = 1;
            words[2 * index + 1] = amount;
        }
    }

    function held(address token, address owner) private view returns (bool isRead, uint256 amount) {
        if (token == nativeMarker) return (true, owner.balance);
        // A call is given a 64th less than there is, whatever it is promised.
        if (gasleft() < (readGas * 64) / 63 + 5_000) return (false, 0);
        bytes memory question = abi.encodeWithSignature("balanceOf(address)", owner);
        assembly ("memory-safe") {
            if extcodesize(token) {
                if staticcall(readGas, token, add(question, 32), mload(question), 0, 32) {
                    if gt(returndatasize(), 31) {
                        isRead := 1
                        amount := mload(0)
                    }
                }
            }
        }
    }
}
