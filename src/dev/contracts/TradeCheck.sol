// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Settles one trade in a call that changes nothing and tells what became of everybody. It stands where no code is, as the solver
/// of the settlement. Strangers' code gets the gas it is given, and what it returns is read up to a bound: it can spoil its own
/// answer alone.
contract TradeCheck {
    struct Question {
        address settlement;
        address relayer;
        address trader;
        address receiver;
        address sellToken;
        /// In its wrapped form, where the native coin is bought.
        address buyToken;
        bool buysNative;
        bytes orderUid;
        bytes settle;
        /// Other tokens that the settlement contract must not have less of.
        address[] others;
    }

    /// The first three are the settlement contract's, the last is what the receiver has of the token that is bought.
    struct Holdings {
        uint256 sell;
        uint256 buy;
        uint256 native;
        uint256 received;
    }

    struct Answer {
        bool settled;
        /// Of the call to the settlement contract, as though nothing had been read before it.
        uint256 gas;
        Holdings before;
        Holdings afterwards;
        /// The first of the other tokens that it has less of; zero when there is none.
        address spent;
        /// The rest is told of a settlement that failed. What the trader has was read without it.
        bytes revertData;
        bool presigned;
        uint256 balance;
        uint256 allowance;
    }

    uint256 private constant longestRevert = 512;
    uint256 private constant readGas = 400_000;
    /// Kept back to tell the end with.
    uint256 private constant ownGas = 2_000_000;

    function ask(Question calldata question) external returns (Answer memory answer) {
        // A node that gives less than it was asked for has no say.
        require(gasleft() > 4 * ownGas, "TradeCheck: gas");
        answer.before.native = question.settlement.balance;
        (uint256 saved, uint256[] memory held) = touch(question, answer.before);
        bytes memory settle = question.settle;
        uint256 start = gasleft();
        answer.settled = call(question.settlement, settle);
        answer.gas = start - gasleft() + saved;
        if (answer.settled) {
            answer.afterwards.native = question.settlement.balance;
            note(question, answer.afterwards);
            answer.spent = firstSpent(question, held);
            return answer;
        }
        answer.revertData = returned();
        answer.presigned = read(question.settlement, abi.encodeWithSignature("preSignature(bytes)", question.orderUid))
            == uint256(keccak256("GPv2Signing.Scheme.PreSign"));
        answer.balance = balanceOf(question.sellToken, question.trader);
        answer.allowance = read(
            question.sellToken, abi.encodeWithSignature("allowance(address,address)", question.trader, question.relayer)
        );
    }

    /// What is read first here costs the settlement less: the same again, read for what it will pay, tells how much.
    function touch(Question calldata question, Holdings memory holdings)
        private
        view
        returns (uint256 saved, uint256[] memory held)
    {
        uint256 start = gasleft();
        note(question, holdings);
        held = noteOthers(question);
        uint256 first = start - gasleft();
        start = gasleft();
        note(question, holdings);
        noteOthers(question);
        uint256 second = start - gasleft();
        saved = first > second ? first - second : 0;
    }

    function note(Question calldata question, Holdings memory holdings) private view {
        holdings.sell = balanceOf(question.sellToken, question.settlement);
        holdings.buy = balanceOf(question.buyToken, question.settlement);
        holdings.received =
            question.buysNative ? question.receiver.balance : balanceOf(question.buyToken, question.receiver);
    }

    function noteOthers(Question calldata question) private view returns (uint256[] memory held) {
        held = new uint256[](question.others.length);
        for (uint256 index = 0; index < held.length; index++) {
            held[index] = balanceOf(question.others[index], question.settlement);
        }
    }

    function firstSpent(Question calldata question, uint256[] memory held) private view returns (address) {
        for (uint256 index = 0; index < held.length; index++) {
            address token = question.others[index];
            if (held[index] > 0 && balanceOf(token, question.settlement) < held[index]) return token;
        }
        return address(0);
    }

    function balanceOf(address token, address owner) private view returns (uint256) {
        return read(token, abi.encodeWithSignature("balanceOf(address)", owner));
    }

    /// The first word of what `target` returns; 0 when it fails or returns less.
    function read(address target, bytes memory data) private view returns (uint256 word) {
        assembly ("memory-safe") {
            let done := staticcall(readGas, target, add(data, 32), mload(data), 0, 32)
            if and(done, gt(returndatasize(), 31)) { word := mload(0) }
        }
    }

    function call(address target, bytes memory data) private returns (bool done) {
        assembly ("memory-safe") {
            done := call(sub(gas(), ownGas), target, 0, add(data, 32), mload(data), 0, 0)
        }
    }

    /// What the last call returned.
    function returned() private pure returns (bytes memory data) {
        uint256 size;
        assembly ("memory-safe") {
            size := returndatasize()
        }
        data = new bytes(size < longestRevert ? size : longestRevert);
        assembly ("memory-safe") {
            returndatacopy(add(data, 32), 0, mload(data))
        }
    }
}
