// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Reads what many tokens say of themselves, in one call that changes nothing. It is never deployed: its
/// constructor runs in the call, and what it returns in place of code is the answer. Whoever is asked gets so
/// much gas, and of what is returned so many bytes are read: it can spoil its own answer alone. Where the
/// call as a whole has too little gas, it reverts: nobody is silent because the node was short. Where no code
/// stands nobody is asked: what the chain itself answers there (a precompile) is not a token's word.
contract MetadataReader {
    /// Several times what a proxy with a long name needs, and little enough that twenty who use it up fit
    /// into one transaction.
    uint256 private constant readGas = 150_000;
    /// Offset, length and 100 characters of four bytes.
    uint256 private constant mostText = 464;
    uint256 private constant mostOfToken = 3 * 32 + 2 * mostText + 32;

    /// Returns for each token its symbol, name and decimals: a word that says how many bytes were returned
    /// (0: it fails), then these bytes, as far as they are read.
    constructor(address[] memory tokens) {
        bytes memory answer = new bytes(tokens.length * mostOfToken);
        uint256 start;
        assembly ("memory-safe") {
            start := add(answer, 32)
        }
        uint256 end = start;
        for (uint256 index = 0; index < tokens.length; index++) {
            end = read(tokens[index], bytes4(keccak256("symbol()")), mostText, end);
            end = read(tokens[index], bytes4(keccak256("name()")), mostText, end);
            end = read(tokens[index], bytes4(keccak256("decimals()")), 32, end);
        }
        assembly ("memory-safe") {
            return(start, sub(end, start))
        }
    }

    /// Writes what `token` returns to `place`; `next` is where that ends.
    function read(address token, bytes4 member, uint256 most, uint256 place)
        private
        view
        returns (uint256 next)
    {
        // A call is given a 64th less than there is, whatever it is promised.
        require(gasleft() > (readGas * 64) / 63 + 5_000, "too little gas");
        uint256 size;
        assembly ("memory-safe") {
            mstore(0, member)
            if extcodesize(token) {
                if staticcall(readGas, token, 0, 4, add(place, 32), most) { size := returndatasize() }
            }
            mstore(place, size)
            if lt(size, most) { most := size }
            next := add(add(place, 32), most)
        }
    }
}
