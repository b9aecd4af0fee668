// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Every kind of right that one contract can have without two functions of the same form.
contract Rights {
    mapping(bytes32 => uint256) internal values;

    event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    event Approval(address indexed owner, address indexed spender, uint256 indexed id, uint256 amount);
    event OperatorSet(address indexed owner, address indexed spender, bool approved);
    event AuthorizedOperator(address indexed operator, address indexed holder);
    event RevokedOperator(address indexed operator, address indexed holder);
    event RelayerApprovalChanged(address indexed relayer, address indexed sender, bool approved);
    event BorrowAllowanceDelegated(address indexed fromUser, address indexed toUser, address indexed asset, uint256 amount);
    event Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration);
    event SetAuthorization(address indexed caller, address indexed authorizer, address indexed authorized, bool now);
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);

    function send(address to) external {
        emit TransferSingle(msg.sender, msg.sender, to, 1, 1);
    }

    function setApprovalForAll(address operator, bool approved) external {
        set("all", msg.sender, operator, 0, approved ? 1 : 0);
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function isApprovedForAll(address owner, address operator) external view returns (bool) {
        return get("all", owner, operator, 0) > 0;
    }

    function approve(address spender, uint256 id, uint256 amount) external {
        set("id", msg.sender, spender, id, amount);
        emit Approval(msg.sender, spender, id, amount);
    }

    function allowance(address owner, address spender, uint256 id) external view returns (uint256) {
        return get("id", owner, spender, id);
    }

    function setOperator(address spender, bool approved) external {
        set("operator", msg.sender, spender, 0, approved ? 1 : 0);
        emit OperatorSet(msg.sender, spender, approved);
    }

    function isOperator(address owner, address spender) external view returns (bool) {
        return get("operator", owner, spender, 0) > 0;
    }

    function authorizeOperator(address operator) external {
        set("777", msg.sender, operator, 0, 1);
        emit AuthorizedOperator(operator, msg.sender);
    }

    function revokeOperator(address operator) external {
        set("777", msg.sender, operator, 0, 0);
        emit RevokedOperator(operator, msg.sender);
    }

    function isOperatorFor(address operator, address holder) external view returns (bool) {
        return get("777", holder, operator, 0) > 0;
    }

    function setRelayerApproval(address sender, address relayer, bool approved) external {
        require(sender == msg.sender);
        set("relayer", sender, relayer, 0, approved ? 1 : 0);
        emit RelayerApprovalChanged(relayer, sender, approved);
    }

    function hasApprovedRelayer(address user, address relayer) external view returns (bool) {
        return get("relayer", user, relayer, 0) > 0;
    }

    function approveDelegation(address delegatee, uint256 amount) external {
        set("credit", msg.sender, delegatee, 0, amount);
        emit BorrowAllowanceDelegated(msg.sender, delegatee, address(this), amount);
    }

    function borrowAllowance(address fromUser, address toUser) external view returns (uint256) {
        return get("credit", fromUser, toUser, 0);
    }

    function approve(address token, address spender, uint160 amount, uint48 expiration) external {
        set("permit2", msg.sender, spender, uint160(token), amount);
        set("expiration", msg.sender, spender, uint160(token), expiration);
        emit Approval(msg.sender, token, spender, amount, expiration);
    }

    function allowance(address owner, address token, address spender) external view returns (uint160, uint48, uint48) {
        uint256 amount = get("permit2", owner, spender, uint160(token));
        return (uint160(amount), uint48(get("expiration", owner, spender, uint160(token))), 0);
    }

    function setAuthorization(address authorized, bool now_) external {
        set("morpho", msg.sender, authorized, 0, now_ ? 1 : 0);
        emit SetAuthorization(msg.sender, msg.sender, authorized, now_);
    }

    function isAuthorized(address authorizer, address authorized) external view returns (bool) {
        return get("morpho", authorizer, authorized, 0) > 0;
    }

    function set(string memory what, address owner, address other, uint256 id, uint256 value) internal {
        values[keccak256(abi.encode(what, owner, other, id))] = value;
    }

    function get(string memory what, address owner, address other, uint256 id) internal view returns (uint256) {
        return values[keccak256(abi.encode(what, owner, other, id))];
    }
}

contract Items {
    mapping(uint256 => address) public getApproved;

    event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);

    function approve(address approved, uint256 tokenId) external {
        getApproved[tokenId] = approved;
        emit Approval(msg.sender, approved, tokenId);
    }
}

/// Tokens of strangers, whose allowances do not end.
contract Lasting {
    mapping(address => mapping(address => uint256)) public allowance;
    bool internal immutable refuses;

    event Approval(address indexed owner, address indexed spender, uint256 value);

    constructor(bool refuses_) {
        refuses = refuses_;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        require(value > 0 || !refuses, "not now");
        if (value > 0) allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }
}
