import { mulDivDown, mulDivUp } from '../amount.ts'
import { type Fill, factorScale, type Limits, quotedLimits, surplusDown } from '../fee/policy.ts'
import type { OrderQuote } from './order.ts'

export const improvementReferences = ['quote', 'limit'] as const
/** What a trade is compared with: the order's quote where it is better for the trader than the signed limit, else the limit. */
export type ImprovementReference = (typeof improvementReferences)[number]

/** By how much a trade is better than its reference. Amounts are of the token whose amount is not fixed. */
export interface Improvement {
  reference: ImprovementReference
  /** What the trade would have given at the reference, or taken from a buy order; rounded against the trader's gain. */
  referenceAmount: bigint
  /** Atoms more for a sell order, or less for a buy order; rounded down. */
  amount: bigint
  /** `amount` by `referenceAmount` in parts per million, rounded down. */
  share: bigint
}

/**
 * The improvement of a trade that is at least `least`, in parts per million; else undefined. The comparison is exact.
 * @param fill of one trade, its sell amount without the signed fee
 */
export function improvementDown(
  order: Limits & { quote: Pick<OrderQuote, 'sellAmount' | 'buyAmount' | 'feeAmount'> | null },
  fill: Fill,
  least: bigint,
): Improvement | undefined {
  const limits = order.quote ? quotedLimits(order, order.quote) : order
  const isQuote = limits.sellAmount !== order.sellAmount || limits.buyAmount !== order.buyAmount
  const amount = surplusDown(limits, fill)
  const referenceAmount =
    order.kind === 'sell'
      ? mulDivUp(fill.sell, limits.buyAmount, limits.sellAmount)
      : mulDivDown(limits.sellAmount, fill.buy, limits.buyAmount)
  if (amount <= 0n || referenceAmount === 0n || amount * factorScale < referenceAmount * least)
    return undefined
  const share = mulDivDown(amount, factorScale, referenceAmount)
  return { reference: isQuote ? 'quote' : 'limit', referenceAmount, amount, share }
}
