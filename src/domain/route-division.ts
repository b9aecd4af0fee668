import { type Candidate, depthBits } from './route-candidates.ts'
import type { Question } from './route-single.ts'
import { buying, reversed, selling, type Walk, type Way, walkThrough } from './route-walk.ts'

/** Ways side by side, each with its part of the given amount. */
export interface Division {
  parts: { way: Way; amount: bigint }[]
  /** Atoms of the far side, swaps taken off; negative when they are paid. */
  value: bigint
}

/** Where the curves of ways meet when `amount` is divided best: there they all go at one marginal price. */
interface Meeting {
  /** Square root of that price, with `rootBits` bits behind the point. */
  root: bigint
  shares: bigint[]
}

/**
 * The best division of the amount in closed form: a curve's derivative is rate · depth² / (depth ± given)², so that what a way takes is
 * linear in one over the root of the common price. `undefined` when the ways together are not deep enough.
 */
export function meetingOf({ walk, amount }: Question, ways: readonly Candidate[]): Meeting | undefined {
  let depths = walk.sign * (amount << depthBits)
  let weights = 0n
  for (const { depth, root } of ways) {
    depths += depth
    weights += depth * root
  }
  if (depths <= 0n || weights <= 0n) return undefined
  const shares = ways.map(
    ({ depth, root }) => (walk.sign * ((depth * root * depths) / weights - depth)) >> depthBits,
  )
  return { root: weights / depths, shares }
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

/** What a way adds to a division at most, given that the given side's atoms go for `price`² elsewhere, in units of `gainBits`. */
export function gainAt({ walk, amount }: Question, { depth, root, cost }: Candidate, price: bigint): bigint {
  const edge = walk.sign * (root - price)
  if (edge <= 0n) return -cost
  const whole = amount << depthBits
  if (depth * edge <= whole * price) return depth * edge * edge - cost
  // It would take more than there is.
  const reached = (depth * root * root * whole) / (depth + walk.sign * whole)
  return walk.sign * (reached - price * price * whole) + 1n - cost
}

/**
 * What the gains of ways must exceed to make a division worth more than this one. By Lagrange no division is worth more than the gains of
 * its ways and the whole amount at that price, whatever the price; at its own price it is worth just that, before rounding.
 */
export function hurdleAt({ walk, amount }: Question, worth: bigint, price: bigint): bigint {
  return worth - ((walk.sign * price * price * amount) << depthBits)
}

/** In units of gain. */
export function worthBeforeRounding(question: Question, ways: readonly Candidate[], price: bigint): bigint {
  const gains = ways.reduce((sum, way) => sum + gainAt(question, way, price), 0n)
  return gains - hurdleAt(question, 0n, price)
}
