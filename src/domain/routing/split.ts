import { type Candidate, candidateOf, type Demand, demandOf, waysToDivide } from './candidates.ts'
import {
  type Division,
  gainAt,
  hurdleAt,
  priceOf,
  settleShares,
  sharesOf,
  valueOfDivision,
} from './division.ts'
import type { Question, ValuedWay } from './single.ts'
import { selling } from './walk.ts'

interface Found extends Division {
  ways: readonly Candidate[]
  /** The marginal price of its ways, as its square root. */
  price: number
  /** Before rounding, in far atoms. */
  worth: number
}

interface Ranked {
  candidate: Candidate
  gain: number
}

/** Bounds on the work where no other holds: ways that are paired, the most gainful, and sets of ways that are worked out exactly. */
const maxRanked = 300
const maxTrials = 64
/** What doubles can't tell apart. */
const tie = 2 ** -46
const lowered = (worth: number) => worth - tie * Math.abs(worth)

/**
 * The most valuable division over ways that share no pool, where it is worth more than the best way alone: the best of all pairs, then
 * the best third way beside that pair, and so on. Doubles choose the ways and their shares, the pools' own arithmetic has the last word.
 * What is gained by rounding alone is not looked for.
 */
export function bestDivision(question: Question, alone: ValuedWay | undefined): Division | undefined {
  if (question.maxPaths < 2) return undefined
  const demand = demandOf(question)
  // Inputs that buy nothing together buy nothing apart; pools that can't give an amount alone may give it together.
  const start = alone && foundAlone(question, demand, alone)
  if (!start && question.walk === selling) return undefined
  const candidates = waysToDivide(question, demand, start?.price ?? highestPrice)
  let best = bestPair(demand, usableIn(candidates, 2), createTrials(question, demand), start)
  while (best && best.ways.length < question.maxPaths) {
    const usable = usableIn(candidates, best.ways.length + 1)
    const more = withOneMore(demand, usable, createTrials(question, demand), best)
    if (!more) break
    best = more
  }
  return best
}

/** Above all that pools can be asked for. */
const highestPrice = 2 ** 256

/** Each other path can take one of the pools that are better. */
function usableIn(candidates: readonly Candidate[], paths: number): Candidate[] {
  return candidates.filter(({ beatenBy }) => beatenBy < paths)
}

function foundAlone(question: Question, demand: Demand, { way, value }: ValuedWay): Found {
  const ways = [candidateOf(question, demand, way)]
  const parts = [{ way, amount: question.amount }]
  const [price = highestPrice, worth = Number(value)] = [priceOf(demand, ways), valueOfDivision(demand, ways)]
  return { parts, value, ways, price, worth }
}

/** Works divisions out that may be better than the best one, each set of ways once. */
function createTrials(question: Question, demand: Demand) {
  const tried = new Set<string>()
  return (ways: readonly Candidate[], best: Found | undefined): Found | undefined => {
    const worth = valueOfDivision(demand, ways)
    if (worth === undefined || (best && !mayBeat(worth, best)) || tried.size === maxTrials) return undefined
    const key = ways.map(({ id }) => id).join()
    if (tried.has(key)) return undefined
    tried.add(key)
    const division = settleShares(question, ways, sharesOf(demand, ways))
    const price = priceOf(demand, ways)
    if (!division || price === undefined || (best && division.value <= best.value)) return undefined
    return { ...division, ways, price, worth }
  }
}

/** Rounding takes away, so that what is worth less than an atom more can't be better. */
function mayBeat(worth: number, best: Found): boolean {
  return worth > lowered(Math.max(best.worth, Number(best.value) + 1))
}

type Attempt = ReturnType<typeof createTrials>

/** Bounds at each better pair's price leave fewer to try; what one bound has ruled out stays ruled out. */
function bestPair(
  demand: Demand,
  candidates: readonly Candidate[],
  attempt: Attempt,
  start: Found | undefined,
): Found | undefined {
  let best = start
  let left = candidates
  for (;;) {
    const price = best?.price ?? highestPrice
    // Without a bound on what is paid, ways still have to be deep enough together.
    const hurdle = hurdleAt(demand, best ? lowered(best.worth) : 0, price)
    const ranked = rank(demand, left, price, (gain, highest) => gain + highest > hurdle)
    const better = firstBetterPair(ranked, hurdle, attempt, best)
    if (!better) return best === start ? undefined : best
    best = better
    left = ranked.map(({ candidate }) => candidate)
  }
}

function firstBetterPair(
  ranked: readonly Ranked[],
  hurdle: number,
  attempt: Attempt,
  best: Found | undefined,
): Found | undefined {
  for (const [index, one] of ranked.entries()) {
    for (let at = index + 1; at < ranked.length; at++) {
      const other = ranked[at]
      if (!other || one.gain + other.gain <= hurdle) break
      if (sharePool(one.candidate, other.candidate)) continue
      const better = attempt([one.candidate, other.candidate], best)
      if (better) return better
    }
  }
  return undefined
}

function withOneMore(
  demand: Demand,
  candidates: readonly Candidate[],
  attempt: Attempt,
  pair: Found,
): Found | undefined {
  const { ways, price } = pair
  const gained = ways.reduce((sum, way) => sum + gainAt(demand, way, price), 0)
  let best = pair
  const isHopeful = (gain: number) => gained + gain > hurdleAt(demand, lowered(best.worth), price)
  for (const { candidate, gain } of rank(demand, candidates, price, isHopeful)) {
    if (!isHopeful(gain)) break
    if (ways.some((way) => sharePool(way, candidate))) continue
    best = attempt([...ways, candidate], best) ?? best
  }
  return best === pair ? undefined : best
}

/** Those that are hopeful, the most gainful first. */
function rank(
  demand: Demand,
  candidates: readonly Candidate[],
  price: number,
  isHopeful: (gain: number, highest: number) => boolean,
): Ranked[] {
  const all = candidates.map((candidate) => ({ candidate, gain: gainAt(demand, candidate, price) }))
  const highest = all.reduce((most, { gain }) => Math.max(most, gain), -Infinity)
  return all
    .filter(({ gain }) => isHopeful(gain, highest))
    .sort((a, b) => b.gain - a.gain)
    .slice(0, maxRanked)
}

function sharePool({ way: one }: Candidate, { way: other }: Candidate): boolean {
  for (const { pool } of one) for (const step of other) if (step.pool === pool) return true
  return false
}
