import { AbiCoder, Interface, ParamType, type Result } from 'ethers'
import {
  type EncodedWords,
  encodeBytes,
  encodeList,
  encodeTuple,
  type TupleMember,
  word,
} from '../../domain/evm/abi.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexSize } from '../../domain/evm/hex.ts'
import type {
  BuyTokenDestination,
  Interaction,
  Order,
  OrderData,
  SellTokenSource,
  SigningScheme,
} from '../../domain/order/order.ts'

const trade = [
  'uint256 sellTokenIndex',
  'uint256 buyTokenIndex',
  'address receiver',
  'uint256 sellAmount',
  'uint256 buyAmount',
  'uint32 validTo',
  'bytes32 appData',
  'uint256 feeAmount',
  'uint256 flags',
  'uint256 executedAmount',
  'bytes signature',
].join(', ')

/** The functions and events of the settlement contract that the service uses. */
export const settlementAbi = new Interface([
  `function settle(address[] tokens, uint256[] clearingPrices, (${trade})[] trades, (address target, uint256 value, bytes callData)[][3] interactions)`,
  'function setPreSignature(bytes orderUid, bool signed)',
  'function invalidateOrder(bytes orderUid)',
  'function filledAmount(bytes orderUid) view returns (uint256)',
  'function preSignature(bytes orderUid) view returns (uint256)',
  'function domainSeparator() view returns (bytes32)',
  'function vaultRelayer() view returns (address)',
  'event Trade(address indexed owner, address sellToken, address buyToken, uint256 sellAmount, uint256 buyAmount, uint256 feeAmount, bytes orderUid)',
  'event Settlement(address indexed solver)',
  'event OrderInvalidated(address indexed owner, bytes orderUid)',
  'event PreSignature(address indexed owner, bytes orderUid, bool signed)',
])

/** The terms that the settlement contract packs into the flags word of a trade. */
type FlaggedTerms = Pick<OrderData, 'kind' | 'partiallyFillable' | 'sellTokenBalance' | 'buyTokenBalance'> & {
  signingScheme: SigningScheme
}

// Indexed by the value of the bits. The contract reads both 0 and 1 as `erc20`; `toFlags` writes 0, as other
// clients do.
const sources: readonly SellTokenSource[] = ['erc20', 'erc20', 'external', 'internal']
const destinations: readonly BuyTokenDestination[] = ['erc20', 'internal']
const schemes: readonly SigningScheme[] = ['eip712', 'ethsign', 'eip1271', 'presign']

/** Packs the terms: bit 0 buy, 1 partially fillable, 2–3 sell balance, 4 buy balance, 5–6 signing scheme. */
function toFlags(terms: FlaggedTerms): bigint {
  return BigInt(
    (terms.kind === 'buy' ? 1 : 0) |
      (terms.partiallyFillable ? 1 << 1 : 0) |
      (sources.indexOf(terms.sellTokenBalance) << 2) |
      (destinations.indexOf(terms.buyTokenBalance) << 4) |
      (schemes.indexOf(terms.signingScheme) << 5),
  )
}

/** Parses the flags; undefined if a bit is set that the contract refuses. */
export function parseFlags(flags: bigint): FlaggedTerms | undefined {
  if (flags >> 7n) return undefined
  const bits = Number(flags)
  const sellTokenBalance = sources[(bits >> 2) & 3]
  const buyTokenBalance = destinations[(bits >> 4) & 1]
  const signingScheme = schemes[(bits >> 5) & 3]
  if (!sellTokenBalance || !buyTokenBalance || !signingScheme) return undefined
  return {
    kind: bits & 1 ? 'buy' : 'sell',
    partiallyFillable: Boolean(bits & 2),
    sellTokenBalance,
    buyTokenBalance,
    signingScheme,
  }
}

/** Indices into the settlement's tokens and clearing prices. */
export interface TokenIndices {
  sell: number
  buy: number
}

/** A trade in the form of the settlement contract. */
interface EncodedTrade {
  sellTokenIndex: number
  buyTokenIndex: number
  receiver: Address
  sellAmount: bigint
  buyAmount: bigint
  validTo: number
  appData: Bytes32
  feeAmount: bigint
  flags: bigint
  executedAmount: bigint
  signature: Hex
}

export interface Settlement {
  tokens: readonly Address[]
  /** The prices, one for each token: sold · price(sell token) = bought · price(buy token). */
  clearingPrices: readonly bigint[]
  trades: readonly EncodedTrade[]
  /**
   * The interactions before the sell tokens are taken in, before the buy tokens are paid out, and after that.
   */
  interactions: readonly [
    pre: readonly Interaction[],
    intra: readonly Interaction[],
    post: readonly Interaction[],
  ]
  auctionId: bigint
}

export type SettledOrder = Pick<Order, keyof OrderData | 'owner' | 'signingScheme' | 'signature'>

const auctionIdBytes = 8
const selectorBytes = 4
/** The selector of `settle`. */
export const settleSelector: Hex = '0x13d79a0b'

/**
 * The calldata of `settle`, followed by the auction id as 8 bytes, big-endian. The contract ignores it;
 * indexers read it.
 */
export function encodeSettle({ tokens, clearingPrices, trades, interactions, auctionId }: Settlement): Hex {
  const args = encodeTuple([
    { dynamic: encodeList(tokens.map(word)) },
    { dynamic: encodeList(clearingPrices.map(word)) },
    { dynamic: encodeList(trades.map((trade) => ({ dynamic: encodeTradeWords(trade) }))) },
    { dynamic: encodeTuple(interactions.map((calls) => ({ dynamic: encodeList(calls.map(encodeCall)) }))) },
  ])
  return `${settleSelector}${args}${auctionId.toString(16).padStart(auctionIdBytes * 2, '0')}`
}

function encodeTradeWords(trade: EncodedTrade): EncodedWords {
  return encodeTuple([
    word(BigInt(trade.sellTokenIndex)),
    word(BigInt(trade.buyTokenIndex)),
    word(trade.receiver),
    word(trade.sellAmount),
    word(trade.buyAmount),
    word(BigInt(trade.validTo)),
    trade.appData.slice(2),
    word(trade.feeAmount),
    word(trade.flags),
    word(trade.executedAmount),
    { dynamic: encodeBytes(trade.signature) },
  ])
}

function encodeCall({ target, value, callData }: Interaction): TupleMember {
  return { dynamic: encodeTuple([word(target), word(value), { dynamic: encodeBytes(callData) }]) }
}

/**
 * Encodes a trade. `executedAmount` counts only for partially fillable orders: sell atoms of a sell order,
 * buy atoms of a buy order.
 */
export function encodeTrade(
  order: SettledOrder,
  indices: TokenIndices,
  executedAmount: bigint,
): EncodedTrade {
  return {
    sellTokenIndex: indices.sell,
    buyTokenIndex: indices.buy,
    receiver: order.receiver ?? zeroAddress,
    sellAmount: order.sellAmount,
    buyAmount: order.buyAmount,
    validTo: order.validTo,
    appData: order.appData,
    feeAmount: order.feeAmount,
    flags: toFlags(order),
    executedAmount,
    signature: encodeSignature(order),
  }
}

function encodeSignature({ signingScheme, signature, owner }: SettledOrder): Hex {
  if (signingScheme === 'presign') return owner
  if (signingScheme === 'eip1271') return `${owner}${signature.slice(2)}` as Hex
  if (hexSize(signature) !== 65) throw new TypeError(`not a signature of 65 bytes: ${signature}`)
  return signature
}

/** A trade decoded from calldata. */
export interface SettledTrade {
  order: OrderData
  indices: TokenIndices
  signingScheme: SigningScheme
  /** The signature as placed with the order, without the leading owner; `0x` for presign. */
  signature: Hex
  /** The owner; null for the ECDSA schemes, whose owner is recovered from the signature. */
  owner: Address | null
  executedAmount: bigint
}

export interface DecodedSettlement {
  /** The number of the auction that the call claims to settle; null if it does not end with one. */
  auctionId: bigint | null
  tokens: Address[]
  clearingPrices: bigint[]
  trades: SettledTrade[]
}

/** The arguments of `settle` before the interactions, which may be far longer. */
const settledTypes = ['address[]', 'uint256[]', `(${trade})[]`].map((type) => ParamType.from(type))

/** Decodes a call. @returns undefined if it is not a `settle` call, or one that the contract would refuse */
export function decodeSettle(calldata: Hex): DecodedSettlement | undefined {
  if (!calldata.startsWith(settleSelector)) return undefined
  try {
    const args = AbiCoder.defaultAbiCoder().decode(settledTypes, `0x${calldata.slice(settleSelector.length)}`)
    const [tokenList, priceList, tradeList] = args
    const tokens = Array.from(tokenList as Iterable<string>, address)
    const trades = Array.from(tradeList as Iterable<Result>, (trade) => decodeTrade(trade, tokens))
    return {
      auctionId: trailingAuctionId(calldata),
      tokens,
      clearingPrices: Array.from(priceList as Iterable<bigint>),
      trades,
    }
  } catch {
    return undefined
  }
}

/**
 * The auction id: the last 8 bytes of calldata. Arguments are words of 32 bytes, so that calldata of whole
 * words has none.
 */
function trailingAuctionId(calldata: Hex): bigint | null {
  const isAligned = (hexSize(calldata) - selectorBytes) % 32 === 0
  return isAligned ? null : BigInt(`0x${calldata.slice(-auctionIdBytes * 2)}`)
}

function decodeTrade(trade: Result, tokens: readonly Address[]): SettledTrade {
  const indices = { sell: Number(trade.sellTokenIndex), buy: Number(trade.buyTokenIndex) }
  const sellToken = tokens[indices.sell]
  const buyToken = tokens[indices.buy]
  const terms = parseFlags(trade.flags)
  if (!sellToken || !buyToken || !terms) throw new RangeError('a trade that the contract refuses')
  const { signingScheme, ...flags } = terms
  const receiver = address(trade.receiver)
  return {
    order: {
      ...flags,
      sellToken,
      buyToken,
      receiver: receiver === zeroAddress ? null : receiver,
      sellAmount: trade.sellAmount,
      buyAmount: trade.buyAmount,
      validTo: Number(trade.validTo),
      appData: trade.appData,
      feeAmount: trade.feeAmount,
    },
    indices,
    signingScheme,
    ...decodeSignature(signingScheme, trade.signature),
    executedAmount: trade.executedAmount,
  }
}

function decodeSignature(scheme: SigningScheme, encoded: Hex): Pick<SettledTrade, 'owner' | 'signature'> {
  if (scheme === 'eip712' || scheme === 'ethsign') return { owner: null, signature: encoded }
  return { owner: address(encoded.slice(0, 42)), signature: `0x${encoded.slice(42)}` }
}

/** A settlement that was encoded elsewhere, with its calls. */
export interface ForeignSettlement extends DecodedSettlement {
  interactions: readonly [pre: Interaction[], intra: Interaction[], post: Interaction[]]
}

/**
 * The maximum number of items in a list. Lists may overlap in the calldata, so their lengths are read first:
 * decoding must cost no more than a settlement can need.
 */
const maxItems = 300

/**
 * Decodes a settlement.
 * @returns undefined if it is not a `settle` call, one that the contract would refuse, or longer than any
 *   settlement
 */
export function decodeForeign(calldata: Hex): ForeignSettlement | undefined {
  const lengths = listLengths(calldata)
  if (!lengths?.every((length) => length <= maxItems)) return undefined
  const settlement = decodeSettle(calldata)
  const stages = settlement && decodeStages(calldata)
  return settlement && stages && { ...settlement, interactions: stages }
}

function decodeStages(calldata: Hex): ForeignSettlement['interactions'] | undefined {
  try {
    const [, , , stages] = settlementAbi.decodeFunctionData('settle', calldata) as Result
    const [pre = [], intra = [], post = []] = Array.from(stages as Iterable<Result>, toInteractions)
    return [pre, intra, post]
  } catch {
    return undefined
  }
}

function toInteractions(stage: Result): Interaction[] {
  return Array.from(stage as Iterable<Result>, ({ target, value, callData }) => ({
    target: address(target),
    value,
    callData: callData.toLowerCase(),
  }))
}

/** The lengths of tokens, prices, trades and the three lists of interactions. */
function listLengths(calldata: Hex): number[] | undefined {
  const wordAt = (byte: number): number => {
    const start = 10 + byte * 2
    const digits = calldata.slice(start, start + 64)
    return digits.length === 64 && /^0{56}/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
  }
  const lists = [0, 32, 64].map(wordAt)
  const stages = wordAt(96)
  const inner = [0, 32, 64].map((offset) => stages + wordAt(stages + offset))
  const lengths = [...lists, ...inner].map(wordAt)
  return lengths.some(Number.isNaN) ? undefined : lengths
}
