import { type Candidate, candidateOfPath, type Demand, findCandidates, toDemand } from './candidates.ts'
import {
  type Division,
  gainAt,
  priceOf,
  requiredGainAt,
  sharesOf,
  tradeShares,
  valueOfDivision,
} from './division.ts'
import type { RouteQuery, ValuedPath } from './single.ts'
import { selling } from './walk.ts'

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
  const candidates = findCandidates(query, demand, start?.price ?? highestPrice)
  let best = bestPair(demand, usableIn(candidates, 2), createTrials(query, demand), start)
  while (best && best.candidates.length < query.maxPaths) {
    const usableCandidates = usableIn(candidates, best.candidates.length + 1)
    const extended = addBestPath(demand, usableCandidates, createTrials(query, demand), best)
    if (!extended) break
    best = extended
  }
  return best
}

/** A price above any that pools can have. */
const highestPrice = 2 ** 256

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
    const price = bound?.price ?? highestPrice
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
  const highest = all.reduce((most, { gain }) => Math.max(most, gain), -Infinity)
  return all
    .filter(({ gain }) => mayImprove(gain, highest))
    .sort((a, b) => b.gain - a.gain)
    .slice(0, maxRanked)
}

function sharePool({ poolPath: one }: Candidate, { poolPath: other }: Candidate): boolean {
  for (const { pool } of one) for (const step of other) if (step.pool === pool) return true
  return false
}
