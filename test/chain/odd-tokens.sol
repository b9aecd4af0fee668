// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tokens as real networks have them, each with one oddity. Anybody may mint.
abstract contract OddToken {
    mapping(address => mapping(address => uint256)) internal allowances;

    /// What is told; what is stored may be another number.
    function balanceOf(address owner) public view virtual returns (uint256);
    function put(address owner, uint256 balance) internal virtual;

    function allowance(address owner, address spender) public view virtual returns (uint256) {
        return allowances[owner][spender];
    }

    function setAllowance(address owner, address spender, uint256 value) internal virtual {
        allowances[owner][spender] = value;
    }

    function mint(address to, uint256 value) external virtual {
        put(to, balanceOf(to) + value);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        setAllowance(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        setAllowance(from, msg.sender, allowance(from, msg.sender) - value);
        move(from, to, value);
        return true;
    }

    function move(address from, address to, uint256 value) internal virtual {
        put(from, balanceOf(from) - value);
        put(to, balanceOf(to) + value);
    }
}

abstract contract StoredToken is OddToken {
    mapping(address => uint256) internal balances;

    function balanceOf(address owner) public view virtual override returns (uint256) {
        return balances[owner];
    }

    function put(address owner, uint256 balance) internal virtual override {
        balances[owner] = balance;
    }
}

contract PlainToken is StoredToken {}

/// Shares of something that grows: what is told is rounded down.
contract SharesToken is StoredToken {
    uint256 public index = 1.07e18;

    function setIndex(uint256 index_) external {
        index = index_;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        return balances[owner] * index / 1e18;
    }

    function put(address owner, uint256 balance) internal override {
        balances[owner] = balance * 1e18 / index;
    }

    function move(address from, address to, uint256 value) internal override {
        uint256 shares = value * 1e18 / index;
        balances[from] -= shares;
        balances[to] += shares;
    }
}

/// Stored as parts of a huge number, so that what is sent is exact; a change of the index changes every balance.
contract GonsToken is StoredToken {
    uint256 public gonsPerAtom = uint256(2 ** 181) / 3;

    function balanceOf(address owner) public view override returns (uint256) {
        return balances[owner] / gonsPerAtom;
    }

    function put(address owner, uint256 balance) internal override {
        balances[owner] = balance * gonsPerAtom;
    }
}

/// Takes a fee of everybody and spreads it over the shares of all, but for accounts that are left out.
contract ReflectionToken is StoredToken {
    mapping(address => uint256) internal ofExcluded;
    mapping(address => bool) internal excluded;
    uint256 internal constant rate = 2 ** 178;

    function balanceOf(address owner) public view override returns (uint256) {
        return excluded[owner] ? ofExcluded[owner] : balances[owner] / rate;
    }

    function put(address owner, uint256 balance) internal override {
        if (excluded[owner]) ofExcluded[owner] = balance;
        balances[owner] = balance * rate;
    }

    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        put(to, balanceOf(to) - value / 20);
    }
}

/// Takes this part of a million from what arrives, when one side is this one; when nobody is named, always.
contract FeeAtToken is StoredToken {
    address internal immutable party;
    uint256 internal immutable ppm;

    constructor(address party_, uint256 ppm_) {
        party = party_;
        ppm = ppm_;
    }

    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        if (party == address(0) || from == party || to == party) balances[to] -= value * ppm / 1_000_000;
    }
}

/// Takes its fee from the sender, on top of what is sent.
contract DearToken is StoredToken {
    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        balances[from] -= value / 100;
    }
}

interface Pair {
    function token0() external view returns (address);
}

/// Takes a fee from transfers to contracts that say that they are a pool.
contract CuriousToken is StoredToken {
    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        if (isPool(from) || isPool(to)) balances[to] -= value / 50;
    }

    function isPool(address account) private view returns (bool) {
        if (account.code.length == 0) return false;
        (bool done, bytes memory returned) = account.staticcall(abi.encodeCall(Pair.token0, ()));
        return done && returned.length == 32;
    }
}

/// Mints to whoever receives, a millionth more.
contract GenerousToken is StoredToken {
    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        balances[to] += value / 1_000_000 + 1;
    }
}

/// Does what is asked and says nothing.
contract SilentToken is StoredToken {
    function transfer(address to, uint256 value) external override returns (bool) {
        move(msg.sender, to, value);
        assembly {
            return(0, 0)
        }
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        setAllowance(from, msg.sender, allowance(from, msg.sender) - value);
        move(from, to, value);
        assembly {
            return(0, 0)
        }
    }
}

contract FalseToken is StoredToken {
    function transfer(address, uint256) external pure override returns (bool) {
        return false;
    }

    function transferFrom(address, address, uint256) external pure override returns (bool) {
        return false;
    }
}

/// Says that it was done.
contract LyingToken is StoredToken {
    function move(address, address, uint256) internal override {}
}

/// Refuses everybody while paused, and some always.
contract StrictToken is StoredToken {
    bool public paused;
    mapping(address => bool) public frozen;

    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function freeze(address account) external {
        frozen[account] = true;
    }

    function move(address from, address to, uint256 value) internal override {
        require(!paused && !frozen[from] && !frozen[to], "StrictToken: no");
        super.move(from, to, value);
    }
}

contract GasToken is StoredToken {
    bool internal immutable whenRead;

    constructor(bool whenRead_) {
        whenRead = whenRead_;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        if (whenRead) burn();
        return balances[owner];
    }

    function mint(address to, uint256 value) external override {
        balances[to] += value;
    }

    function move(address from, address to, uint256 value) internal override {
        super.move(from, to, value);
        if (!whenRead) burn();
    }

    function burn() private pure {
        while (true) {}
    }
}

/// Returns as much as its gas buys.
contract WordyToken is StoredToken {
    bool internal immutable whenRead;

    constructor(bool whenRead_) {
        whenRead = whenRead_;
    }

    function balanceOf(address owner) public view override returns (uint256 value) {
        value = balances[owner];
        if (whenRead && msg.sig == this.balanceOf.selector) wordy(value);
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        move(msg.sender, to, value);
        if (!whenRead) wordy(1);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        setAllowance(from, msg.sender, allowance(from, msg.sender) - value);
        move(from, to, value);
        if (!whenRead) wordy(1);
        return true;
    }

    function wordy(uint256 word) private pure {
        assembly {
            mstore(0, word)
            return(0, 262144)
        }
    }
}

/// Keeps its mappings at base slots of one's choice, in the order of either compiler.
contract PlacedToken is OddToken {
    uint256 internal immutable base;
    bool internal immutable asVyper;

    constructor(uint256 base_, bool asVyper_) {
        base = base_;
        asVyper = asVyper_;
    }

    function entry(uint256 key, uint256 mapping_) private view returns (uint256) {
        return uint256(keccak256(asVyper ? abi.encode(mapping_, key) : abi.encode(key, mapping_)));
    }

    function balanceOf(address owner) public view override returns (uint256 value) {
        uint256 slot = entry(uint160(owner), base);
        assembly {
            value := sload(slot)
        }
    }

    function put(address owner, uint256 amount) internal override {
        uint256 slot = entry(uint160(owner), base);
        assembly {
            sstore(slot, amount)
        }
    }

    function allowance(address owner, address spender) public view override returns (uint256 value) {
        uint256 slot = entry(uint160(spender), entry(uint160(owner), base + 1));
        assembly {
            value := sload(slot)
        }
    }

    function setAllowance(address owner, address spender, uint256 value) internal override {
        uint256 slot = entry(uint160(spender), entry(uint160(owner), base + 1));
        assembly {
            sstore(slot, value)
        }
    }
}

/// Hashes owner, seed and spender as one piece.
contract SeededToken is OddToken {
    function balanceOf(address owner) public view override returns (uint256 value) {
        bytes32 slot = keccak256(abi.encodePacked(owner, uint96(0x87a211a2)));
        assembly {
            value := sload(slot)
        }
    }

    function put(address owner, uint256 amount) internal override {
        bytes32 slot = keccak256(abi.encodePacked(owner, uint96(0x87a211a2)));
        assembly {
            sstore(slot, amount)
        }
    }

    function allowance(address owner, address spender) public view override returns (uint256 value) {
        bytes32 slot = keccak256(abi.encodePacked(owner, uint96(0x7f5e9f20), spender));
        assembly {
            value := sload(slot)
        }
    }

    function setAllowance(address owner, address spender, uint256 value) internal override {
        bytes32 slot = keccak256(abi.encodePacked(owner, uint96(0x7f5e9f20), spender));
        assembly {
            sstore(slot, value)
        }
    }
}

/// A flag in the top bit of the balance.
contract FlaggedToken is StoredToken {
    function balanceOf(address owner) public view override returns (uint256) {
        return balances[owner] & (2 ** 255 - 1);
    }

    function put(address owner, uint256 balance) internal override {
        require(balances[owner] >> 255 == 0 && balance >> 255 == 0, "FlaggedToken: no");
        balances[owner] = balance;
    }

    function flag(address owner) external {
        balances[owner] |= 2 ** 255;
    }
}

/// A balance of 96 bits below, or of 128 bits above, other things in the slot.
contract PackedToken is OddToken {
    struct Account {
        uint96 low;
        uint32 since;
        uint128 high;
    }

    mapping(address => Account) internal accounts;
    bool internal immutable above;

    constructor(bool above_) {
        above = above_;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        return above ? accounts[owner].high : accounts[owner].low;
    }

    function put(address owner, uint256 balance) internal override {
        if (above) accounts[owner].high = uint128(balance);
        else accounts[owner].low = uint96(balance);
        accounts[owner].since = uint32(block.timestamp);
    }
}

/// Keeps its balances in another contract.
contract Ledger {
    mapping(address => uint256) public balances;

    function put(address owner, uint256 balance) external {
        balances[owner] = balance;
    }
}

contract LedgerToken is OddToken {
    Ledger internal immutable ledger = new Ledger();

    function balanceOf(address owner) public view override returns (uint256) {
        return ledger.balances(owner);
    }

    function put(address owner, uint256 balance) internal override {
        ledger.put(owner, balance);
    }
}

/// The code of another contract over its own storage.
contract ProxyToken {
    address internal immutable code;

    constructor(address code_) {
        code = code_;
    }

    fallback() external {
        (bool done, bytes memory returned) = code.delegatecall(msg.data);
        assembly {
            switch done
            case 0 { revert(add(returned, 32), mload(returned)) }
            default { return(add(returned, 32), mload(returned)) }
        }
    }
}

/// Holds tokens and says that it is a pool.
contract Holder {
    address public token0;
}

/// What a call of a node sees and a transaction does not.
abstract contract Context {
    uint256 internal what;
    uint256 internal seen;
    bool internal isMarked;

    function value() internal view returns (uint256) {
        if (what == 0) return tx.gasprice;
        if (what == 1) return tx.gasprice < block.basefee || block.basefee == 0 ? 0 : 1;
        if (what == 2) return block.number;
        if (what == 3) return block.timestamp;
        if (what == 4) return block.prevrandao;
        if (what == 5) return uint256(blockhash(block.number - 1));
        return uint160(address(block.coinbase));
    }

    /// From now on only what has the value of this block passes; before, all does.
    function mark() external {
        isMarked = true;
        if (what > 1) seen = value();
    }

    function passes() public view returns (bool) {
        return !isMarked || value() == seen;
    }
}

/// Transfers pass in calls alone: all of them, those by `transferFrom`, those by `transfer`, or neither, until `freezeUnless`.
contract ContextToken is StoredToken, Context {
    uint256 internal side;
    mapping(address => bool) internal isFrozen;

    constructor(uint256 what_, uint256 side_) {
        what = what_;
        side = side_;
    }

    function freezeUnless(address owner) external {
        if (!passes()) isFrozen[owner] = true;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        require(side == 1 || side == 3 || passes(), "ContextToken: no");
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        require(side == 2 || side == 3 || passes(), "ContextToken: no");
        require(!isFrozen[from], "ContextToken: frozen");
        setAllowance(from, msg.sender, allowance(from, msg.sender) - amount);
        move(from, to, amount);
        return true;
    }
}

/// A wallet whose signatures are valid in calls alone.
contract ContextWallet is Context {
    constructor(uint256 what_, uint256 token, uint256 spender) {
        what = what_;
        OddToken(address(uint160(token))).approve(address(uint160(spender)), type(uint256).max);
    }

    function isValidSignature(bytes32, bytes calldata) external view returns (bytes4) {
        return passes() ? bytes4(0x1626ba7e) : bytes4(0);
    }
}
