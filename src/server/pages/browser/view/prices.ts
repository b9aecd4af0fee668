import { shareDown } from '../../../../domain/order/surplus.ts'
import { readable, symbolOf, type TokenLike } from './amounts.ts'

/** Bought atoms for sold atoms. */
export interface PriceLike {
  numerator: string
  denominator: string
}

/** Scale of one order's prices: all in the direction in which the limit is 1 or more. */
export interface PriceScale {
  /** Whole tokens, such as “3,000”. */
  words(price: PriceLike): string
  /** Such as “USDC for each WETH”. */
  unit: string
  value(price: PriceLike): number
  /** True if more is better for the trader. */
  isMoreBetter: boolean
}

const digits = 18n

/** `numerator / denominator` with 18 digits behind the point, rounded down. */
function decimalOf(numerator: bigint, denominator: bigint): string {
  if (denominator === 0n) return '0'
  const scaled = String((numerator * 10n ** digits) / denominator).padStart(19, '0')
  return `${scaled.slice(0, -18)}.${scaled.slice(-18)}`
}

export function priceScale(sell: TokenLike, buy: TokenLike, limit: PriceLike): PriceScale {
  const whole = ({ numerator, denominator }: PriceLike): [bigint, bigint] => [
    BigInt(numerator) * 10n ** BigInt(sell.decimals ?? 0),
    BigInt(denominator) * 10n ** BigInt(buy.decimals ?? 0),
  ]
  const [bought, sold] = whole(limit)
  const isMoreBetter = bought >= sold
  const decimal = (price: PriceLike) => {
    const [bought, sold] = whole(price)
    return isMoreBetter ? decimalOf(bought, sold) : decimalOf(sold, bought)
  }
  const [unitToken, perToken] = isMoreBetter ? [buy, sell] : [sell, buy]
  return {
    words: (price) => readable(decimal(price)),
    unit: `${symbolOf(unitToken)} for each ${symbolOf(perToken)}`,
    value: (price) => Number(decimal(price)),
    isMoreBetter,
  }
}

/** Parts per million by which a price is worse than the limit, rounded down; negative when it is better. */
export function distanceDown(price: PriceLike, limit: PriceLike): bigint {
  const asked = BigInt(limit.numerator) * BigInt(price.denominator)
  if (asked === 0n) return 0n
  return shareDown(asked - BigInt(price.numerator) * BigInt(limit.denominator), asked)
}

interface Executed {
  executedSell: string
  executedBuy: string
}

/** Surplus of a trade over its limit: more buy atoms for a sell order, fewer sell atoms for a buy order. */
export function surplusOf(
  { executedSell, executedBuy }: Executed,
  { kind, sellAmount, buyAmount }: { kind: 'SELL' | 'BUY'; sellAmount: string; buyAmount: string },
): bigint {
  const [sold, bought, sell, buy] = [executedSell, executedBuy, sellAmount, buyAmount].map(BigInt) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  if (sell === 0n || buy === 0n) return 0n
  return kind === 'SELL' ? bought - (sold * buy + sell - 1n) / sell : (bought * sell) / buy - sold
}
