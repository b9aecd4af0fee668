import { formatUnits, maxOf } from '../amount.ts'
import { type Address, zeroAddress } from '../evm/address.ts'
import { executedSellBeforeFees, filledAmount, type Order } from './order.ts'
import { surplusToken, tradedSurplusDown } from './surplus.ts'

/** Digits behind the point of what is a fraction. `storage/hot/order-value.ts` says the same in SQL, and a test holds the two equal. */
export const valueDigits = { fraction: 18, price: 36 }

/** Buy atoms for one sell atom: the exact fraction. */
export interface Price {
  numerator: bigint
  denominator: bigint
}

/** As signed; null where nothing is sold. */
export function limitPrice({ sellAmount, buyAmount }: Order): Price | null {
  return toPrice(buyAmount, sellAmount)
}

/** Of all trades together, without the signed fee, so that it compares with the limit; null before the first trade. */
export function executedPrice(order: Order): Price | null {
  return toPrice(order.executedBuyAmount, executedSellBeforeFees(order))
}

export function formatPriceDown({ numerator, denominator }: Price): string {
  return formatFixedDown(numerator, denominator, valueDigits.price)
}

/** Filled part of the fixed side: "1" only when it is filled whole. */
export function executedFractionDown(order: Order): string {
  const signed = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return signed === 0n ? '0' : formatFixedDown(maxOf(filledAmount(order), 0n), signed, valueDigits.fraction)
}

/** What the trades so far gave beyond the limit price. */
export function orderSurplusDown(order: Order): { amount: bigint; token: Address } {
  const fill = { sell: executedSellBeforeFees(order), buy: order.executedBuyAmount }
  return { amount: tradedSurplusDown(order, fill), token: surplusToken(order) }
}

/** Where the settlement contract pays to: it reads the zero address as the owner. */
export function effectiveReceiver({ receiver, owner }: Order): Address {
  return receiver === null || receiver === zeroAddress ? owner : receiver
}

function toPrice(numerator: bigint, denominator: bigint): Price | null {
  return denominator > 0n ? { numerator, denominator } : null
}

/** numerator / denominator with at most `digits` digits behind the point, rounded down. */
function formatFixedDown(numerator: bigint, denominator: bigint, digits: number): string {
  return formatUnits((numerator * 10n ** BigInt(digits)) / denominator, digits)
}
