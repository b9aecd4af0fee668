import { maxOf, mulDivDown, priceScale } from '../amount.ts'
import type { Address } from '../evm/address.ts'
import { type Fill, type Limits, surplusDown } from '../fee/policy.ts'
import type { OrderData } from './order.ts'

/** The token in which surplus is measured: the one whose amount is not fixed. */
export function surplusToken({
  kind,
  sellToken,
  buyToken,
}: Pick<OrderData, 'kind' | 'sellToken' | 'buyToken'>): Address {
  return kind === 'sell' ? buyToken : sellToken
}

/**
 * The trader's gain beyond the signed price, in atoms of the surplus token, rounded down. `fill` is one trade
 * or the sum of an order's trades, its sell amount without the signed fee. Never negative, because the
 * settlement contract enforces the limit price. `storage/order/surplus.ts` has the same rule in SQL; a test
 * compares the two.
 */
export function tradedSurplusDown(limits: Limits, fill: Fill): bigint {
  return maxOf(surplusDown(limits, fill), 0n)
}

/**
 * The value of a surplus in native atoms, rounded down. `price`: native atoms for 10^18 atoms of the surplus
 * token.
 */
export function surplusValueDown(surplus: bigint, price: bigint): bigint {
  return mulDivDown(surplus, price, priceScale)
}
