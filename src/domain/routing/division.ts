import type { Candidate, Demand } from './candidates.ts'
import type { RouteQuery } from './single.ts'
import { amountThrough, buying, type Direction, type PoolPath, reversePath, selling } from './walk.ts'

/** Parallel paths, each with its part of the given amount. */
export interface Division {
  parts: { poolPath: PoolPath; amount: bigint }[]
  /** The atoms of the far side minus the cost of swaps; negative for a buy, whose far side is paid. */
  value: bigint
}

/**
 * The square root of the marginal price that all paths share in the best division of the amount. A curve's
 * derivative is rate · depth² / (depth ± given)², so a path's share is linear in 1 / root of the common
 * price.
 * @returns undefined if the paths together are not deep enough
 */
export function priceOf({ sign, amount }: Demand, candidates: readonly Candidate[]): number | undefined {
  let [depths, weights] = [sign * amount, 0]
  for (const { depth, root } of candidates) {
    depths += depth
    weights += depth * root
  }
  return depths > 0 ? weights / depths : undefined
}

/**
 * The value of the paths together before rounding, in far atoms minus the cost of swaps. By Lagrange it is
 * the sum of their gains at the common price plus the whole amount at that price.
 * @returns undefined if one of the paths gets no share
 */
export function valueOfDivision(demand: Demand, candidates: readonly Candidate[]): number | undefined {
  const { sign, amount } = demand
  const price = priceOf(demand, candidates)
  if (price === undefined) return undefined
  let value = sign * price * price * amount
  for (const { depth, root, cost } of candidates) {
    const margin = sign * (root - price)
    if (margin <= 0) return undefined
    value += depth * margin * margin - cost
  }
  return value
}

/** Each path's share at the common price. Equal terms of two paths cancel before rounding. */
export function sharesOf({ sign, amount }: Demand, candidates: readonly Candidate[]): bigint[] {
  const weights = candidates.reduce((sum, { depth, root }) => sum + depth * root, 0)
  return candidates.map(({ depth, root }) => {
    const advantage = candidates.reduce((sum, other) => sum + other.depth * (root - other.root), 0)
    const share = (depth * (root * amount + sign * advantage)) / weights
    return BigInt(Math.floor(Math.min(Math.max(share, 0), amount)))
  })
}

/**
 * Computes the shares with the pools' exact arithmetic. Every share but the last is trimmed; the last path
 * takes the rest.
 * @returns undefined if a path gets no share
 */
export function tradeShares(
  { direction, amount, hopCost }: RouteQuery,
  candidates: readonly Candidate[],
  shares: readonly bigint[],
): Division | undefined {
  const parts: Division['parts'] = []
  let [remaining, value] = [amount, 0n]
  for (const [index, { poolPath }] of candidates.entries()) {
    const isLast = index === candidates.length - 1
    const part = isLast ? remaining : trimShare(direction, poolPath, shares[index] ?? 0n)
    if (part === undefined || part <= 0n) return undefined
    const reached = amountThrough(direction, poolPath, part)
    if (reached === undefined) return undefined
    parts.push({ poolPath, amount: part })
    remaining -= part
    value += direction.sign * reached - BigInt(poolPath.length) * hopCost
  }
  return { parts, value }
}

/**
 * Removes the loss from rounding: returns the minimum input for the same output, or the maximum output for
 * the same input.
 */
function trimShare(direction: Direction, poolPath: PoolPath, share: bigint): bigint | undefined {
  const reached = amountThrough(direction, poolPath, share)
  if (reached === undefined) return undefined
  return amountThrough(direction === selling ? buying : selling, reversePath(poolPath), reached)
}

/** The maximum that a path adds to a division if atoms of the given side trade at `price`² elsewhere. */
export function gainAt({ sign, amount }: Demand, { depth, root, cost }: Candidate, price: number): number {
  const margin = sign * (root - price)
  if (margin <= 0) return -cost
  if (depth * margin <= amount * price) return depth * margin * margin - cost
  // The best share of the path exceeds the amount.
  const reached = (depth * root * root * amount) / (depth + sign * amount)
  return sign * (reached - price * price * amount) - cost
}

/**
 * The sum of gains that a division of more than `estimatedValue` must exceed. By Lagrange, at any price, a
 * division's value is at most the gains of its paths plus the whole amount at that price.
 */
export function requiredGainAt({ sign, amount }: Demand, estimatedValue: number, price: number): number {
  return estimatedValue - sign * price * price * amount
}
