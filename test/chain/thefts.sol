// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Contracts that take what their caller has, or give rights to it, in as many ways as tests need.

interface Token {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface PairPool {
    function swap(uint256 amount0, uint256 amount1, address to, bytes calldata data) external;
}

/// A pool whose shares are a token, and which burns them for its caller.
contract BurningPool {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function withdraw(uint256 value, address to) external {
        withdrawQuietly(value, to);
        emit Transfer(msg.sender, address(0), value);
    }

    function withdrawQuietly(uint256 value, address to) public {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
    }

    /// A swap through another pool: nothing of its caller's shares is used.
    function trade(Token token, address pool, uint256 value, uint256 amount0, uint256 amount1) external {
        token.transferFrom(msg.sender, pool, value);
        PairPool(pool).swap(amount0, amount1, msg.sender, "");
    }
}

/// Shares that only their pool burns.
contract PoolShares {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function burn(address from, uint256 value, bool quietly) external {
        balanceOf[from] -= value;
        if (!quietly) emit Transfer(from, address(0), value);
    }
}

/// An account of shares that is no token.
contract Ledger {
    mapping(address => uint256) public positions;

    function add(address to, uint256 value) external {
        positions[to] += value;
    }

    function reduce(address from, uint256 value) external {
        positions[from] -= value;
    }
}

/// A pool whose shares are kept elsewhere. It needs no allowance for those of its caller.
contract LendingPool {
    PoolShares private immutable shares;
    Ledger private immutable ledger;
    mapping(address => uint256) public paid;

    constructor(PoolShares theShares, Ledger theLedger) {
        (shares, ledger) = (theShares, theLedger);
    }

    function join(uint256 value) external {
        shares.mint(msg.sender, value);
    }

    function open(uint256 value) external {
        ledger.add(msg.sender, value);
    }

    function exit(uint256 value, address to, bool quietly) external {
        shares.burn(msg.sender, value, quietly);
        paid[to] += value;
    }

    function close(uint256 value, address to) external {
        ledger.reduce(msg.sender, value);
        paid[to] += value;
    }
}

/// Rights for later, each kept in another way.
contract RightsBook {
    event BorrowAllowanceDelegated(address indexed from, address indexed to, uint256 amount);
    event RelayerApprovalChanged(address indexed relayer, address indexed sender, bool approved);

    struct Namespace {
        uint256 version;
        mapping(address => uint256) bits;
    }

    mapping(address => mapping(address => bool)) public isAllowed;
    mapping(address => mapping(address => uint256)) public borrowAllowance;
    mapping(bytes19 => mapping(address => bool)) public byPrefix;
    mapping(bytes32 => bool) public byHash;
    mapping(address => address[]) public managers;

    function allow(address manager, bool allowed) external {
        isAllowed[msg.sender][manager] = allowed;
    }

    /// A simulation has no price of gas.
    function allowWhenMined(address manager) external {
        if (tx.gasprice > 0) isAllowed[msg.sender][manager] = true;
    }

    function delegateWhenMined(address to, uint256 amount) external {
        if (tx.gasprice > 0) borrowAllowance[msg.sender][to] = amount;
    }

    function approveDelegation(address to, uint256 amount) external {
        borrowAllowance[msg.sender][to] = amount;
        emit BorrowAllowanceDelegated(msg.sender, to, amount);
    }

    function setRelayerApproval(address sender, address relayer, bool approved) external {
        require(sender == msg.sender);
        isAllowed[relayer][sender] = approved;
        emit RelayerApprovalChanged(relayer, sender, approved);
    }

    function permitBits(uint256 bits) external {
        Namespace storage space;
        assembly {
            space.slot := 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00
        }
        space.bits[msg.sender] = bits;
    }

    function trust(address operator) external {
        byPrefix[bytes19(bytes20(msg.sender))][operator] = true;
    }

    function pack(address operator) external {
        byHash[keccak256(abi.encodePacked(operator, msg.sender))] = true;
    }

    function addManager(address manager) external {
        managers[msg.sender].push(manager);
    }

    function grantFor(address owner, address manager) external {
        isAllowed[owner][manager] = true;
    }

    /// As Vyper computes slots: the mapping first, then the key.
    function grantInVyper(uint256 amount) external {
        assembly {
            mstore(0, 77)
            mstore(32, caller())
            sstore(keccak256(0, 64), amount)
        }
    }

    function multicall(bytes[] calldata calls) external {
        for (uint256 index = 0; index < calls.length; index++) {
            (bool done,) = address(this).delegatecall(calls[index]);
            require(done);
        }
    }
}

/// Numbered locks in a list, under functions that tokens have too.
contract Locks {
    struct Lock {
        address owner;
        uint256 amount;
    }

    Lock[] private locks;
    mapping(address => uint256) public paid;

    function add(address owner, uint256 amount) external {
        locks.push(Lock(owner, amount));
    }

    function worth(uint256 id) external view returns (uint256) {
        return locks[id].amount;
    }

    function transfer(address to, uint256 id) external {
        take(id, to);
    }

    function redeem(uint256 id, address to, address) external {
        take(id, to);
    }

    function take(uint256 id, address to) private {
        require(locks[id].owner == msg.sender);
        paid[to] += locks[id].amount;
        locks[id].amount = 0;
    }
}

/// Pays to the owner of a deed, who is known to another contract.
contract DeedOffice {
    Deeds private immutable deeds;
    mapping(address => uint256) public paid;
    uint256 public left;

    constructor(Deeds theDeeds) {
        deeds = theDeeds;
    }

    function fund(uint256 amount) external {
        left += amount;
    }

    function payOut(uint256 id, address to) external {
        require(deeds.ownerOf(id) == msg.sender);
        paid[to] += left;
        left = 0;
    }
}

/// Calls the settlement contract in vain, and fills what follows a settlement.
contract Distraction {
    mapping(address => mapping(uint256 => uint256)) private marks;

    function settle(address settlement) external {
        (bool done,) = settlement.call(abi.encodeWithSelector(0x13d79a0b));
        require(!done);
    }

    function flood() external {
        for (uint256 index = 0; index < 70; index++) {
            marks[msg.sender][index] = 1;
        }
    }
}

/// A token that keeps an allowance where it is to end, and logs nothing.
contract StickyToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        if (value > 0) allowance[msg.sender][spender] = value;
        return true;
    }
}

/// A token whose balance cannot be read in a transaction.
contract SpoilingToken {
    mapping(address => uint256) private balances;

    function mint(address to, uint256 value) external {
        balances[to] += value;
    }

    function balanceOf(address owner) external view returns (uint256) {
        require(tx.gasprice == 0);
        return balances[owner];
    }
}

/// Calls accounts with addresses in a row.
contract Crowd {
    function callAll(uint160 first, uint256 count) external {
        for (uint160 index = 0; index < count; index++) {
            (bool done,) = address(first + index).call("");
            require(done);
        }
    }
}

/// Registers its caller elsewhere.
contract Facade {
    RightsBook private immutable book;

    constructor(RightsBook theBook) {
        book = theBook;
    }

    function register(address manager) external {
        book.grantFor(msg.sender, manager);
    }
}

/// Positions that are numbered: nothing but their owner's name is kept under the owner.
contract Deeds {
    event Approval(address indexed owner, address indexed approved, uint256 indexed id);

    mapping(uint256 => address) public ownerOf;
    mapping(uint256 => uint256) public worth;
    mapping(uint256 => address) public entrusted;
    mapping(address => uint256) public collected;

    function mint(uint256 id, address to, uint256 value) external {
        (ownerOf[id], worth[id]) = (to, value);
    }

    function collect(uint256 id, address to) external {
        require(ownerOf[id] == msg.sender);
        collected[to] += worth[id];
        worth[id] = 0;
    }

    function entrust(uint256 id, address to) external {
        require(ownerOf[id] == msg.sender);
        entrusted[id] = to;
        emit Approval(msg.sender, to, id);
    }
}

/// A router that moves tokens of whoever calls it, by their allowance for it.
contract OldRouter {
    function pull(Token token, uint256 value, address to) public {
        token.transferFrom(msg.sender, to, value);
    }

    /// A simulation has no price of gas.
    function pullWhenMined(Token token, uint256 value, address to) external {
        if (tx.gasprice > 0) pull(token, value, to);
    }
}

/// A token without logs.
contract QuietToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
        return true;
    }
}

/// A token that keeps rights too: the slot of a right may hold the number of its balance.
contract RightsToken is RightsBook {
    mapping(address => uint256) public balanceOf;
    mapping(address => address) public nominee;
    mapping(address => uint256) public level;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function allowAndMint(address manager) external {
        isAllowed[msg.sender][manager] = true;
        balanceOf[msg.sender] += 1;
    }

    function nominate(address to) external {
        nominee[msg.sender] = to;
    }

    function raise(address owner, uint256 to) external {
        level[owner] = to;
    }
}

/// Items under the function by which tokens allow amounts. It logs nothing.
contract Items {
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public approved;

    function mint(address to, uint256 id) external {
        ownerOf[id] = to;
        balanceOf[to] += 1;
    }

    function approve(address to, uint256 id) public virtual returns (bool) {
        require(ownerOf[id] == msg.sender);
        approved[id] = to;
        return true;
    }
}

/// The view has the amount always.
contract FlatteringItems is Items {
    function allowance(address, address) external pure returns (uint256) {
        return 3;
    }
}

/// Small amounts are items, great ones amounts.
contract HybridItems is Items {
    mapping(address => mapping(address => uint256)) public allowance;

    function approve(address to, uint256 value) public override returns (bool) {
        if (value > 0 && value < 100) return super.approve(to, value);
        allowance[msg.sender][to] = value;
        return true;
    }
}

/// Each amount is an item too.
contract DoubleItems is Items {
    mapping(address => mapping(address => uint256)) public allowance;

    function approve(address to, uint256 value) public override returns (bool) {
        allowance[msg.sender][to] = value;
        return value == 0 || super.approve(to, value);
    }
}

/// Answers with the last amount, which ends alone.
contract EchoingItems is Items {
    uint256 private last;

    function allowance(address, address) external view returns (uint256) {
        return last;
    }

    function approve(address to, uint256 value) public override returns (bool) {
        last = value;
        return value == 0 || super.approve(to, value);
    }
}

/// Items under their owner.
contract OwnItems {
    mapping(address => mapping(uint256 => bool)) private owns;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public approved;

    function mint(address to, uint256 id) external {
        owns[to][id] = true;
        balanceOf[to] += 1;
    }

    function approve(address to, uint256 id) public virtual {
        require(owns[msg.sender][id]);
        approved[id] = to;
    }
}

/// Items under their owner, each an amount too.
contract OwnDoubleItems is OwnItems {
    mapping(address => mapping(address => uint256)) public allowance;

    function approve(address to, uint256 value) public override {
        allowance[msg.sender][to] = value;
        if (value > 0) super.approve(to, value);
    }
}

/// Items as bits.
contract BitItems {
    mapping(address => uint256) private bits;
    mapping(address => uint256) public balanceOf;
    mapping(bytes32 => uint256) public approvals;

    function mint(address to, uint256 id) external {
        bits[to] |= 1 << id;
        balanceOf[to] += 1;
    }

    function approve(address to, uint256 id) external {
        require(bits[msg.sender] & (1 << id) != 0);
        approvals[bytes32(uint256(uint160(to)))] |= 1 << id;
    }
}

/// Allowances add up: 0 ends none.
contract SummingToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external {
        allowance[msg.sender][spender] += value;
    }
}

/// Knows accounts in as many ways as contracts keep them.
contract Manager {
    struct Member {
        uint256 since;
        uint256 rank;
    }

    mapping(bytes32 => mapping(address => bool)) private roles;
    mapping(address => uint256) private accounts;
    mapping(address => uint256[]) private lists;
    mapping(bytes32 => bool) private hashes;
    mapping(address => Member) private members;
    mapping(bytes19 => uint256) private prefixes;
    address private holder;

    function register(address who) external {
        roles["pay"][who] = true;
        accounts[who] = 5;
        lists[who].push(9);
        hashes[keccak256(abi.encodePacked(uint8(1), who))] = true;
        members[who].rank = 3;
        prefixes[bytes19(bytes20(who))] = 1;
        holder = who;
        assembly {
            mstore(0, 77)
            mstore(32, who)
            sstore(keccak256(0, 64), 1)
        }
    }

    function knows(uint256 way, address who) public view returns (bool known) {
        if (way == 0) return roles["pay"][who];
        if (way == 1) return accounts[who] != 0;
        if (way == 2) return lists[who].length != 0;
        if (way == 3) return hashes[keccak256(abi.encodePacked(uint8(1), who))];
        if (way == 4) return members[who].rank != 0;
        if (way == 5) return prefixes[bytes19(bytes20(who))] != 0;
        if (way == 6) return holder == who;
        assembly {
            mstore(0, 77)
            mstore(32, who)
            known := sload(keccak256(0, 64))
        }
    }

    /// Under the name of a token's function.
    function transferFrom(address who, address, uint256 way) external view returns (bool) {
        return knows(way, who);
    }
}

/// Stands between.
contract Clerk {
    Manager private immutable manager;

    constructor(Manager theManager) {
        manager = theManager;
    }

    function knows(uint256 way, address who) external view returns (bool) {
        return manager.knows(way, who);
    }
}

/// Pays accounts that a manager knows: it keeps nothing itself.
contract ManagedVault {
    Manager private immutable manager;
    Clerk private immutable clerk;
    mapping(address => uint256) public paid;
    uint256 public left;

    constructor(Manager theManager, Clerk theClerk) {
        (manager, clerk) = (theManager, theClerk);
    }

    function fund(uint256 amount) external {
        left += amount;
    }

    /// It answers as a token of which no account has anything.
    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }

    function sweep(uint256 way, address to) public {
        require(manager.knows(way, msg.sender));
        pay(to);
    }

    function sweepByClerk(uint256 way, address to) external {
        require(clerk.knows(way, msg.sender));
        pay(to);
    }

    function sweepByToken(uint256 way, address to) external {
        require(manager.transferFrom(msg.sender, to, way));
        pay(to);
    }

    function sweepInside(uint256 way, address to) external {
        (bool done,) = address(this).delegatecall(abi.encodeWithSelector(this.sweep.selector, way, to));
        require(done);
    }

    function redeem(uint256 way, address to, address) external {
        sweep(way, to);
    }

    function pay(address to) private {
        paid[to] += left;
        left = 0;
    }
}

/// Burns the shares of its caller elsewhere, and pays.
contract Redeemer {
    mapping(address => uint256) public paid;

    function redeemShares(PoolShares shares, uint256 value, address to) external {
        shares.burn(msg.sender, value, true);
        paid[to] += value;
    }
}

/// Reverts with the words of the guard contract.
contract Forger {
    error NotRead(address token);

    function forge(address token) public pure {
        revert NotRead(token);
    }

    function forgeWhenMined(address token) external view {
        if (tx.gasprice > 0) forge(token);
    }

    function say(string calldata words) external pure {
        revert(words);
    }

    function spill(bytes memory data) public pure {
        assembly {
            revert(add(data, 32), mload(data))
        }
    }

    function pass(address target, bytes calldata data) external {
        (bool done, bytes memory answer) = target.call(data);
        if (!done) spill(answer);
    }

    function passInside(bytes calldata data) external {
        (bool done, bytes memory answer) = address(this).delegatecall(data);
        if (!done) spill(answer);
    }

    function transferFrom(address, address token, uint256) external pure returns (bool) {
        forge(token);
    }

    function create(address token) external {
        new ForgingMaker(token);
    }
}

/// Reverts while it is made.
contract ForgingMaker {
    error NotRead(address token);

    constructor(address token) {
        revert NotRead(token);
    }
}

/// A token that looks at its caller's balance before it allows, as some with lists of blocked accounts do.
contract CheckingToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
    }

    function approve(address spender, uint256 value) external {
        require(balanceOf[msg.sender] < 2 ** 255);
        require(value == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = value;
    }
}
