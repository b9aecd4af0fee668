import { formatUnits, maxOf } from '../amount.ts'
import { type Address, zeroAddress } from '../evm/address.ts'
import { executedSellBeforeFees, filledAmount, type Order } from './order.ts'
import { surplusToken, tradedSurplusDown } from './surplus.ts'

/**
 * The decimal places. `storage/models/order/value.ts` has the rules of this file in SQL; a test compares the
 * two.
 */
export const valueDigits = { fraction: 18, price: 36 }

/** Buy atoms for one sell atom, as an exact fraction. */
export interface Price {
  numerator: bigint
  denominator: bigint
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

export function formatPriceDown({ numerator, denominator }: Price): string {
  return formatFixedDown(numerator, denominator, valueDigits.price)
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

/** The account that the settlement contract pays. The contract reads the zero address as the owner. */
export function effectiveReceiver({ receiver, owner }: Order): Address {
  return receiver === null || receiver === zeroAddress ? owner : receiver
}

function toPrice(numerator: bigint, denominator: bigint): Price | null {
  return denominator > 0n ? { numerator, denominator } : null
}

/** Formats numerator / denominator with at most `digits` decimal places, rounded down. */
function formatFixedDown(numerator: bigint, denominator: bigint, digits: number): string {
  return formatUnits((numerator * 10n ** BigInt(digits)) / denominator, digits)
}
