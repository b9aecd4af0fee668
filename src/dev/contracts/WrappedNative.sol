// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Erc20} from "./Erc20.sol";

/// The chain's own coin as a token, one for one. It has no constructor: its code is put at a fixed address.
contract WrappedNative is Erc20 {
    event Deposit(address indexed to, uint256 value);
    event Withdrawal(address indexed from, uint256 value);

    string public constant name = "Wrapped Ether";
    string public constant symbol = "WETH";
    uint8 public constant decimals = 18;

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        balanceOf[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        require(balanceOf[msg.sender] >= value, "WrappedNative: balance");
        balanceOf[msg.sender] -= value;
        (bool paid,) = msg.sender.call{value: value}("");
        require(paid, "WrappedNative: payment refused");
        emit Withdrawal(msg.sender, value);
    }

    function totalSupply() external view override returns (uint256) {
        return address(this).balance;
    }
}
