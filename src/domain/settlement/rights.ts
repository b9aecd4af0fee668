import { Interface } from 'ethers'
import { word } from '../evm/abi.ts'
import { type Address, address, zeroAddress } from '../evm/address.ts'
import type { Bytes32, Hex } from '../evm/hex.ts'
import { keccakText } from '../evm/keccak.ts'
import type { Interaction } from '../order/order.ts'

/** A right over the assets of an account, granted to another account. */
export interface Right {
  kind: RightKind
  /** The contract that honours it. */
  contract: Address
  grantee: Address
  /**
   * The limit of the right, as a word: the id of an item or of a token in `contract`, or the address of a
   * token; null if the right is unlimited.
   */
  subject: Bytes32 | null
}

/** A right with its logged value: an amount, or 1 for a right without one; 0 once it has ended. */
export interface LoggedRight extends Right {
  value: bigint
}

type Topic = 1 | 2 | 3

interface RightEvent {
  event: string
  /** The topics with the accounts, and with the subject if there is one. */
  owner: Topic
  grantee: Topic
  subject?: Topic
  /** The number of topics, which distinguishes two events with the same name. */
  topics: 3 | 4
  /** The word of the data with the value, or the value itself. */
  value: 'first' | 'last' | bigint
}

interface RightRules {
  events: readonly RightEvent[]
  /** The view that proves the right, and its arguments. */
  read: string
  readWith(right: Right, owner: Address): readonly unknown[]
  /** Decodes the returned value; `now` is in Unix seconds. */
  decode?(returned: readonly unknown[], right: Right, now: number): bigint
  /** The call by the owner that ends the right. */
  end: string
  endWith(right: Right, owner: Address): readonly unknown[]
}

const plain = { owner: 1, grantee: 2, topics: 3, value: 'last' } as const
const byPermit2 = { owner: 1, grantee: 3, subject: 2, topics: 4, value: 'first' } as const

/** Each kind of right, with its events, the view that proves it and the call that ends it. */
const kinds = {
  erc20Allowance: {
    events: [{ ...plain, event: 'Approval(address,address,uint256)' }],
    read: 'allowance(address,address) view returns (uint256)',
    readWith: ({ grantee }, owner) => [owner, grantee],
    end: 'approve(address,uint256)',
    endWith: ({ grantee }) => [grantee, 0n],
  },
  erc721Item: {
    events: [
      { event: 'Approval(address,address,uint256)', owner: 1, grantee: 2, subject: 3, topics: 4, value: 1n },
    ],
    read: 'getApproved(uint256) view returns (address)',
    readWith: ({ subject }) => [subject],
    decode: ([approved], { grantee }) => (address(String(approved)) === grantee ? 1n : 0n),
    end: 'approve(address,uint256)',
    endWith: ({ subject }) => [zeroAddress, subject],
  },
  /** The right of an operator of ERC-721 and ERC-1155. */
  operator: {
    events: [{ ...plain, event: 'ApprovalForAll(address,address,bool)' }],
    read: 'isApprovedForAll(address,address) view returns (bool)',
    readWith: ({ grantee }, owner) => [owner, grantee],
    end: 'setApprovalForAll(address,bool)',
    endWith: ({ grantee }) => [grantee, false],
  },
  erc6909Allowance: {
    events: [
      {
        event: 'Approval(address,address,uint256,uint256)',
        owner: 1,
        grantee: 2,
        subject: 3,
        topics: 4,
        value: 'last',
      },
    ],
    read: 'allowance(address,address,uint256) view returns (uint256)',
    readWith: ({ grantee, subject }, owner) => [owner, grantee, subject],
    end: 'approve(address,uint256,uint256)',
    endWith: ({ grantee, subject }) => [grantee, subject, 0n],
  },
  erc6909Operator: {
    events: [{ ...plain, event: 'OperatorSet(address,address,bool)' }],
    read: 'isOperator(address,address) view returns (bool)',
    readWith: ({ grantee }, owner) => [owner, grantee],
    end: 'setOperator(address,bool)',
    endWith: ({ grantee }) => [grantee, false],
  },
  erc777Operator: {
    events: [
      { event: 'AuthorizedOperator(address,address)', owner: 2, grantee: 1, topics: 3, value: 1n },
      { event: 'RevokedOperator(address,address)', owner: 2, grantee: 1, topics: 3, value: 0n },
    ],
    read: 'isOperatorFor(address,address) view returns (bool)',
    readWith: ({ grantee }, owner) => [grantee, owner],
    end: 'revokeOperator(address)',
    endWith: ({ grantee }) => [grantee],
  },
  /** The right of a relayer of the vault of Balancer V2. */
  balancerRelayer: {
    events: [
      {
        event: 'RelayerApprovalChanged(address,address,bool)',
        owner: 2,
        grantee: 1,
        topics: 3,
        value: 'last',
      },
    ],
    read: 'hasApprovedRelayer(address,address) view returns (bool)',
    readWith: ({ grantee }, owner) => [owner, grantee],
    end: 'setRelayerApproval(address,address,bool)',
    endWith: ({ grantee }, owner) => [owner, grantee, false],
  },
  /** The right to borrow from Aave on a debt token; its second version does not index the asset. */
  creditDelegation: {
    events: [
      { ...plain, event: 'BorrowAllowanceDelegated(address,address,address,uint256)' },
      { ...plain, event: 'BorrowAllowanceDelegated(address,address,address,uint256)', topics: 4 },
    ],
    read: 'borrowAllowance(address,address) view returns (uint256)',
    readWith: ({ grantee }, owner) => [owner, grantee],
    end: 'approveDelegation(address,uint256)',
    endWith: ({ grantee }) => [grantee, 0n],
  },
  permit2Allowance: {
    events: [
      { ...byPermit2, event: 'Approval(address,address,address,uint160,uint48)' },
      { ...byPermit2, event: 'Permit(address,address,address,uint160,uint48,uint48)' },
    ],
    read: 'allowance(address,address,address) view returns (uint160,uint48,uint48)',
    readWith: ({ grantee, subject }, owner) => [owner, tokenOf(subject), grantee],
    decode: ([amount, expiration], _, now) => (Number(expiration) < now ? 0n : BigInt(String(amount))),
    end: 'approve(address,address,uint160,uint48)',
    endWith: ({ grantee, subject }) => [tokenOf(subject), grantee, 0n, 0n],
  },
  /** The right that Morpho grants. */
  morphoAuthorization: {
    events: [
      {
        event: 'SetAuthorization(address,address,address,bool)',
        owner: 2,
        grantee: 3,
        topics: 4,
        value: 'last',
      },
    ],
    read: 'isAuthorized(address,address) view returns (bool)',
    readWith: ({ grantee }, owner) => [owner, grantee],
    end: 'setAuthorization(address,bool)',
    endWith: ({ grantee }) => [grantee, false],
  },
  /** The right of a manager of Compound III. Its early versions log nothing. */
  compoundManager: {
    events: [],
    read: 'isAllowed(address,address) view returns (bool)',
    readWith: ({ grantee }, owner) => [owner, grantee],
    end: 'allow(address,bool)',
    endWith: ({ grantee }) => [grantee, false],
  },
} satisfies Record<string, RightRules>

export type RightKind = keyof typeof kinds

const rulesOf: Readonly<Record<RightKind, RightRules>> = kinds
const rightKinds = Object.keys(kinds) as RightKind[]
const subjectless = rightKinds.filter((kind) => rulesOf[kind].events.every(({ subject }) => !subject))

/** Each right without a subject that the contract may keep for the grantee. */
export function rightsFor(contract: Address, grantee: Address): Right[] {
  return subjectless.map((kind) => ({ kind, contract, grantee, subject: null }))
}

interface KnownEvent extends RightEvent {
  kind: RightKind
  id: Bytes32
}

const events: readonly KnownEvent[] = rightKinds.flatMap((kind) =>
  rulesOf[kind].events.map((event) => ({ ...event, kind, id: keccakText(event.event) })),
)

/** The ids of the events, by the topic that names the owner of the right. */
export const rightEvents: ReadonlyMap<number, readonly Bytes32[]> = new Map(
  ([1, 2] as const).map((topic) => [
    topic,
    [...new Set(events.filter(({ owner }) => owner === topic).map(({ id }) => id))],
  ]),
)

/**
 * The right that the owner granted or revoked according to a log; undefined for any other log. Without the
 * data of its event it counts as granted.
 */
export function parseRight(
  { contract, topics, data }: { contract: Address; topics: readonly Bytes32[]; data: Hex },
  owner: Address,
): LoggedRight | undefined {
  const event = events.find(({ id, topics: count }) => id === topics[0] && count === topics.length)
  if (!event || accountIn(topics[event.owner]) !== owner) return undefined
  const grantee = accountIn(topics[event.grantee])
  const subject = event.subject ? (topics[event.subject] ?? null) : null
  if (!grantee || grantee === zeroAddress) return undefined
  return { kind: event.kind, contract, grantee, subject, value: valueIn(data, event.value) }
}

function valueIn(data: Hex, place: RightEvent['value']): bigint {
  if (typeof place === 'bigint') return place
  const words = data.slice(2).match(/.{64}/g) ?? []
  const found = place === 'first' ? words[0] : words.at(-1)
  return found === undefined ? 1n : BigInt(`0x${found}`)
}

function accountIn(word: Bytes32 | undefined): Address | undefined {
  return word?.startsWith(`0x${'00'.repeat(12)}`) ? address(`0x${word.slice(26)}`) : undefined
}

const tokenOf = (subject: Bytes32 | null) => address(`0x${(subject ?? '').slice(-40)}`)

/** An address as a topic, and as the subject of a right. */
export const addressWord = (account: Address) => `0x${word(account)}` as Bytes32

const abis = new Map(
  rightKinds.map((kind) => {
    const { read, end } = rulesOf[kind]
    return [kind, new Interface([`function ${read}`, `function ${end}`])]
  }),
)

const nameOf = (signature: string) => signature.slice(0, signature.indexOf('('))

function abiOf(kind: RightKind): Interface {
  const abi = abis.get(kind)
  if (!abi) throw new TypeError(`no right: ${kind}`)
  return abi
}

/** The calldata of the view of `contract` that proves the right. */
export function readCall(right: Right, owner: Address): Hex {
  const { read, readWith } = rulesOf[right.kind]
  return abiOf(right.kind).encodeFunctionData(nameOf(read), readWith(right, owner)) as Hex
}

/**
 * The value of the right from the return data of the view, at `now` in Unix seconds; 0 if no such view
 * returns this data.
 */
export function readValue(right: Right, returned: Hex, now: number): bigint {
  const { read, decode = ([value]) => BigInt(value as bigint | boolean) } = rulesOf[right.kind]
  try {
    return decode([...abiOf(right.kind).decodeFunctionResult(nameOf(read), returned)], right, now)
  } catch {
    return 0n
  }
}

/** The call by the owner that ends the right. */
export function endCall(right: Right, owner: Address): Interaction {
  const { end, endWith } = rulesOf[right.kind]
  const callData = abiOf(right.kind).encodeFunctionData(nameOf(end), endWith(right, owner)) as Hex
  return { target: right.contract, value: 0n, callData }
}

/** The value from which an allowance counts as unlimited. */
const unlimited = 2n ** 96n

/** Formats a right as one line for people. */
export function rightText({ kind, contract, grantee, subject, value }: LoggedRight): string {
  const amount = value >= unlimited ? 'unlimited' : String(value)
  return [kind, `of ${contract}`, `for ${grantee}`, ...(subject ? [`on ${subject}`] : []), amount].join(' ')
}

/**
 * The selectors of calls that give another account a lasting right to the settlement contract's tokens.
 * Engines name allowances instead, which end with the settlement: `approve`, `increaseAllowance`,
 * `increaseApproval`, `approveAndCall` of two kinds, `authorizeOperator`, `setApprovalForAll`, `approve` of
 * Permit2, `setPreSignature`.
 */
export const selectorsOfRights: ReadonlySet<string> = new Set([
  '0x095ea7b3',
  '0x39509351',
  '0xd73dd623',
  '0xcae9ca51',
  '0x3177029f',
  '0x959b8c3f',
  '0xa22cb465',
  '0x87517c45',
  '0xec6cb13f',
])
