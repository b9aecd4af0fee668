import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type {
  BuyTokenDestination,
  OrderData,
  OrderKind,
  OrderQuote,
  QuoteCalls,
  SellTokenSource,
  SigningScheme,
} from '../order/order.ts'

export const priceQualities = ['fast', 'optimal', 'verified'] as const
export type PriceQuality = (typeof priceQualities)[number]

/** One of the three forms of a quote's size. */
export type QuoteSize =
  | { form: 'sellAmountBeforeFee'; amount: bigint }
  | { form: 'sellAmountAfterFee'; amount: bigint }
  | { form: 'buyAmountAfterFee'; amount: bigint }

export interface QuoteRequest {
  kind: OrderKind
  size: QuoteSize
  sellToken: Address
  buyToken: Address
  from: Address
  receiver: Address | null
  /** The absolute or relative expiry; without one it is 30 minutes from now. */
  expiry: { validTo: number } | { validFor: number }
  /** The document or hash as the client sent it; the answer repeats it. */
  appData: string
  appDataHash: Bytes32
  /** The document, if the client sent one. */
  appDataDocument: string | null
  sellTokenBalance: SellTokenSource
  buyTokenBalance: BuyTokenDestination
  priceQuality: PriceQuality
  signingScheme: SigningScheme
  onchainOrder: boolean
  verificationGasLimit: bigint
  timeoutMs: number
}

/** The terms that a response repeats from its request, and values derived from it. */
export interface QuoteTerms
  extends Pick<
    QuoteRequest,
    'from' | 'receiver' | 'appData' | 'appDataHash' | 'sellTokenBalance' | 'buyTokenBalance' | 'signingScheme'
  > {
  /** The expiry in Unix seconds. */
  validTo: number
  /** The protocol's volume fees, in parts per million, taken one after the other. */
  volumeFees: readonly bigint[]
  /** The partners' volume fees from appData in parts per million, taken after the protocol's. */
  partnerFees: readonly bigint[]
}

/** The kinds of orders that a stored quote may serve. */
export const quoteKinds = ['standard', 'eip1271onchainorder', 'presignonchainorder'] as const
export type QuoteKind = (typeof quoteKinds)[number]

/**
 * The amounts that an order of the request would trade, before the trader's slippage and before volume fees.
 */
export interface Quote {
  chainId: number
  /** The id; null for a fast quote, which is not stored. */
  id: bigint | null
  kind: OrderKind
  quoteKind: QuoteKind
  sellToken: Address
  buyToken: Address
  sellAmount: bigint
  buyAmount: bigint
  feeAmount: bigint
  gasAmount: bigint
  /** Wei for one unit of gas. */
  gasPrice: bigint
  /** The native atoms for one sell token atom, a decimal string. */
  sellTokenPrice: string
  /** The time after which the offered fee may be refused; the epoch for a fast quote. */
  expiration: Date
  solver: Address
  verified: boolean
  /** The calls; null if the estimator returned none. */
  calls: QuoteCalls | null
}

/** The whole reply to a client. The amounts of `quote` are before volume fees. */
export interface QuoteReply {
  quote: Quote
  terms: QuoteTerms
  /** The route through the pools; null for a price from an outside estimator. */
  route: QuoteRoute | null
}

/** The route behind a quote's amounts. */
export interface QuoteRoute {
  /** The block whose pools were used. */
  block: number
  paths: QuotePath[]
}

export interface QuotePath {
  amountIn: bigint
  amountOut: bigint
  hops: QuoteHop[]
}

export interface QuoteHop {
  pool: Address
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  amountOut: bigint
  /** The reserves of the pool before the trade. */
  reserveIn: bigint
  reserveOut: bigint
}

type Limits = Pick<OrderData, 'kind' | 'sellAmount' | 'buyAmount'>

/**
 * Reports whether an order demands a better price than its quote after the fee. Products are compared, so
 * only the fee in buy atoms of a sell order is rounded (down). `storage/order/orders.ts` has the same
 * rule in SQL.
 */
export function isOutOfMarket(
  order: Limits,
  quote: Pick<Quote, 'sellAmount' | 'buyAmount' | 'feeAmount'>,
): boolean {
  if (order.kind === 'buy')
    return order.sellAmount * quote.buyAmount < (quote.sellAmount + quote.feeAmount) * order.buyAmount
  const buyAmountAfterFee = quote.buyAmount - (quote.feeAmount * quote.buyAmount) / quote.sellAmount
  return order.sellAmount * buyAmountAfterFee < quote.sellAmount * order.buyAmount
}

/**
 * Reports whether an order's stored quote meets its limit. An order without a quote, or with an empty one, is
 * out of market.
 */
export function isInMarket(
  order: Limits & { quote: Pick<OrderQuote, 'sellAmount' | 'buyAmount' | 'feeAmount'> | null },
): boolean {
  const { quote } = order
  return quote !== null && quote.sellAmount > 0n && quote.buyAmount > 0n && !isOutOfMarket(order, quote)
}
