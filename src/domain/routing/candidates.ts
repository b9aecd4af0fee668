import type { Address } from '../evm/address.ts'
import { type Edge, rateBits, type Slope, slopeAfter, slopeOf } from './graph.ts'
import type { Question } from './single.ts'
import { type Step, selling, type Way } from './walk.ts'

/** A way that may be one of several, as the curve far = depth · root² · given / (depth ± given), the sign being plus for a sell. */
export interface Candidate {
  /** Its place among the candidates of one search. */
  id: number
  way: Way
  /** Atoms of the given side. */
  depth: number
  /** The square root of what the first atom goes for on the far side. */
  root: number
  /** Of its swaps, in far atoms. */
  cost: number
  /** How many pools are as good as its own, where it is most. */
  beatenBy: number
}

/** What a division is to do, in doubles. */
export interface Demand {
  sign: number
  amount: number
  hopCost: number
}

/** Ways that a division looks at; a bound on the work for markets with many pools side by side. */
const maxCandidates = 2_000

export function demandOf({ walk, amount, hopCost }: Question): Demand {
  return { sign: Number(walk.sign), amount: Number(amount), hopCost: Number(hopCost) }
}

/**
 * Every way without a token twice that earns more than its swaps where atoms go for `price`² (far ones for a given one) elsewhere, but
 * for pools that could always be exchanged for a better one which no other path uses. At the price that the best way alone ends with,
 * a better division has no other ways: beside one of no use there would have to be one that is better alone.
 */
export function waysToDivide(question: Question, demand: Demand, price: number): Candidate[] {
  const { graph, from, to, maxHops, maxPaths } = question
  const ahead = bestRatesAhead(question)
  const found: Candidate[] = []
  const trail: Step[] = []
  /** Could the whole amount earn so many swaps at this rate? */
  const isWorthwhile = (rate: number, hops: number) =>
    demand.sign * (rate - price * price) * demand.amount > hops * demand.hopCost

  function finish(edges: readonly Edge[], slope: Slope | undefined, beaten: number): void {
    for (const edge of usable(edges, maxPaths)) {
      const joined = slope ? slopeAfter(slope, edge.slope) : edge.slope
      if (!isWorthwhile(joined.rate, trail.length + 1)) continue
      const beatenBy = Math.max(beaten, edge.beatenBy)
      found.push(toCandidate(demand, found.length, [...trail, edge.step], joined, beatenBy))
    }
  }

  function visit(token: Address, slope: Slope | undefined, beaten: number): void {
    const targets = graph.get(token)
    const left = maxHops - trail.length
    if (!targets || left < 1 || found.length >= maxCandidates) return
    finish(targets.get(to) ?? [], slope, beaten)
    if (left < 2) return
    for (const [next, edges] of targets) {
      const further = ahead[left - 1]?.get(next)
      if (further === undefined || next === to || next === from) continue
      if (trail.some((step) => step.to === next)) continue
      for (const edge of usable(edges, maxPaths)) {
        const joined = slope ? slopeAfter(slope, edge.slope) : edge.slope
        if (!isWorthwhile(joined.rate * further, trail.length + 2)) continue
        trail.push(edge.step)
        visit(next, joined, Math.max(beaten, edge.beatenBy))
        trail.pop()
      }
    }
  }

  if (from !== to) visit(from, undefined, 0)
  return found
}

/** A way that was found otherwise. */
export function candidateOf({ walk }: Question, demand: Demand, way: Way): Candidate {
  const slope = way.map((step) => slopeOf(walk, step)).reduce(slopeAfter, { rate: 1, bend: 0 })
  return toCandidate(demand, -1, way, slope, 0)
}

function toCandidate(
  { hopCost }: Demand,
  id: number,
  way: Way,
  { rate, bend }: Slope,
  beatenBy: number,
): Candidate {
  return { id, way, depth: 1 / bend, root: Math.sqrt(rate), cost: way.length * hopCost, beatenBy }
}

/** Far atoms for a given one. */
function bestRatesAhead({ ahead, walk }: Question): ReadonlyMap<Address, number>[] {
  const unit = 2 ** Number(rateBits)
  const toFar = (rate: bigint) => (walk === selling ? Number(rate) / unit : unit / Number(rate))
  return ahead.map((rates) => new Map([...rates].map(([token, rate]) => [token, toFar(rate)])))
}

/** Each other path can take one of the pools that are better. */
function usable(edges: readonly Edge[], maxPaths: number): readonly Edge[] {
  return edges.length <= maxPaths ? edges : edges.filter(({ beatenBy }) => beatenBy < maxPaths)
}
