import { maxOf, mulDivDown, priceScale } from '../../src/domain/amount.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { executedSellBeforeFees, filledAmount, type Order } from '../../src/domain/order/order.ts'
import {
  formatFixedDown,
  surplusToken,
  tradedSurplusDown,
  valueDigits,
} from '../../src/domain/order/surplus.ts'

// Values that the program computes in SQL alone.

/**
 * The value of a surplus in native atoms, rounded down. `price`: native atoms for 10^18 atoms of the surplus
 * token.
 */
export function surplusValueDown(surplus: bigint, price: bigint): bigint {
  return mulDivDown(surplus, price, priceScale)
}

/** The filled fraction of the fixed side; "1" only if it is completely filled. */
export function executedFractionDown(order: Order): string {
  const signedAmount = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return signedAmount === 0n
    ? '0'
    : formatFixedDown(maxOf(filledAmount(order), 0n), signedAmount, valueDigits.fraction)
}

/** The surplus of the trades so far over the limit price. */
export function orderSurplusDown(order: Order): { amount: bigint; token: Address } {
  const fill = { sell: executedSellBeforeFees(order), buy: order.executedBuyAmount }
  return { amount: tradedSurplusDown(order, fill), token: surplusToken(order) }
}
