// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Reads a token, or sends some of it around, in a call that changes nothing. The code is put, for that call, at an account of
/// nobody's, and where needed at a holder's too. Tokens are strangers' code: each gets its gas and not more, and what it returns
/// is read up to one word, so that it can spoil its own answer alone.
contract TokenCheck {
    /// Balances of both ends around one transfer. They mean something only where it is `done`.
    struct Movement {
        uint256 sent;
        bool done;
        uint256 senderBefore;
        uint256 senderAfter;
        uint256 receiverBefore;
        uint256 receiverAfter;
    }

    struct Answer {
        bool hasCode;
        bool isReadable;
        /// The holder's, at first.
        uint256 balance;
        /// Those that were tried, in order: the first that fails is the last.
        Movement[] movements;
        /// What all of it used.
        uint256 gas;
    }

    uint256 private constant readGas = 500_000;
    uint256 private constant transferGas = 1_000_000;
    /// The last of the transfers is a quarter of it. A thousandth of a balance stays below what some tokens allow at once.
    uint256 private constant leastSent = 1_000_000;
    uint256 private constant mostSent = 2 ** 80 - 1;

    /// Tokens may call whom they pay.
    fallback() external {}

    function read(address token, address owner, address spender)
        external
        view
        returns (bool hasBalance, uint256 balance, bool hasAllowance, uint256 allowance, uint256 gas)
    {
        uint256 start = gasleft();
        (hasBalance, balance) = balanceOf(token, owner);
        (hasAllowance, allowance) = word(token, abi.encodeWithSignature("allowance(address,address)", owner, spender));
        gas = start - gasleft();
    }

    /// From the holder to this account, from here to another one, and back to the holder.
    /// `byAllowance`: this account may spend the holder's; otherwise this code stands at the holder's as well.
    function move(address token, address holder, address other, bool byAllowance)
        external
        returns (Answer memory answer)
    {
        uint256 start = gasleft();
        answer = moved(token, holder, other, byAllowance);
        answer.gas = start - gasleft();
    }

    function moved(address token, address holder, address other, bool byAllowance)
        private
        returns (Answer memory answer)
    {
        answer.hasCode = token.code.length > 0;
        (answer.isReadable, answer.balance) = balanceOf(token, holder);
        if (!answer.hasCode || !answer.isReadable) return answer;
        Movement[] memory movements = new Movement[](3);
        uint256 tried = 0;
        uint256 amount = portion(answer.balance);
        while (tried < 3 && amount > 0) {
            Movement memory movement = movements[tried];
            movement.sent = amount;
            if (tried == 0) {
                measure(movement, token, holder, address(this), holder, byAllowance);
                amount = movement.receiverAfter / 2;
            } else {
                measure(movement, token, address(this), tried == 1 ? other : holder, holder, false);
                amount = movement.senderAfter / 2;
            }
            tried++;
            if (!movement.done) break;
        }
        assembly ("memory-safe") {
            mstore(movements, tried)
        }
        answer.movements = movements;
    }

    /// Sends from the account at which this code stands.
    function send(address token, address to, uint256 amount) public returns (bool) {
        return transfer(token, abi.encodeWithSignature("transfer(address,uint256)", to, amount));
    }

    function portion(uint256 balance) private pure returns (uint256 amount) {
        amount = balance / 1024;
        if (amount < leastSent) amount = balance / 2 < leastSent ? balance / 2 : leastSent;
        if (amount > mostSent) amount = mostSent;
    }

    function measure(
        Movement memory movement,
        address token,
        address from,
        address to,
        address holder,
        bool byAllowance
    ) private {
        bool readable;
        (readable, movement.senderBefore) = balanceOf(token, from);
        if (!readable) return;
        (readable, movement.receiverBefore) = balanceOf(token, to);
        if (!readable) return;
        if (byAllowance) {
            bytes memory data =
                abi.encodeWithSignature("transferFrom(address,address,uint256)", from, to, movement.sent);
            if (!transfer(token, data)) return;
        } else if (from == holder) {
            spare(transferGas + 100_000);
            if (!TokenCheck(from).send{gas: transferGas + 100_000}(token, to, movement.sent)) return;
        } else if (!send(token, to, movement.sent)) {
            return;
        }
        (readable, movement.senderAfter) = balanceOf(token, from);
        if (!readable) return;
        (readable, movement.receiverAfter) = balanceOf(token, to);
        movement.done = readable;
    }

    /// Whether a settlement would take it for done: nothing returned, or one word that is not 0.
    function transfer(address token, bytes memory data) private returns (bool done) {
        spare(transferGas);
        uint256 limit = transferGas;
        assembly ("memory-safe") {
            done := call(limit, token, 0, add(data, 32), mload(data), 0, 32)
            if and(done, gt(returndatasize(), 0)) {
                done := and(eq(returndatasize(), 32), iszero(iszero(mload(0))))
            }
        }
    }

    function balanceOf(address token, address owner) private view returns (bool, uint256) {
        return word(token, abi.encodeWithSignature("balanceOf(address)", owner));
    }

    function word(address token, bytes memory data) private view returns (bool answered, uint256 value) {
        spare(readGas);
        uint256 limit = readGas;
        assembly ("memory-safe") {
            answered := staticcall(limit, token, add(data, 32), mload(data), 0, 32)
            answered := and(answered, gt(returndatasize(), 31))
            if answered { value := mload(0) }
        }
    }

    /// A node that gives less gas than was asked for is told from a token that uses up its own.
    function spare(uint256 limit) private view {
        require(gasleft() > limit + limit / 32 + 20_000, "TokenCheck: too little gas");
    }
}
