// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Asks, in one call that changes nothing, what a settlement of one order would meet. The settlement contract runs this code as
/// its own (`simulateDelegatecall`): hooks, tokens and wallets see the caller that they will see, and the vault relayer obeys.
/// Strangers' code gets the gas it is given, and what it returns is read up to a bound: it can spoil its own answer alone.
contract OrderCheck {
    struct Interaction {
        address target;
        uint256 value;
        bytes callData;
    }

    struct Question {
        address owner;
        address token;
        uint256 amount;
        address relayer;
        Interaction[] interactions;
        bytes32 digest;
        bytes signature;
        uint256 interactionGas;
        /// 0: the signature is not asked for.
        uint256 signatureGas;
        /// For each of the three calls.
        uint256 tokenGas;
    }

    struct Answer {
        bool signatureValid;
        /// What the owner's code reverts with, when it is asked for the signature.
        bytes signatureRevert;
        uint256 signatureGas;
        uint256 ownerCodeSize;
        uint256 balance;
        uint256 allowance;
        bool transferred;
        bytes revertData;
    }

    struct Transfer {
        address account;
        address token;
        uint256 amount;
        bytes32 balance;
    }

    uint256 private constant longestRevert = 256;

    function ask(Question calldata question) external returns (Answer memory answer) {
        for (uint256 index = 0; index < question.interactions.length; index++) {
            Interaction calldata step = question.interactions[index];
            run(step.target, step.value, question.interactionGas, step.callData);
        }
        answer.ownerCodeSize = question.owner.code.length;
        if (question.signatureGas > 0) {
            uint256 before = gasleft();
            bytes32 word;
            (word, answer.signatureRevert) = read(
                question.owner,
                question.signatureGas,
                abi.encodeWithSignature("isValidSignature(bytes32,bytes)", question.digest, question.signature)
            );
            answer.signatureGas = before - gasleft();
            // The settlement contract takes no other word, not even one that begins alike.
            answer.signatureValid = word == bytes32(bytes4(0x1626ba7e));
        }
        answer.balance = readAmount(question, abi.encodeWithSignature("balanceOf(address)", question.owner));
        answer.allowance =
            readAmount(question, abi.encodeWithSignature("allowance(address,address)", question.owner, question.relayer));
        Transfer[] memory transfers = new Transfer[](1);
        transfers[0] = Transfer(question.owner, question.token, question.amount, keccak256("erc20"));
        (answer.transferred, answer.revertData) = run(
            question.relayer,
            0,
            question.tokenGas,
            abi.encodeWithSignature("transferFromAccounts((address,address,uint256,bytes32)[])", transfers)
        );
    }

    function readAmount(Question calldata question, bytes memory data) private view returns (uint256) {
        (bytes32 word,) = read(question.token, question.tokenGas, data);
        return uint256(word);
    }

    /// The first word of what `target` returns; 0 when it fails or returns less. And what it reverts with.
    function read(address target, uint256 gasLimit, bytes memory data)
        private
        view
        returns (bytes32 word, bytes memory revertData)
    {
        bool done;
        assembly ("memory-safe") {
            done := staticcall(gasLimit, target, add(data, 32), mload(data), 0, 32)
            if and(done, gt(returndatasize(), 31)) { word := mload(0) }
        }
        if (!done) revertData = returnedData();
    }

    /// What the last call returned, up to a bound.
    function returnedData() private pure returns (bytes memory returned) {
        uint256 size;
        assembly ("memory-safe") {
            size := returndatasize()
        }
        returned = new bytes(size < longestRevert ? size : longestRevert);
        assembly ("memory-safe") {
            returndatacopy(add(returned, 32), 0, mload(returned))
        }
    }

    function run(address target, uint256 value, uint256 gasLimit, bytes memory data)
        private
        returns (bool done, bytes memory returned)
    {
        assembly ("memory-safe") {
            done := call(gasLimit, target, value, add(data, 32), mload(data), 0, 0)
        }
        returned = returnedData();
    }
}
