import { type Candidate, toCandidate, waysToDivide } from './route-candidates.ts'
import {
  type Division,
  gainAt,
  hurdleAt,
  meetingOf,
  settleShares,
  worthBeforeRounding,
} from './route-division.ts'
import type { Question, ValuedWay } from './route-single.ts'
import { selling } from './route-walk.ts'

interface Found extends Division {
  ways: readonly Candidate[]
  /** The marginal price of its ways, as its square root. */
  price: bigint
  /** Before rounding, in units of gain. */
  worth: bigint
}

interface Ranked {
  candidate: Candidate
  gain: bigint
}

/** Pairs and larger sets that are worked out; a bound on the work where no other holds. */
const mostTrials = 1_000

/**
 * The most valuable division over ways that share no pool, where it is worth more than the best way alone: the best of all pairs, then
 * the best third way beside that pair, and so on. What is gained by rounding alone is not looked for.
 */
export function bestDivision(question: Question, alone: ValuedWay | undefined): Division | undefined {
  if (question.maxPaths < 2) return undefined
  // Inputs that buy nothing together buy nothing apart; pools that can't give an amount alone may give it together.
  const start = alone ? foundAlone(question, alone) : undefined
  if (!start && question.walk === selling) return undefined
  const candidates = waysToDivide(question, start?.price ?? highestPrice)
  const attempt = createTrials(question)
  let best = bestPair(question, candidates, attempt, start)
  while (best && best.ways.length < question.maxPaths) {
    const more = withOneMore(question, candidates, attempt, best)
    if (!more) break
    best = more
  }
  return best
}

/** Above all that pools can be asked for. */
const highestPrice = 1n << 256n

function foundAlone(question: Question, { way, value }: ValuedWay): Found | undefined {
  const ways = [toCandidate(question, way)].filter((candidate) => candidate !== undefined)
  const meeting = meetingOf(question, ways)
  if (!meeting) return undefined
  const { root: price } = meeting
  const parts = [{ way, amount: question.amount }]
  return { parts, value, ways, price, worth: worthBeforeRounding(question, ways, price) }
}

/** Works divisions out, each set of ways once. */
function createTrials(question: Question) {
  const tried = new Set<string>()
  return (ways: readonly Candidate[], best: Found | undefined): Found | undefined => {
    const key = ways.map(({ id }) => id).join()
    if (tried.has(key) || tried.size === mostTrials) return undefined
    tried.add(key)
    const meeting = meetingOf(question, ways)
    const division = meeting && settleShares(question, ways, meeting.shares)
    if (!division || (best && division.value <= best.value)) return undefined
    const { root: price } = meeting
    return { ...division, ways, price, worth: worthBeforeRounding(question, ways, price) }
  }
}

type Attempt = ReturnType<typeof createTrials>

/** Bounds at each better pair's price leave fewer to try; what one bound has ruled out stays ruled out. */
function bestPair(
  question: Question,
  candidates: readonly Candidate[],
  attempt: Attempt,
  start: Found | undefined,
): Found | undefined {
  let best = start
  let left = candidates
  for (;;) {
    const price = best?.price ?? highestPrice
    const hurdle = best && hurdleAt(question, best.worth, price)
    const ranked = rank(
      question,
      left,
      price,
      (gain, highest) => hurdle === undefined || gain + highest > hurdle,
    )
    const better = firstBetterPair(ranked, hurdle, attempt, best)
    if (!better) return best === start ? undefined : best
    best = better
    left = ranked.map(({ candidate }) => candidate)
  }
}

function firstBetterPair(
  ranked: readonly Ranked[],
  hurdle: bigint | undefined,
  attempt: Attempt,
  best: Found | undefined,
): Found | undefined {
  for (const [index, one] of ranked.entries()) {
    for (let at = index + 1; at < ranked.length; at++) {
      const other = ranked[at]
      if (!other || (hurdle !== undefined && one.gain + other.gain <= hurdle)) break
      if (sharePool(one.candidate, other.candidate)) continue
      const better = attempt([one.candidate, other.candidate], best)
      if (better) return better
    }
  }
  return undefined
}

function withOneMore(
  question: Question,
  candidates: readonly Candidate[],
  attempt: Attempt,
  pair: Found,
): Found | undefined {
  const { ways, price } = pair
  const gained = ways.reduce((sum, way) => sum + gainAt(question, way, price), 0n)
  let best = pair
  const isHopeful = (gain: bigint) => gained + gain > hurdleAt(question, best.worth, price)
  for (const { candidate, gain } of rank(question, candidates, price, isHopeful)) {
    if (!isHopeful(gain)) break
    if (ways.some((way) => sharePool(way, candidate))) continue
    best = attempt([...ways, candidate], best) ?? best
  }
  return best === pair ? undefined : best
}

/** Those that are hopeful, the most gainful first. */
function rank(
  question: Question,
  candidates: readonly Candidate[],
  price: bigint,
  isHopeful: (gain: bigint, highest: bigint) => boolean,
): Ranked[] {
  const all = candidates.map((candidate) => ({ candidate, gain: gainAt(question, candidate, price) }))
  const highest = all.reduce((most, { gain }, index) => (index === 0 || gain > most ? gain : most), 0n)
  return all
    .filter(({ gain }) => isHopeful(gain, highest))
    .sort((a, b) => (a.gain === b.gain ? 0 : a.gain > b.gain ? -1 : 1))
}

function sharePool({ way: one }: Candidate, { way: other }: Candidate): boolean {
  return one.some(({ pool }) => other.some((step) => step.pool === pool))
}
