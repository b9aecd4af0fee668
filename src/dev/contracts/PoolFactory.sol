// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Pool} from "./Pool.sol";

/// One pool for every pair of tokens, found from either side.
contract PoolFactory {
    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);

    mapping(address => mapping(address => address)) public getPair;
    address[] public allPairs;

    function allPairsLength() external view returns (uint256) {
        return allPairs.length;
    }

    function createPair(address tokenA, address tokenB) external returns (address pair) {
        require(tokenA != tokenB, "PoolFactory: same token");
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        require(token0 != address(0), "PoolFactory: no token");
        require(getPair[token0][token1] == address(0), "PoolFactory: pool exists");
        pair = address(new Pool{salt: 0}(token0, token1));
        getPair[token0][token1] = pair;
        getPair[token1][token0] = pair;
        allPairs.push(pair);
        emit PairCreated(token0, token1, pair, allPairs.length);
    }
}
