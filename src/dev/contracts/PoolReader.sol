// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Reads many pools of Uniswap V2 style in one call that changes nothing. It is never deployed: its constructor runs in the call,
/// and what it returns in place of code is the answer.
/// Whatever is asked gets so much gas, and what it returns is read up to a bound: it can spoil its own answer alone. Where the
/// call as a whole has too little gas, it reverts: nobody is taken for absent because the node was short.
contract PoolReader {
    struct Pair {
        address token0;
        address token1;
    }

    /// Several times what a pool or a factory needs, and little enough that hundreds who use it up fit into one transaction.
    uint256 private constant readGas = 30_000;

    /// Returns one word for each pool, then two for each pair: where the factory says its pool is (0: there is none), and the
    /// pool's word. A pool's word is 1, reserve0 and reserve1 in 32, 112 and 112 bits; 0 where nobody speaks like a pool.
    constructor(address factory, address[] memory pools, Pair[] memory pairs) {
        uint256[] memory words = new uint256[](pools.length + 2 * pairs.length);
        uint256 next = 0;
        for (uint256 index = 0; index < pools.length; index++) {
            words[next++] = readPool(pools[index]);
        }
        for (uint256 index = 0; index < pairs.length; index++) {
            address pool = findPool(factory, pairs[index]);
            words[next++] = uint160(pool);
            words[next++] = pool == address(0) ? 0 : readPool(pool);
        }
        assembly ("memory-safe") {
            return(add(words, 32), mul(mload(words), 32))
        }
    }

    function findPool(address factory, Pair memory pair) private view returns (address) {
        bytes memory question = abi.encodeWithSignature("getPair(address,address)", pair.token0, pair.token1);
        (uint256 size, uint256 first,) = read(factory, question);
        return size < 32 || first > type(uint160).max ? address(0) : address(uint160(first));
    }

    function readPool(address pool) private view returns (uint256) {
        (uint256 size, uint256 reserve0, uint256 reserve1) = read(pool, abi.encodeWithSignature("getReserves()"));
        if (size < 64 || reserve0 > type(uint112).max || reserve1 > type(uint112).max) return 0;
        return (1 << 224) | (reserve0 << 112) | reserve1;
    }

    /// The first two words of what `target` returns, as far as `size` reaches; nothing where it fails.
    function read(address target, bytes memory question)
        private
        view
        returns (uint256 size, uint256 first, uint256 second)
    {
        // A call is given a 64th less than there is, whatever it is promised.
        require(gasleft() > (readGas * 64) / 63 + 5_000, "too little gas");
        assembly ("memory-safe") {
            if staticcall(readGas, target, add(question, 32), mload(question), 0, 64) {
                size := returndatasize()
                first := mload(0)
                second := mload(32)
            }
        }
    }
}
