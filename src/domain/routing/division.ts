import type { Candidate, Demand } from './candidates.ts'
import type { Question } from './single.ts'
import { buying, reversed, selling, type Walk, type Way, walkThrough } from './walk.ts'

/** Ways side by side, each with its part of the given amount. */
export interface Division {
  parts: { way: Way; amount: bigint }[]
  /** Atoms of the far side, swaps taken off; negative when they are paid. */
  value: bigint
}

/**
 * Where the curves of ways meet when the amount is divided best: a curve's derivative is rate · depth² / (depth ± given)², so that what a
 * way takes is linear in one over the root of the common price. That root, or `undefined` when the ways together are not deep enough.
 */
export function priceOf({ sign, amount }: Demand, ways: readonly Candidate[]): number | undefined {
  let [depths, weights] = [sign * amount, 0]
  for (const { depth, root } of ways) {
    depths += depth
    weights += depth * root
  }
  return depths > 0 ? weights / depths : undefined
}

/**
 * What the ways together are worth before rounding, in far atoms, swaps taken off; `undefined` where one of them is of no use.
 * By Lagrange that is what they gain at their common price, and the whole amount at that price.
 */
export function valueOfDivision(demand: Demand, ways: readonly Candidate[]): number | undefined {
  const { sign, amount } = demand
  const price = priceOf(demand, ways)
  if (price === undefined) return undefined
  let worth = sign * price * price * amount
  for (const { depth, root, cost } of ways) {
    const edge = sign * (root - price)
    if (edge <= 0) return undefined
    worth += depth * edge * edge - cost
  }
  return worth
}

/** What each way takes at the common price, written so that what is equal in two ways cancels out before it is rounded. */
export function sharesOf({ sign, amount }: Demand, ways: readonly Candidate[]): bigint[] {
  const weights = ways.reduce((sum, { depth, root }) => sum + depth * root, 0)
  return ways.map(({ depth, root }) => {
    const ahead = ways.reduce((sum, other) => sum + other.depth * (root - other.root), 0)
    const share = (depth * (root * amount + sign * ahead)) / weights
    return BigInt(Math.floor(Math.min(Math.max(share, 0), amount)))
  })
}

/** Walks the real pools with these shares, all but the last without waste. `undefined` where a way is of no use in the division. */
export function settleShares(
  { walk, amount, hopCost }: Question,
  ways: readonly Candidate[],
  shares: readonly bigint[],
): Division | undefined {
  const parts: Division['parts'] = []
  let [left, value] = [amount, 0n]
  for (const [index, { way }] of ways.entries()) {
    const isLast = index === ways.length - 1
    const part = isLast ? left : frugal(walk, way, shares[index] ?? 0n)
    if (part === undefined || part <= 0n) return undefined
    const reached = walkThrough(walk, way, part)
    if (reached === undefined) return undefined
    parts.push({ way, amount: part })
    left -= part
    value += walk.sign * reached - BigInt(way.length) * hopCost
  }
  return { parts, value }
}

/** Rounding leaves room: the least that sells for as much, or the most that is bought for as much. */
function frugal(walk: Walk, way: Way, share: bigint): bigint | undefined {
  const reached = share > 0n ? walkThrough(walk, way, share) : undefined
  if (reached === undefined) return undefined
  return walkThrough(walk === selling ? buying : selling, reversed(way), reached)
}

/** What a way adds to a division at most, given that the given side's atoms go for `price`² elsewhere. */
export function gainAt({ sign, amount }: Demand, { depth, root, cost }: Candidate, price: number): number {
  const edge = sign * (root - price)
  if (edge <= 0) return -cost
  if (depth * edge <= amount * price) return depth * edge * edge - cost
  // It would take more than there is.
  const reached = (depth * root * root * amount) / (depth + sign * amount)
  return sign * (reached - price * price * amount) - cost
}

/**
 * What the gains of ways must exceed to make a division worth more than this. By Lagrange no division is worth more than the gains of
 * its ways and the whole amount at that price, whatever the price.
 */
export function hurdleAt({ sign, amount }: Demand, worth: number, price: number): number {
  return worth - sign * price * price * amount
}
