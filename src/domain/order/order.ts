import type { Address } from '../evm/address.ts'
import type { Bytes32, Hex } from '../evm/hex.ts'
import type { OrderUid } from './uid.ts'

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

/** Why an order that was placed on chain can never be traded. The values are part of the API. */
export const placementErrors = ['QuoteNotFound', 'ValidToTooFarInFuture', 'PreValidationError'] as const
export type PlacementError = (typeof placementErrors)[number]

/** The twelve signed members. `receiver` null is signed as the zero address and means the owner. */
export interface OrderData {
  sellToken: Address
  buyToken: Address
  receiver: Address | null
  sellAmount: bigint
  buyAmount: bigint
  /** Unix seconds, uint32. */
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

/** Progress of an order. Columns of the order's row, written in the same transaction as the fact that changes them. */
export interface OrderProgress {
  /** Σ trade.sellAmount, signed fee included. */
  executedSellAmount: bigint
  executedBuyAmount: bigint
  /** Σ signed fee; 0 for zero-fee orders. */
  executedFeeAmount: bigint
  /** Σ fee actually taken (network and protocol), in `executedFeeToken`. */
  executedFee: bigint
  executedFeeToken: Address
  /** Cancelled through the service, or replaced. */
  cancelledAt: Date | null
  /** An OrderInvalidated log of the settlement contract. */
  invalidatedOnChain: boolean
  /** The newest PreSignature log says signed. */
  presigned: boolean
  /** Unix seconds. Differs from `validTo` only for orders placed by a contract for a user. */
  effectiveValidTo: number
}

/** The calls of a settlement at the quoted price. Secret while the order is open: they would help to front-run it. */
export interface QuoteCalls {
  /** Before the order's own pre hooks. */
  preInteractions: readonly Interaction[]
  interactions: readonly Interaction[]
}

/** The quote that is stored with an order. */
export interface OrderQuote {
  gasAmount: bigint
  gasPrice: bigint
  /** Native atoms for one sell token atom, a decimal string. */
  sellTokenPrice: string
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
  solver: Address
  verified: boolean
}

export interface Order extends OrderData, OrderProgress {
  /** Primary key for joins; never sent to clients. */
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
  /** From appData: in no auction before this time. Unix seconds. */
  validFrom: number | null
  interactions: Interactions
  quote: OrderQuote | null
  /** Who placed the order on chain, where a contract owns it; null for orders placed through the service. */
  onchainUser: Address | null
  placementError: PlacementError | null
  /** The same in words. */
  placementDetail: string | null
}

/** Whom an order concerns: its owner, or the user of an order that a contract owns. */
export function accountOf({ owner, onchainUser }: Pick<Order, 'owner' | 'onchainUser'>): Address {
  return onchainUser ?? owner
}

/** An order that passed every check, before it is stored. */
export type NewOrder = Omit<Order, 'id' | 'quote' | keyof OrderProgress> & {
  effectiveValidTo: number
  quote: NewOrderQuote | null
}

/** Calls are stored with the quote, but orders are read without them: they are large, and secret to most clients. */
export type NewOrderQuote = OrderQuote & { calls?: QuoteCalls | null }

export function isInvalidated(order: Pick<OrderProgress, 'cancelledAt' | 'invalidatedOnChain'>): boolean {
  return order.cancelledAt !== null || order.invalidatedOnChain
}

/** Sold so far without the signed fee; comparable with the signed sell amount. */
export function executedSellBeforeFees(
  order: Pick<OrderProgress, 'executedSellAmount' | 'executedFeeAmount'>,
): bigint {
  return order.executedSellAmount - order.executedFeeAmount
}

/** Atoms of the fixed side that are filled: sell atoms of a sell order, buy atoms of a buy order. */
export function filledAmount(
  order: Pick<Order, 'kind' | 'executedBuyAmount' | 'executedSellAmount' | 'executedFeeAmount'>,
): bigint {
  return order.kind === 'sell' ? executedSellBeforeFees(order) : order.executedBuyAmount
}

/** Pre hooks run before an order's first fill only. */
export function duePreInteractions(
  order: Pick<Order, 'interactions'> & Parameters<typeof filledAmount>[0],
): Interaction[] {
  const { pre } = order.interactions
  return pre.length === 0 || filledAmount(order) === 0n ? pre : []
}
