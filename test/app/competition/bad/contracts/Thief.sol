// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

/// The contract that malicious solvers have a settlement call.
contract Thief {
    receive() external payable {}

    function take(Token token, address from, uint256 amount) public {
        token.transferFrom(from, address(this), amount);
    }

    /// Takes, in a transaction, the balance above the floor that others have left since a simulation.
    function takeBeyond(Token token, address from, uint256 floor) external {
        if (tx.gasprice == 0) return;
        uint256 held = token.balanceOf(from);
        require(held > floor, "Thief: nothing to take");
        take(token, from, held - floor);
    }

    /// Takes only in a transaction: a simulation has no gas price.
    function takeWhenMined(Token token, address from, uint256 amount) external {
        if (tx.gasprice > 0) take(token, from, amount);
    }

    function pay(Token token, address to, uint256 amount) external {
        token.transfer(to, amount);
    }

    function tokensReceived(bytes calldata data) external {
        (bool done,) = address(this).call(data);
        require(done, "Thief: nothing taken");
    }
}

/// A token that calls its receiver, like those of ERC-777.
contract CallingToken {
    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }

    function send(address to, uint256, bytes calldata data) external {
        Thief(payable(to)).tokensReceived(data);
    }
}
