// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TestToken} from "./TestToken.sol";

/// Burns one percent (rounded down) of every transfer, so that less arrives than was sent.
contract FeeToken is TestToken {
    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function move(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        super.move(from, to, value - fee);
        totalSupply -= fee;
        balanceOf[from] -= fee;
        emit Transfer(from, address(0), fee);
    }
}
