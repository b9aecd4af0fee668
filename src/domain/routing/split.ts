import { amountThrough, buying, type Direction, type PoolPath, reversePath, selling } from './graph.ts'
import {
  type Candidate,
  candidateOfPath,
  type Demand,
  findCandidates,
  maxCandidates,
  type RouteQuery,
  toDemand,
  type ValuedPath,
} from './path-search.ts'

/** Parallel paths, each with its part of the given amount. */
interface Division {
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

/** The bound that a better division must beat. */
interface Bound {
  value: bigint
  /** The square root of the paths' marginal price. */
  price: number
  /** The value before rounding, in far atoms. */
  estimatedValue: number
}

interface FoundDivision extends Division, Bound {
  candidates: readonly Candidate[]
}

interface Ranked {
  candidate: Candidate
  gain: number
}

/**
 * Limits of the work: candidates that are paired, largest gain first, and sets of candidates that are
 * computed exactly.
 */
const maxRanked = 300
const maxTrials = 64
/** The relative rounding error of doubles here. */
const tolerance = 2 ** -46
const lowerBound = (estimatedValue: number) => estimatedValue - tolerance * Math.abs(estimatedValue)

/**
 * The most valuable division over paths that share no pool: the best of all pairs, then the best third path
 * with that pair, and so on. Doubles choose paths and shares; the pools' exact arithmetic decides. Gains from
 * rounding alone are not searched.
 * @returns undefined if no division beats the best single path
 */
export function bestDivision(query: RouteQuery, single: ValuedPath | undefined): Division | undefined {
  if (query.maxPaths < 2) return undefined
  const demand = toDemand(query)
  // An input that buys nothing on one path buys nothing when divided. An output too large for one path may be
  // possible over several.
  const start = single && boundOfSingle(query, demand, single)
  if (!start && query.direction === selling) return undefined
  const candidatesAt = createCandidates(query, demand, start?.price ?? highestPrice)
  const price = start ? priceToBeat(demand, candidatesAt(start.price), start) : highestPrice
  let best = bestPair(demand, usableIn(candidatesAt(price), 2), createTrials(query, demand), start)
  while (best && best.candidates.length < query.maxPaths) {
    const usableCandidates = usableIn(candidatesAt(best.price), best.candidates.length + 1)
    const extended = addBestPath(demand, usableCandidates, createTrials(query, demand), best)
    if (!extended) break
    best = extended
  }
  return best
}

/** A price above any that pools can have. */
const highestPrice = 2 ** 256

/** Returns the candidates at a price. They are found once for all that are no worse than the worst so far. */
function createCandidates(query: RouteQuery, demand: Demand, firstPrice: number) {
  let price = firstPrice
  let candidates = findCandidates(query, demand, price)
  return (wanted: number): readonly Candidate[] => {
    if (demand.sign * (price - wanted) > 0) {
      price = wanted
      const more = findCandidates(query, demand, price)
      // A search that ends at its limit may lack paths that are better.
      if (more.length < maxCandidates) candidates = more
    }
    return candidates
  }
}

/**
 * The price at which every path of a division that beats `bound` gains something: the price of `bound`, or a
 * worse one where a path earns more than `bound` if all atoms beyond its best share trade at that price. A
 * path that gains nothing at the price of `bound` can then still be the best one for these atoms.
 */
function priceToBeat(demand: Demand, candidates: readonly Candidate[], bound: Bound): number {
  const { sign, amount } = demand
  const minValue = lowerBound(bound.estimatedValue)
  let worst = bound.price
  for (const { depth, root, cost } of candidates) {
    // The larger solution for a sale, the smaller for a purchase, of
    // sign · depth · (root - price)² + amount · price² = sign · (minValue + cost)
    const rest = depth * root * root - cost - minValue
    const half = depth * root
    const sum = half + Math.sqrt(Math.max(0, half * half - (depth + sign * amount) * rest))
    const price = sign > 0 ? sum / (depth + amount) : rest / sum
    if (sign * (worst - price) > 0) worst = price
  }
  return worst
}

/** The candidates that are usable among so many paths. Each of the other paths can use up one better pool. */
function usableIn(candidates: readonly Candidate[], paths: number): Candidate[] {
  return candidates.filter(({ beatenBy }) => beatenBy < paths)
}

function boundOfSingle(query: RouteQuery, demand: Demand, { poolPath, value }: ValuedPath): Bound {
  const alone = [candidateOfPath(query, demand, poolPath)]
  return {
    value,
    price: priceOf(demand, alone) ?? highestPrice,
    estimatedValue: valueOfDivision(demand, alone) ?? Number(value),
  }
}

/** Computes divisions that may beat the best one, each set of candidates once. */
function createTrials(query: RouteQuery, demand: Demand) {
  const tried = new Set<string>()
  return (candidates: readonly Candidate[], best: Bound | undefined): FoundDivision | undefined => {
    const estimatedValue = valueOfDivision(demand, candidates)
    if (estimatedValue === undefined || (best && !mayBeat(estimatedValue, best)) || tried.size === maxTrials)
      return undefined
    const key = candidates.map(({ id }) => id).join()
    if (tried.has(key)) return undefined
    tried.add(key)
    const division = tradeShares(query, candidates, sharesOf(demand, candidates))
    const price = priceOf(demand, candidates)
    if (!division || price === undefined || (best && division.value <= best.value)) return undefined
    return { ...division, candidates, price, estimatedValue }
  }
}

/**
 * Reports whether an estimate may beat the best value. Rounding only lowers a value, so an estimate must
 * exceed the best exact value by at least one atom.
 */
function mayBeat(estimatedValue: number, best: Bound): boolean {
  return estimatedValue > lowerBound(Math.max(best.estimatedValue, Number(best.value) + 1))
}

type TryCandidates = ReturnType<typeof createTrials>

/**
 * The best pair of candidates. Each better pair's price gives a tighter bound. Candidates that a bound has
 * ruled out stay out.
 */
function bestPair(
  demand: Demand,
  candidates: readonly Candidate[],
  tryCandidates: TryCandidates,
  start: Bound | undefined,
): FoundDivision | undefined {
  let best: FoundDivision | undefined
  let bound = start
  let remaining = candidates
  for (;;) {
    const price = bound ? priceToBeat(demand, remaining, bound) : highestPrice
    // There is no bound on the price without one, but the paths together must still be deep enough.
    const minGain = requiredGainAt(demand, bound ? lowerBound(bound.estimatedValue) : 0, price)
    const ranked = rank(demand, remaining, price, (gain, highest) => gain + highest > minGain)
    const better = firstBetterPair(ranked, minGain, tryCandidates, bound)
    if (!better) return best
    bound = best = better
    remaining = ranked.map(({ candidate }) => candidate)
  }
}

function firstBetterPair(
  ranked: readonly Ranked[],
  minGain: number,
  tryCandidates: TryCandidates,
  best: Bound | undefined,
): FoundDivision | undefined {
  for (const [index, one] of ranked.entries()) {
    for (let otherIndex = index + 1; otherIndex < ranked.length; otherIndex++) {
      const other = ranked[otherIndex]
      if (!other || one.gain + other.gain <= minGain) break
      if (sharePool(one.candidate, other.candidate)) continue
      const better = tryCandidates([one.candidate, other.candidate], best)
      if (better) return better
    }
  }
  return undefined
}

function addBestPath(
  demand: Demand,
  candidates: readonly Candidate[],
  tryCandidates: TryCandidates,
  division: FoundDivision,
): FoundDivision | undefined {
  const { candidates: current, price } = division
  const currentGain = current.reduce((sum, candidate) => sum + gainAt(demand, candidate, price), 0)
  let best = division
  const mayImprove = (gain: number) =>
    currentGain + gain > requiredGainAt(demand, lowerBound(best.estimatedValue), price)
  for (const { candidate, gain } of rank(demand, candidates, price, mayImprove)) {
    if (!mayImprove(gain)) break
    if (current.some((other) => sharePool(other, candidate))) continue
    best = tryCandidates([...current, candidate], best) ?? best
  }
  return best === division ? undefined : best
}

/** Candidates that pass `mayImprove`, largest gain first. */
function rank(
  demand: Demand,
  candidates: readonly Candidate[],
  price: number,
  mayImprove: (gain: number, highest: number) => boolean,
): Ranked[] {
  const all = candidates.map((candidate) => ({ candidate, gain: gainAt(demand, candidate, price) }))
  const highest = all.reduce((max, { gain }) => Math.max(max, gain), -Infinity)
  return all
    .filter(({ gain }) => mayImprove(gain, highest))
    .sort((a, b) => b.gain - a.gain)
    .slice(0, maxRanked)
}

function sharePool({ poolPath: one }: Candidate, { poolPath: other }: Candidate): boolean {
  for (const { pool } of one) for (const step of other) if (step.pool === pool) return true
  return false
}
