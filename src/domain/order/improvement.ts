import { mulDivDown, mulDivUp } from '../amount.ts'
import {
  type Fill,
  factorScale,
  type Limits,
  type QuotedPrice,
  quotedAtSize,
  surplusDown,
} from '../fee/policy.ts'

/**
 * The price with which a notification compares its trade: the signed limit. Old notifications may have the
 * quote.
 */
export const improvementReferences = ['quote', 'limit'] as const
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
 * The surplus of a trade over the signed limit if it is at least `least` parts per million. The comparison is
 * exact.
 * @param fill of one trade, its sell amount without the signed fee
 * @returns undefined if the surplus is smaller
 */
export function improvementDown(limits: Limits, fill: Fill, least: bigint): Comparison | undefined {
  const surplus = compare(limits, fill)
  return surplus && surplus.amount > 0n && surplus.amount * factorScale >= surplus.referenceAmount * least
    ? surplus
    : undefined
}

/** Compares the trade with its order's quote; undefined without a quote. */
export function besideQuote(
  order: Limits & { quote: QuotedPrice | null },
  fill: Fill,
): Comparison | undefined {
  const quoted = order.quote && quotedAtSize(order, order.quote)
  return quoted ? compare(quoted, fill) : undefined
}

function compare(limits: Limits, fill: Fill): Comparison | undefined {
  const { kind, sellAmount, buyAmount } = limits
  const referenceAmount =
    kind === 'sell' ? mulDivUp(fill.sell, buyAmount, sellAmount) : mulDivDown(sellAmount, fill.buy, buyAmount)
  if (referenceAmount === 0n) return undefined
  const amount = surplusDown(limits, fill)
  return { referenceAmount, amount, share: shareDown(amount, referenceAmount) }
}

function shareDown(amount: bigint, of: bigint): bigint {
  return amount < 0n ? -mulDivUp(-amount, factorScale, of) : mulDivDown(amount, factorScale, of)
}
