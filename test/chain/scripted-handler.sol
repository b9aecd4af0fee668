// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A handler of conditional orders whose next answer every account may set.
contract ScriptedHandler {
    enum Act {
        Return,
        Revert,
        Loop
    }

    error OrderNotValid(string reason);

    bytes32 private constant orderType = 0xd5a25ba2e97094ad7d83dc28a6572da797d6b3e7fc6663bd93efb789fc17e489;

    bool private isHandler = true;
    Act private act = Act.Revert;
    bytes private data;
    uint256 private zeros;

    /// The answer is the data, such as an encoded order or error, followed by this many zero bytes.
    function script(Act act_, bytes calldata data_, uint256 zeros_) external {
        (act, data, zeros) = (act_, data_, zeros_);
    }

    /// What `supportsInterface` returns from now on.
    function support(bool isHandler_) external {
        isHandler = isHandler_;
    }

    function supportsInterface(bytes4) external view returns (bool) {
        return isHandler;
    }

    /// `getTradeableOrder`, and `verify` of an order with the digest in its third word.
    fallback(bytes calldata input) external returns (bytes memory answer) {
        while (act == Act.Loop) {}
        answer = abi.encodePacked(data, new bytes(zeros));
        if (act == Act.Revert) {
            assembly ("memory-safe") {
                revert(add(answer, 32), mload(answer))
            }
        }
        if (msg.sig != 0x14a2a784) return answer;
        bytes32 content = keccak256(abi.encodePacked(orderType, data));
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", bytes32(input[100:132]), content));
        if (digest != bytes32(input[68:100])) revert OrderNotValid("invalid hash");
        return "";
    }
}
