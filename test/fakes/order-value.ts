import { maxOf, mulDivDown, priceScale } from '../../src/domain/amount.ts'
import { type Address, zeroAddress } from '../../src/domain/evm/address.ts'
import { type Fill, type Limits, surplusDown } from '../../src/domain/fee/policy.ts'
import { executedSellBeforeFees, filledAmount, type Order } from '../../src/domain/order/order.ts'
import { formatFixedDown, surplusToken, valueDigits } from '../../src/domain/order/surplus.ts'

// Values that the program computes in SQL alone.

/** Buy atoms for one sell atom, as an exact fraction. */
interface Price {
  numerator: bigint
  denominator: bigint
}

/**
 * The trader's gain beyond the signed price, in atoms of the surplus token, rounded down. `fill` is one trade
 * or the sum of an order's trades, its sell amount without the signed fee. Never negative, because the
 * settlement contract enforces the limit price.
 */
export function tradedSurplusDown(limits: Limits, fill: Fill): bigint {
  return maxOf(surplusDown(limits, fill), 0n)
}

/** The signed price; null if the sell amount is 0. */
export function limitPrice({ sellAmount, buyAmount }: Order): Price | null {
  return toPrice(buyAmount, sellAmount)
}

/**
 * The price of all trades together, without the signed fee, to compare with the limit price; null before the
 * first trade.
 */
export function executedPrice(order: Order): Price | null {
  return toPrice(order.executedBuyAmount, executedSellBeforeFees(order))
}

/** The account that the settlement contract pays. The contract reads the zero address as the owner. */
export function effectiveReceiver({ receiver, owner }: Order): Address {
  return receiver === null || receiver === zeroAddress ? owner : receiver
}

function toPrice(numerator: bigint, denominator: bigint): Price | null {
  return denominator > 0n ? { numerator, denominator } : null
}

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
