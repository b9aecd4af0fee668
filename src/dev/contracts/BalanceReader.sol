// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Reads native balances of accounts, and balances and allowances of tokens, in one call that changes nothing. It is never
/// deployed: its constructor runs in the call, and what it returns in place of code is the answer.
/// Each token gets so much gas, and of what it returns one word is read: it can spoil its own answer alone. Where the call as a
/// whole has too little gas, it reverts: no token is taken for absent because the node was short.
contract BalanceReader {
    struct Holding {
        address owner;
        address token;
    }

    /// Several times what a token needs that computes its balances, and little enough that 24 holdings whose tokens use it up fit
    /// into one transaction.
    uint256 private constant readGas = 300_000;

    /// Returns one word for each account, then three for each holding: 1 if there is a balance, plus 2 if there is an allowance;
    /// the balance; the allowance for `spender`.
    constructor(address spender, address[] memory accounts, Holding[] memory holdings) {
        uint256[] memory words = new uint256[](accounts.length + 3 * holdings.length);
        uint256 next = 0;
        for (uint256 index = 0; index < accounts.length; index++) {
            words[next++] = accounts[index].balance;
        }
        for (uint256 index = 0; index < holdings.length; index++) {
            Holding memory holding = holdings[index];
            (bool hasBalance, uint256 balance) =
                read(holding.token, abi.encodeWithSignature("balanceOf(address)", holding.owner));
            (bool hasAllowance, uint256 allowance) = hasBalance
                ? read(holding.token, abi.encodeWithSignature("allowance(address,address)", holding.owner, spender))
                : (false, 0);
            words[next++] = (hasBalance ? 1 : 0) | (hasAllowance ? 2 : 0);
            words[next++] = balance;
            words[next++] = allowance;
        }
        assembly ("memory-safe") {
            return(add(words, 32), mul(mload(words), 32))
        }
    }

    /// The first word of what `token` returns; `isRead` is false where it fails, returns less, or has no code.
    function read(address token, bytes memory question) private view returns (bool isRead, uint256 first) {
        // A call is given a 64th less than there is, whatever it is promised.
        require(gasleft() > (readGas * 64) / 63 + 5_000, "too little gas");
        assembly ("memory-safe") {
            if extcodesize(token) {
                if staticcall(readGas, token, add(question, 32), mload(question), 0, 32) {
                    if gt(returndatasize(), 31) {
                        isRead := 1
                        first := mload(0)
                    }
                }
            }
        }
    }
}
