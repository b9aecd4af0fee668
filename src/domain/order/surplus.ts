import { formatUnits, mulDivDown, mulDivUp } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import {
  type Fill,
  factorScale,
  type Limits,
  type QuotedPrice,
  quotedAtSize,
  surplusDown,
} from '../fee/policy.ts'
import type { OrderData, Trade } from './order.ts'

/** The token in which surplus is measured: the one whose amount is not fixed. */
export function surplusToken({
  kind,
  sellToken,
  buyToken,
}: Pick<OrderData, 'kind' | 'sellToken' | 'buyToken'>): Address {
  return kind === 'sell' ? buyToken : sellToken
}

/**
 * The decimal places. `storage/models/order/value.ts` has the rules of this file in SQL; a test compares the
 * two.
 */
export const valueDigits = { fraction: 18, price: 36 }

/** Buy atoms for one sell atom, as an exact fraction. */
interface Price {
  numerator: bigint
  denominator: bigint
}

export function formatPriceDown({ numerator, denominator }: Price): string {
  return formatFixedDown(numerator, denominator, valueDigits.price)
}

/** Formats numerator / denominator with at most `digits` decimal places, rounded down. */
export function formatFixedDown(numerator: bigint, denominator: bigint, digits: number): string {
  return formatUnits((numerator * 10n ** BigInt(digits)) / denominator, digits)
}

/** The price that a notification compares its trade with: see `improvementReference`. */
export const improvementReferences = ['quote', 'limit', 'market'] as const
export type ImprovementReference = (typeof improvementReferences)[number]

/** A comparison of a trade with a price, in atoms of the token whose amount is not fixed. */
export interface Comparison {
  /**
   * The amount that the trade would have given at that price, or taken for a buy order; rounded against the
   * trader's gain.
   */
  referenceAmount: bigint
  /**
   * The additional atoms of a sell order, or the saved atoms of a buy order; rounded down. Negative if the
   * trade is worse.
   */
  amount: bigint
  /** `amount` divided by `referenceAmount` in parts per million, rounded down. */
  share: bigint
}

/**
 * The surplus of a trade over the signed limit if it is at least `min` parts per million. The comparison is
 * exact.
 * @param fill of one trade, its sell amount without the signed fee
 * @returns undefined if the surplus is smaller
 */
export function improvementDown(limits: Limits, fill: Fill, min: bigint): Comparison | undefined {
  const surplus = comparisonDown(limits, fill)
  return surplus && isBetter(surplus, min) ? surplus : undefined
}

/**
 * Reports whether what a trade is compared with is a price: the trade gives less than twice as much for it.
 * Many owners sign a limit of one atom, of which a share says nothing.
 */
function isPrice({ kind }: Pick<Limits, 'kind'>, { referenceAmount, amount }: Comparison): boolean {
  return kind === 'sell' ? amount < referenceAmount : amount * 2n < referenceAmount
}

/**
 * The reference of an improvement: the signed limit if that is a price, else the quote, else the market. Then
 * the trade has to be better than that by `min` too. `none` if none is a price.
 * @returns undefined if the trade is not so much better
 */
export function improvementReference(
  order: Pick<Limits, 'kind'>,
  limit: Comparison,
  others: Readonly<Partial<Record<'quote' | 'market', Comparison | undefined>>>,
  min: bigint,
): ImprovementReference | 'none' | undefined {
  if (isPrice(order, limit)) return 'limit'
  for (const name of ['quote', 'market'] as const) {
    const other = others[name]
    if (other && isPrice(order, other)) return isBetter(other, min) ? name : undefined
  }
  return 'none'
}

const isBetter = ({ amount, referenceAmount }: Comparison, min: bigint) =>
  amount > 0n && amount * factorScale >= referenceAmount * min

/** Compares the trade with its order's quote; undefined without a quote. */
export function comparisonWithQuote(
  order: Limits & { quote: QuotedPrice | null },
  fill: Fill,
): Comparison | undefined {
  const quoted = order.quote && quotedAtSize(order, order.quote)
  return quoted ? comparisonDown(quoted, fill) : undefined
}

/** The amounts of one trade, without its signed fee. */
export function fillOf({ sellAmount, feeAmount, buyAmount }: Trade): Fill {
  return { sell: sellAmount - feeAmount, buy: buyAmount }
}

/** Compares a trade with the price `buyAmount` for `sellAmount`; undefined if that gives nothing. */
export function comparisonDown(limits: Limits, fill: Fill): Comparison | undefined {
  const { kind, sellAmount, buyAmount } = limits
  const referenceAmount =
    kind === 'sell' ? mulDivUp(fill.sell, buyAmount, sellAmount) : mulDivDown(sellAmount, fill.buy, buyAmount)
  if (referenceAmount === 0n) return undefined
  const amount = surplusDown(limits, fill)
  return { referenceAmount, amount, share: shareDown(amount, referenceAmount) }
}

/** `amount` divided by `of` in parts per million, rounded towards minus infinity. */
export function shareDown(amount: bigint, of: bigint): bigint {
  return amount < 0n ? -mulDivUp(-amount, factorScale, of) : mulDivDown(amount, factorScale, of)
}
