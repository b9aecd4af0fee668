import type { Address } from '../../domain/evm/address.ts'
import { composeSlopes, selling, slopeOf } from '../../domain/routing/graph.ts'
import { bestRouteForSell } from '../../domain/routing/route.ts'
import type { BatchOrder } from './batch-order.ts'
import { hopCostOf, type Task } from './task.ts'

/**
 * The exchange of pools from one token to another, in doubles: parallel paths, sorted by the rate of the
 * first atom. It only helps to choose orders.
 */
export type ClearingCurve = readonly CurvePath[]

/** A path with the curve out = depth · root² · in / (depth + in). */
interface CurvePath {
  depth: number
  root: number
}

/** The paths of the best route for `amount`; none without a route. */
export function curveBetween(task: Task, from: Address, to: Address, amount: bigint): ClearingCurve {
  const route = bestRouteForSell(task.pools, from, to, amount, { hopCost: hopCostOf(task, to) })
  const paths = (route?.paths ?? []).map(({ hops }) => {
    const { rate, bend } = hops
      .map(({ pool, tokenIn, tokenOut }) => slopeOf(selling, { pool, from: tokenIn, to: tokenOut }))
      .reduce(composeSlopes, { rate: 1, bend: 0 })
    return { depth: 1 / bend, root: Math.sqrt(rate) }
  })
  return paths.sort((a, b) => b.root - a.root)
}

/** The rate of the first atom; 0 without a path. */
function firstRate([best]: ClearingCurve): number {
  return best ? best.root * best.root : 0
}

/**
 * The output of the best division of `amount` over the paths. Equal terms of two paths cancel before
 * rounding.
 */
export function outputOf(curve: ClearingCurve, amount: number): number {
  const [only] = curve
  if (!only) return 0
  if (curve.length === 1) return (only.depth * only.root * only.root * amount) / (only.depth + amount)
  let [depths, weights] = [amount, 0]
  const used: CurvePath[] = []
  for (const path of curve) {
    // A path is used while its first atom pays more than the last atom on the paths before it.
    if (used.length > 0 && path.root * depths <= weights) break
    depths += path.depth
    weights += path.depth * path.root
    used.push(path)
  }
  return used.reduce((sum, { depth, root }) => {
    const advantage = used.reduce((total, other) => total + other.depth * (root - other.root), 0)
    return sum + (depth * root * (root * amount + advantage)) / depths
  }, 0)
}

/**
 * The tokens that are cleared together. Each is traded against the first one through pools. Of two tokens the
 * first has the more valuable atom, because rounding remains in it.
 */
export interface Crossing {
  task: Task
  tokens: readonly Address[]
  /** The native atoms for one atom of each token. */
  reference: readonly number[]
  /** The pools by token: from the token to the first one, and back. */
  selling: readonly ClearingCurve[]
  buying: readonly ClearingCurve[]
}

/** The fixed sell atoms and fixed buy atoms by tokens, at `from · size + to`. */
interface Book {
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

export function toBook(size: number, members: readonly BatchOrder[]): Book {
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
export function balancedPrices(
  { reference, selling, buying }: Crossing,
  members: readonly BatchOrder[],
): number[] {
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
export function withoutCurves(market: Crossing): Crossing {
  const none = market.tokens.map(() => [])
  return { ...market, selling: none, buying: none }
}

/**
 * Reports whether the orders balance alone at this price: the pools would pay for a token's excess, or give
 * what is missing, only at another price.
 */
export function isInsideSpread(
  { selling, buying }: Crossing,
  prices: readonly number[],
  token: number,
): boolean {
  return isBetween((prices[token] ?? 0) / (prices[0] ?? 1), selling[token] ?? [], buying[token] ?? [])
}

function isBetween(rate: number, selling: ClearingCurve, buying: ClearingCurve): boolean {
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

function balanceToken(
  token: number,
  prices: number[],
  book: Book,
  selling: ClearingCurve,
  buying: ClearingCurve,
): number {
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

/** The margin around a limit: at the limit itself, rounding an amount to a whole atom would break it. */
export const limitMargin = 1e-6

/**
 * The price of the second of two tokens in the first: between the pools' rates for the first atom in both
 * directions, otherwise by native prices.
 */
export function midRate({ reference, selling, buying }: Crossing, token = 1): number {
  const [bid, back] = [firstRate(selling[token] ?? []), firstRate(buying[token] ?? [])]
  return bid > 0 && back > 0 ? Math.sqrt(bid / back) : (reference[token] ?? 1) / (reference[0] ?? 1)
}

/**
 * The market's prices, moved by the minimum that makes the best limit between each two tokens accept them, if
 * possible.
 */
export function midPrices(market: Crossing, members: readonly BatchOrder[]): number[] {
  const prices = market.reference.map((_, token) => (token === 0 ? 1 : midRate(market, token)))
  for (let round = 0; round < prices.length; round++) {
    for (const { from, to, minRate } of bestLimits(members)) {
      const min = minRate * (prices[to] ?? 1) * (1 + limitMargin)
      prices[from] = Math.max(prices[from] ?? 0, min)
    }
  }
  return prices
}

/** The maximum number of tokens; a market has fewer. */
const maxTokens = 16

function bestLimits(members: readonly BatchOrder[]): BatchOrder[] {
  const best = new Map<number, BatchOrder>()
  for (const member of members) {
    const key = member.from * maxTokens + member.to
    const other = best.get(key)
    if (!other || member.minRate < other.minRate) best.set(key, member)
  }
  return [...best.values()]
}
