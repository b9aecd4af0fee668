import type { Address } from '../../domain/evm/address.ts'
import { type Curve, firstRate, outputOf } from './curve.ts'
import type { Member } from './member.ts'
import type { Task } from './task.ts'

/**
 * The tokens that are cleared together. Each is traded against the first one through pools. Of two tokens the
 * first has the more valuable atom, because rounding remains in it.
 */
export interface Market {
  task: Task
  tokens: readonly Address[]
  /** The native atoms for one atom of each token. */
  reference: readonly number[]
  /** The pools by token: from the token to the first one, and back. */
  selling: readonly Curve[]
  buying: readonly Curve[]
}

/** The fixed sell atoms and fixed buy atoms by tokens, at `from · size + to`. */
export interface Book {
  size: number
  sold: Float64Array
  bought: Float64Array
}

const bisections = 52
const maxRounds = 12
/** The relative change of a round after which the search ends. */
const closeEnough = 1e-12
/** The factor around the reference prices within which prices are searched. */
const widestRange = 2 ** 12

export function toBook(size: number, members: readonly Member[]): Book {
  const [sold, bought] = [new Float64Array(size * size), new Float64Array(size * size)]
  for (const { from, to, isSell, amount } of members) {
    const side = isSell ? sold : bought
    side[from * size + to] = (side[from * size + to] ?? 0) + amount
  }
  return { size, sold, bought }
}

/**
 * The prices at which the orders' amounts balance. Pools take the excess of a token, give what is missing,
 * and receive the value of what they pay. With two tokens there is one such price.
 */
export function balancedPrices({ reference, selling, buying }: Market, members: readonly Member[]): number[] {
  const book = toBook(reference.length, members)
  const prices = [...reference]
  const rounds = prices.length > 2 ? maxRounds : 1
  for (let round = 0; round < rounds; round++) {
    const before = [...prices]
    for (let token = 1; token < prices.length; token++) {
      prices[token] = balanceToken(token, prices, book, selling[token] ?? [], buying[token] ?? [])
    }
    if (prices.every((price, token) => Math.abs(price / (before[token] ?? 1) - 1) < closeEnough)) break
  }
  return prices
}

/** The market in which orders have only each other. */
export function withoutCurves(market: Market): Market {
  const none = market.tokens.map(() => [])
  return { ...market, selling: none, buying: none }
}

/**
 * Reports whether the orders balance alone at this price: the pools would pay for a token's excess, or give
 * what is missing, only at another price.
 */
export function isInsideSpread(
  { selling, buying }: Market,
  prices: readonly number[],
  token: number,
): boolean {
  return isBetween((prices[token] ?? 0) / (prices[0] ?? 1), selling[token] ?? [], buying[token] ?? [])
}

function isBetween(rate: number, selling: Curve, buying: Curve): boolean {
  return rate > firstRate(selling) && rate * firstRate(buying) < 1
}

/** The excess of a token as `fixed + inverse / price`, in atoms. */
export function excessTerms({ size, sold, bought }: Book, prices: readonly number[], token: number) {
  let [fixed, inverse] = [0, 0]
  for (let other = 0; other < size; other++) {
    const [out, back] = [token * size + other, other * size + token]
    fixed += (sold[out] ?? 0) - (bought[back] ?? 0)
    inverse += (prices[other] ?? 0) * ((bought[out] ?? 0) - (sold[back] ?? 0))
  }
  return { fixed, inverse }
}

function balanceToken(token: number, prices: number[], book: Book, selling: Curve, buying: Curve): number {
  const [first = 1, current = 1] = [prices[0], prices[token]]
  const { fixed, inverse } = excessTerms(book, prices, token)
  if (fixed === 0 && inverse === 0) return current
  const alone = -inverse / fixed
  if (alone > 0 && isBetween(alone / first, selling, buying)) return alone
  const isTooHigh = (price: number) => {
    const excess = fixed + inverse / price
    const worth = (excess * price) / first
    return excess > 0 ? outputOf(selling, excess) < worth : outputOf(buying, -worth) > -excess
  }
  let [low, high] = [current / widestRange, current * widestRange]
  for (let step = 0; step < bisections; step++) {
    const middle = Math.sqrt(low * high)
    if (isTooHigh(middle)) high = middle
    else low = middle
  }
  return Math.sqrt(low * high)
}
