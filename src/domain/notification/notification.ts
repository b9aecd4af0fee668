import { formatUnits } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { CancellationSource } from '../order/event.ts'
import { filledAmount, type Order, type OrderData, type OrderUid } from '../order/order.ts'
import type { Comparison, ImprovementReference } from '../order/surplus.ts'
import { failureText, type HookOutcome, type HookResult } from '../settlement/hooks.ts'
import { grouped, readableDown, readableUp } from '../text/readable.ts'
import type { Token } from '../token/token.ts'

/** The types that the REST interface lists. Its clients may not know others. */
export const publishedTypes = [
  'order_filled',
  'order_partially_filled',
  'order_expired',
  'order_cancelled',
  'insufficient_balance',
  'price_improvement',
] as const

type PublishedType = (typeof publishedTypes)[number]

export const notificationTypes = [
  ...publishedTypes,
  'post_hook_failed',
  'part_filled',
  'part_failed',
  'programmatic_finished',
  'programmatic_cancelled',
] as const
export type NotificationType = (typeof notificationTypes)[number]

/** The type as which the REST interface shows each; null for those that it leaves out. */
export const publishedAs: Record<NotificationType, PublishedType | null> = {
  order_filled: 'order_filled',
  order_partially_filled: 'order_partially_filled',
  order_expired: 'order_expired',
  order_cancelled: 'order_cancelled',
  insufficient_balance: 'insufficient_balance',
  price_improvement: 'price_improvement',
  post_hook_failed: null,
  part_filled: 'order_filled',
  part_failed: 'order_expired',
  programmatic_finished: null,
  programmatic_cancelled: null,
}

/**
 * The JSON metadata as clients see it. Amounts are decimal strings. Code that reads or documents it names
 * each member.
 */
export interface NotificationMetadata {
  /** The order. A programmatic order as a whole has its hash, its owner and zeros: no order has this UID. */
  orderId: OrderUid
  chainId: number
  executedAmount?: string
  txHash?: string
  /** True if the trade of a price improvement completed the order. */
  isFilled?: boolean
  validTo?: number
  /** The cause of the cancellation. */
  source?: CancellationSource
  replacedBy?: OrderUid
  reason?: string
  /** The token of the amounts that follow. */
  token?: Address
  /** The atoms that the account lacks. */
  missingBalance?: string
  /** The atoms by which the vault relayer's allowance is too small. */
  missingAllowance?: string
  reference?: ImprovementReference
  /** The amount that the trade would have given, or taken, at the reference. */
  referenceAmount?: string
  improvementAmount?: string
  /** The improvement as a decimal fraction of `referenceAmount`. */
  improvementShare?: string
  /**
   * The amount that the trade would have given, or taken, at the price of the order's quote; absent without a
   * quote.
   */
  quotedAmount?: string
  /** The atoms by which the trade is better than `quotedAmount`; negative if it is worse. */
  quoteImprovementAmount?: string
  /** The improvement as a decimal fraction of `quotedAmount`. */
  quoteImprovementShare?: string
  /** The contract that a failed hook calls. */
  target?: Address
  /** The outcome of the failed hook. */
  outcome?: HookOutcome
  /** The number of hooks that failed with the same trade. */
  failedHooks?: number
  /** The owner of the programmatic order whose part this is about, or that this is about. */
  programmaticOwner?: Address
  programmaticHash?: Bytes32
  /** The number of the part, from 0; of several that failed, the first. */
  partIndex?: number
  /** The number of parts in all. */
  partCount?: number
  /** False for parts that ended without an order in the book. */
  wasPlaced?: boolean
  /** The number of parts that failed together. */
  failedParts?: number
  /** The number of parts that were filled until then. */
  filledParts?: number
  executedSellAmount?: string
  executedBuyAmount?: string
  /** The first block at which the contract did not authorise it. */
  removedBlock?: number
  /** True after a reorganisation has removed the cause for good. */
  reverted?: boolean
}

export interface Notification {
  id: string
  account: Address
  type: NotificationType
  message: string
  timestamp: Date
  metadata: NotificationMetadata
}

/** Messages for people. Amounts have up to six significant digits; metadata has them exactly. */

/** Both tokens of an order. */
export interface TokenPair {
  sell: Token
  buy: Token
}

type Amounts = Pick<OrderData, 'sellAmount' | 'buyAmount'>

/** Formats a trade: "0.5 WETH for 1,493.97 USDC". */
export function tradeText({ sellAmount, buyAmount }: Amounts, { sell, buy }: TokenPair): string {
  return `${readableDown(sellAmount, sell)} for ${readableDown(buyAmount, buy)}`
}

/** Formats an order: "sell 0.5 WETH for at least 1,480 USDC", with its filled part. */
export function orderText(order: Order, { sell, buy }: TokenPair): string {
  const [sold, bought] = [readableDown(order.sellAmount, sell), readableDown(order.buyAmount, buy)]
  const terms =
    order.kind === 'sell' ? `sell ${sold} for at least ${bought}` : `buy ${bought} for at most ${sold}`
  return filledAmount(order) > 0n ? `${terms}, ${filledPercentDown(order)} % filled` : terms
}

const cancelledText: Record<CancellationSource, string> = {
  api: 'Order cancelled',
  policy: 'Order cancelled by the operator',
  replacement: 'Order replaced by a new one',
  chain: 'Order cancelled on chain',
}

export function cancellationText(source: CancellationSource, order: Order, tokens: TokenPair): string {
  return `${cancelledText[source]}: ${orderText(order, tokens)}`
}

/** The missing sell atoms. At least one of the two is not 0. */
export interface Shortage {
  balance: bigint
  allowance: bigint
}

/** Formats a shortage: "balance too low, 0.5 WETH missing". */
export function missingText({ balance, allowance }: Shortage, { sell }: Pick<TokenPair, 'sell'>): string {
  return [
    ...(balance > 0n ? [`balance too low, ${readableUp(balance, sell)} missing`] : []),
    ...(allowance > 0n ? [`allowance too low, ${readableUp(allowance, sell)} more to be approved`] : []),
  ].join('; ')
}

export function shortageText(shortage: Shortage, order: Order, tokens: TokenPair): string {
  const faults = missingText(shortage, tokens)
  return `${faults.charAt(0).toUpperCase()}${faults.slice(1)}: ${orderText(order, tokens)}`
}

/**
 * Formats an improvement: "better price: 33.2 USDC (2.27 %) more than the limit, 3.2 USDC more than quoted,
 * 0.5 WETH for 1,493.97 USDC"; or "better price: 3.2 USDC (0.21 %) more than quoted, …"; or only amounts.
 * @param reference `none` if none is a price
 * @param compared with the reference
 */
export function improvementText(
  reference: ImprovementReference | 'none',
  compared: Comparison,
  quote: Comparison | undefined,
  order: Pick<OrderData, 'kind'>,
  trade: Amounts,
  tokens: TokenPair,
): string {
  const token = order.kind === 'sell' ? tokens.buy : tokens.sell
  const [better, worse] = order.kind === 'sell' ? ['more', 'less'] : ['less', 'more']
  const gained = ({ amount, share }: Comparison) =>
    `${readableDown(amount, token)} (${grouped(formatUnits(share / 100n, 2))} %) ${better}`
  if (reference === 'none') return `better price than the limit: ${tradeText(trade, tokens)}`
  if (reference === 'quote')
    return `better price: ${gained(compared)} than quoted, ${tradeText(trade, tokens)}`
  const againstQuote = (gain: bigint) => {
    if (gain === 0n) return 'as quoted'
    return gain > 0n
      ? `${readableDown(gain, token)} ${better} than quoted`
      : `${readableUp(-gain, token)} ${worse} than quoted`
  }
  return [
    `better price: ${gained(compared)} than the ${reference}`,
    ...(quote ? [againstQuote(quote.amount)] : []),
    tradeText(trade, tokens),
  ].join(', ')
}

/** Formats failed hooks: "Traded, but the call after the trade failed (out of gas): sell 0.5 WETH …". */
export function failedHooksText(
  { outcome, reason }: Pick<HookResult, 'outcome' | 'reason'>,
  failed: number,
  order: Order,
  tokens: TokenPair,
): string {
  const calls = failed === 1 ? 'a call after the trade failed' : `${failed} calls after the trade failed`
  return `Traded, but ${calls} (${failureText({ outcome, reason })}): ${orderText(order, tokens)}`
}

/** The filled share of the fixed side in whole percent, rounded down: 99.9 % is not 100. */
export function filledPercentDown(order: Order): number {
  const target = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return target === 0n ? 0 : Number((filledAmount(order) * 100n) / target)
}
