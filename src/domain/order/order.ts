import type { Address } from '../evm/address.ts'
import { type Bytes32, type Hex, toHex } from '../evm/hex.ts'

/**
 * An order's UID of 56 bytes: order digest (32), owner (20), validTo as big-endian uint32 (4). It is unique
 * across chains, because the digest holds the chain id.
 */
export type OrderUid = Hex & { readonly orderUid?: never }

export function packOrderUid(digest: Bytes32, owner: Address, validTo: number): OrderUid {
  return `${digest}${owner.slice(2)}${validTo.toString(16).padStart(8, '0')}` as OrderUid
}

export function unpackOrderUid(uid: OrderUid): { digest: Bytes32; owner: Address; validTo: number } {
  return {
    digest: uid.slice(0, 66) as Bytes32,
    owner: `0x${uid.slice(66, 106)}` as Address,
    validTo: Number.parseInt(uid.slice(106), 16),
  }
}

/**
 * Parses a UID with digits of any letter case.
 * @returns undefined if the text is not `0x` and 56 bytes of hex
 */
export function toOrderUid(text: string): OrderUid | undefined {
  return toHex(text, 56)
}

/** Descriptions of members of orders, for all schemas that have them. */
export const orderTexts = {
  sellToken: 'The sell token.',
  buyToken: 'The buy token.',
  receiver: 'Recipient of the buy tokens; null means the owner.',
  validTo: 'Unix seconds.',
  kind: 'The fixed side.',
  partiallyFillable: 'True if a part may be traded.',
  sellTokenBalance: 'The source of the sell tokens.',
  buyTokenBalance: 'The destination of the buy tokens.',
  signingScheme: 'The scheme of the signature.',
  quoteId: 'The quote the order was made from.',
  documentOrHash: 'The document, or its hash.',
  neverPartial: 'Always false.',
  gasPrice: 'Wei for one unit of gas.',
  sellTokenPrice: 'Native atoms for one sell token atom.',
}

export const orderKinds = ['buy', 'sell'] as const
export type OrderKind = (typeof orderKinds)[number]

export const signingSchemes = ['eip712', 'ethsign', 'presign', 'eip1271'] as const
export type SigningScheme = (typeof signingSchemes)[number]

export const sellTokenSources = ['erc20', 'internal', 'external'] as const
export type SellTokenSource = (typeof sellTokenSources)[number]

export const buyTokenDestinations = ['erc20', 'internal'] as const
export type BuyTokenDestination = (typeof buyTokenDestinations)[number]

export const orderClasses = ['market', 'limit', 'liquidity'] as const
export type OrderClass = (typeof orderClasses)[number]

/** Reasons why an order placed on chain can never be traded. The values are part of the API. */
export const placementErrors = ['QuoteNotFound', 'ValidToTooFarInFuture', 'PreValidationError'] as const
export type PlacementError = (typeof placementErrors)[number]

/** The twelve signed members. A `receiver` of null is signed as the zero address and means the owner. */
export interface OrderData {
  sellToken: Address
  buyToken: Address
  receiver: Address | null
  sellAmount: bigint
  buyAmount: bigint
  /** The expiry in Unix seconds, uint32. */
  validTo: number
  appData: Bytes32
  feeAmount: bigint
  kind: OrderKind
  partiallyFillable: boolean
  sellTokenBalance: SellTokenSource
  buyTokenBalance: BuyTokenDestination
}

export interface Interaction {
  target: Address
  value: bigint
  callData: Hex
}

export interface Interactions {
  pre: Interaction[]
  post: Interaction[]
}

/**
 * The progress of an order: columns of its row, written in the same transaction as the fact that changes
 * them.
 */
interface OrderProgress {
  /** Σ trade.sellAmount, signed fee included. */
  executedSellAmount: bigint
  executedBuyAmount: bigint
  /** Σ signed fee; 0 for zero-fee orders. */
  executedFeeAmount: bigint
  /** Σ fee taken (network and protocol), in `executedFeeToken`. */
  executedFee: bigint
  executedFeeToken: Address
  /** The time when the order was cancelled through the service, or replaced. */
  cancelledAt: Date | null
  /** True after an OrderInvalidated log of the settlement contract. */
  invalidatedOnChain: boolean
  /** True if the newest PreSignature log is a signature. */
  presigned: boolean
  /**
   * The expiry in Unix seconds. It differs from `validTo` only for orders that a contract places for a user.
   */
  effectiveValidTo: number
}

/**
 * The calls of a settlement at the quoted price. They are secret while the order is open, because they would
 * help to front-run it.
 */
export interface QuoteCalls {
  /** Calls that run before the order's own pre hooks. */
  preInteractions: readonly Interaction[]
  interactions: readonly Interaction[]
}

/** The quote that is stored with an order. */
export interface OrderQuote {
  gasAmount: bigint
  gasPrice: bigint
  /** A decimal string. */
  sellTokenPrice: string
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
  solver: Address
  verified: boolean
}

export interface Order extends OrderData, OrderProgress {
  /** The primary key for joins; never sent to clients. */
  id: bigint
  chainId: number
  uid: OrderUid
  owner: Address
  settlementContract: Address
  class: OrderClass
  signingScheme: SigningScheme
  signature: Hex
  fullAppData: string | null
  creationDate: Date
  quoteId: bigint | null
  fullBalanceCheck: boolean
  /** The time in Unix seconds, from appData, before which no auction includes the order. */
  validFrom: number | null
  interactions: Interactions
  quote: OrderQuote | null
  /**
   * The user who placed the order on chain through a contract; null for orders placed through the service.
   */
  onchainUser: Address | null
  placementError: PlacementError | null
  /** The placement error as text. */
  placementDetail: string | null
}

/** The account that an order concerns: its owner, or the user of an order that a contract owns. */
export function accountOf({ owner, onchainUser }: Pick<Order, 'owner' | 'onchainUser'>): Address {
  return onchainUser ?? owner
}

/** An order that passed every check, before it is stored. */
export type NewOrder = Omit<Order, 'id' | 'quote' | keyof OrderProgress> & {
  effectiveValidTo: number
  quote: NewOrderQuote | null
}

/**
 * A quote with its calls, which are stored with it. Orders are read without them, because they are large, and
 * secret to most clients.
 */
export type NewOrderQuote = OrderQuote & {
  calls?: QuoteCalls | null
  /** The calls as JSON text, where an order book that the network follows reports them. */
  reportedCalls?: string | null
  /** Gas units and their price with the decimals that it reports. */
  exactGasAmount?: string
  exactGasPrice?: string
}

export function isInvalidated(order: Pick<OrderProgress, 'cancelledAt' | 'invalidatedOnChain'>): boolean {
  return order.cancelledAt !== null || order.invalidatedOnChain
}

/** The amount sold so far without the signed fee; comparable with the signed sell amount. */
export function executedSellBeforeFees(
  order: Pick<OrderProgress, 'executedSellAmount' | 'executedFeeAmount'>,
): bigint {
  return order.executedSellAmount - order.executedFeeAmount
}

/** The filled atoms of the fixed side: sell atoms of a sell order, buy atoms of a buy order. */
export function filledAmount(
  order: Pick<Order, 'kind' | 'executedBuyAmount' | 'executedSellAmount' | 'executedFeeAmount'>,
): bigint {
  return order.kind === 'sell' ? executedSellBeforeFees(order) : order.executedBuyAmount
}

/** The pre hooks that are still due. They run only before an order's first fill. */
export function duePreInteractions(
  order: Pick<Order, 'interactions'> & Parameters<typeof filledAmount>[0],
): Interaction[] {
  const { pre } = order.interactions
  return pre.length === 0 || filledAmount(order) === 0n ? pre : []
}

/** One Trade log of the settlement contract. */
export interface Trade {
  chainId: number
  blockNumber: number
  logIndex: number
  orderUid: OrderUid
  owner: Address
  sellToken: Address
  buyToken: Address
  /** The amount taken from the owner, signed fee included. */
  sellAmount: bigint
  buyAmount: bigint
  /** The signed part of the fee; 0 for zero-fee orders. */
  feeAmount: bigint
  txHash: Bytes32
  /** The auction of the settlement; null if it belongs to no auction of this service. */
  auctionId: bigint | null
}
