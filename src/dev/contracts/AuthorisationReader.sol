// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface IAuthorisations {
    function singleOrders(address owner, bytes32 id) external view returns (bool);
    function cabinet(address owner, bytes32 id) external view returns (bytes32);
}

/// Reads many programmatic orders of the contract that authorises them, in one call that changes nothing. It is never deployed: its
/// constructor runs in the call, and returns the answer in place of code. A contract that does not answer makes the call revert.
contract AuthorisationReader {
    struct Question {
        address owner;
        bytes32 id;
    }

    /// Returns two words for each question: whether the order is authorised, and the word that its creation stored.
    constructor(IAuthorisations contract_, Question[] memory questions) {
        bytes32[] memory words = new bytes32[](2 * questions.length);
        for (uint256 index = 0; index < questions.length; index++) {
            Question memory question = questions[index];
            words[2 * index] = bytes32(uint256(contract_.singleOrders(question.owner, question.id) ? 1 : 0));
            words[2 * index + 1] = contract_.cabinet(question.owner, question.id);
        }
        assembly ("memory-safe") {
            return(add(words, 32), mul(mload(words), 32))
        }
    }
}
