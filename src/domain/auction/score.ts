import { mulDivDown, priceScale } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import { type Fill, type Limits, surplusDown } from '../fee/policy.ts'

interface ScoredOrder extends Limits {
  buyToken: Address
}

/**
 * The score of one order in native atoms, rounded down: its surplus plus the protocol fees, at the auction's
 * prices. The surplus of a buy order is in sell atoms and is converted to the buy token at the limit price.
 * @returns undefined if the fill breaks the limit or a price is missing; the whole solution is then discarded
 */
export function orderScoreDown(
  order: ScoredOrder,
  fill: Fill,
  protocolFees: readonly bigint[],
  nativePrices: ReadonlyMap<Address, bigint>,
): bigint | undefined {
  const price = nativePrices.get(order.buyToken)
  const surplus = surplusDown(order, fill)
  if (price === undefined || surplus < 0n) return undefined
  const surplusWithFees = protocolFees.reduce((sum, fee) => sum + fee, surplus)
  const inBuyToken =
    order.kind === 'sell' ? surplusWithFees : mulDivDown(surplusWithFees, order.buyAmount, order.sellAmount)
  return mulDivDown(inBuyToken, price, priceScale)
}

/** The key of a directed pair: (A→B) and (B→A) differ. */
export function directedPair(sellToken: Address, buyToken: Address): string {
  return `${sellToken}>${buyToken}`
}
