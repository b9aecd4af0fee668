import {
  address,
  bytes32,
  decimal,
  derived,
  described,
  flag,
  oneOf,
  text,
  token,
  uint32,
  uint256,
  type ValueOf,
} from '../described.ts'
import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import {
  type BuyTokenDestination,
  type OrderData,
  type OrderKind,
  type OrderQuote,
  orderTexts,
  type QuoteCalls,
  type SellTokenSource,
  type SigningScheme,
} from '../order/order.ts'
import type { QuoteRoute } from './route.ts'

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

export const quotedOrder = described(
  'QuotedOrder',
  'Order parameters at the quoted price, after the protocol’s volume fee, before partner fees and the trader’s own slippage.',
  {
    sellToken: token(orderTexts.sellToken),
    buyToken: token(orderTexts.buyToken),
    receiver: address.orNull('Recipient of the buy tokens, as requested; null means the owner.'),
    sellAmount: uint256('The sell amount, in atoms, without feeAmount; for a buy order with the volume fee.'),
    buyAmount: uint256('The buy amount, in atoms; for a sell order after the volume fee.'),
    feeAmount: uint256(
      'Cost of the settlement in sell token atoms. If it is less than one of them it is 0 here, and the amounts include the cost in buy token atoms.',
    ),
    gasAmount: uint256('Gas units.'),
    gasPrice: uint256(orderTexts.gasPrice),
    sellTokenPrice: decimal(orderTexts.sellTokenPrice),
    validTo: uint32(orderTexts.validTo),
    appData: text('The appData of the request.'),
    appDataHash: bytes32('The hash that is signed.'),
    kind: oneOf<OrderKind>('OrderKind')(orderTexts.kind),
    partiallyFillable: derived(flag(orderTexts.neverPartial), () => false),
    sellTokenBalance: oneOf<SellTokenSource>('SellTokenSource')(orderTexts.sellTokenBalance),
    buyTokenBalance: oneOf<BuyTokenDestination>('BuyTokenDestination')(orderTexts.buyTokenBalance),
    signingScheme: oneOf<SigningScheme>('SigningScheme')('The scheme with which the owner will sign.'),
  },
)
type QuotedOrder = ValueOf<typeof quotedOrder>

/** The terms that a response repeats from its request, and values derived from it. */
export interface QuoteTerms
  extends Pick<
    QuotedOrder,
    | 'receiver'
    | 'validTo'
    | 'appData'
    | 'appDataHash'
    | 'sellTokenBalance'
    | 'buyTokenBalance'
    | 'signingScheme'
  > {
  from: Address
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
export interface Quote extends Omit<QuotedOrder, keyof QuoteTerms> {
  chainId: number
  /** The id; null for a fast quote, which is not stored. */
  id: bigint | null
  quoteKind: QuoteKind
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
  route: QuoteRoute | null
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
