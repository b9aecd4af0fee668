// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
}

/// Two tokens whose product of reserves never falls; 0.3 % of what comes in stays.
/// It speaks the part of the Uniswap V2 pair interface that routers use. Liquidity is given for good: there are no shares,
/// no flash swaps and no price accumulators.
contract Pool {
    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );
    event Sync(uint112 reserve0, uint112 reserve1);

    address public immutable factory;
    address public immutable token0;
    address public immutable token1;

    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private updatedAt;
    /// Never left at 0, as in the pools of real networks: a swap then takes the gas that it takes there.
    uint256 private unlocked = 1;

    modifier once() {
        require(unlocked == 1, "Pool: reentered");
        unlocked = 0;
        _;
        unlocked = 1;
    }

    constructor(address token0_, address token1_) {
        factory = msg.sender;
        token0 = token0_;
        token1 = token1_;
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, updatedAt);
    }

    /// Takes in what was sent to the pool beforehand. Returns the square root of the product of what was added.
    function mint(address) external once returns (uint256 liquidity) {
        (uint256 balance0, uint256 balance1) = balances();
        uint256 added0 = balance0 - reserve0;
        uint256 added1 = balance1 - reserve1;
        liquidity = squareRoot(added0 * added1);
        require(liquidity > 0, "Pool: nothing added");
        update(balance0, balance1);
        emit Mint(msg.sender, added0, added1);
    }

    /// Pays out first; what was sent to the pool beforehand has to make up for it.
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external once {
        require(amount0Out > 0 || amount1Out > 0, "Pool: nothing asked");
        require(amount0Out < reserve0 && amount1Out < reserve1, "Pool: reserves too small");
        require(to != token0 && to != token1, "Pool: bad receiver");
        require(data.length == 0, "Pool: no flash swaps");
        if (amount0Out > 0) pay(token0, to, amount0Out);
        if (amount1Out > 0) pay(token1, to, amount1Out);

        (uint256 balance0, uint256 balance1) = balances();
        uint256 amount0In = received(balance0, reserve0 - amount0Out);
        uint256 amount1In = received(balance1, reserve1 - amount1Out);
        require(amount0In > 0 || amount1In > 0, "Pool: nothing sent");
        uint256 afterFee0 = balance0 * 1000 - amount0In * 3;
        uint256 afterFee1 = balance1 * 1000 - amount1In * 3;
        require(afterFee0 * afterFee1 >= uint256(reserve0) * reserve1 * 1e6, "Pool: too little sent");

        update(balance0, balance1);
        emit Swap(msg.sender, amount0In, amount1In, amount0Out, amount1Out, to);
    }

    function sync() external once {
        (uint256 balance0, uint256 balance1) = balances();
        update(balance0, balance1);
    }

    function balances() private view returns (uint256, uint256) {
        return (Token(token0).balanceOf(address(this)), Token(token1).balanceOf(address(this)));
    }

    function update(uint256 balance0, uint256 balance1) private {
        require(balance0 <= type(uint112).max && balance1 <= type(uint112).max, "Pool: reserves too large");
        reserve0 = uint112(balance0);
        reserve1 = uint112(balance1);
        updatedAt = uint32(block.timestamp);
        emit Sync(reserve0, reserve1);
    }

    function pay(address token, address to, uint256 amount) private {
        require(Token(token).transfer(to, amount), "Pool: transfer failed");
    }

    function received(uint256 balance, uint256 expected) private pure returns (uint256) {
        return balance > expected ? balance - expected : 0;
    }

    /// Rounded down.
    function squareRoot(uint256 x) private pure returns (uint256 root) {
        root = x;
        for (uint256 next = (x + 1) / 2; next < root; next = (x / next + next) / 2) root = next;
    }
}
