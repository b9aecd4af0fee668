import type { Address } from '../evm/address.ts'
import { composeSlopes, type Edge, rateBits, type Slope, slopeOf } from './graph.ts'
import type { RouteQuery } from './single.ts'
import { type PoolPath, type Step, selling } from './walk.ts'

/**
 * A pool path that may be one of several. Its curve: far = depth · root² · given / (depth ± given), with plus
 * for a sell.
 */
export interface Candidate {
  /** Index among the candidates of one search; -1 for the best single path. */
  id: number
  poolPath: PoolPath
  /** The depth in atoms of the given side. */
  depth: number
  /** The square root of the marginal rate at zero: far atoms for a given atom. */
  root: number
  /** The cost of its swaps, in far atoms. */
  cost: number
  /** The largest `beatenBy` of its edges. */
  beatenBy: number
}

/** The query in doubles. */
export interface Demand {
  sign: number
  amount: number
  hopCost: number
}

/** The maximum number of candidates, which limits the work in markets with many parallel pools. */
const maxCandidates = 2_000

export function toDemand({ direction, amount, hopCost }: RouteQuery): Demand {
  return { sign: Number(direction.sign), amount: Number(amount), hopCost: Number(hopCost) }
}

/**
 * Finds every path without a repeated token that earns more than its swaps cost if atoms trade at `price`²
 * (far atoms for a given one) elsewhere. Pools are left out if a better pool is always free to take their
 * place. At the marginal price of the best single path these candidates suffice: a division with any other
 * path would contain a path that is better alone.
 */
export function findCandidates(query: RouteQuery, demand: Demand, price: number): Candidate[] {
  const { graph, from, to, maxHops, maxPaths } = query
  const ahead = bestRatesAhead(query)
  const candidates: Candidate[] = []
  const steps: Step[] = []
  /** Reports whether the whole amount, traded at this rate, would pay for `hops` swaps. */
  const isProfitable = (rate: number, hops: number) =>
    demand.sign * (rate - price * price) * demand.amount > hops * demand.hopCost

  function addCandidates(edges: readonly Edge[], slope: Slope | undefined, beatenBy: number): void {
    for (const edge of usableEdges(edges, maxPaths)) {
      const joined = slope ? composeSlopes(slope, edge.slope) : edge.slope
      if (!isProfitable(joined.rate, steps.length + 1)) continue

      candidates.push(
        toCandidate(
          demand,
          candidates.length,
          [...steps, edge.step],
          joined,
          Math.max(beatenBy, edge.beatenBy),
        ),
      )
    }
  }

  function visit(token: Address, slope: Slope | undefined, beatenBy: number): void {
    const targets = graph.get(token)
    const hopsLeft = maxHops - steps.length
    if (!targets || hopsLeft < 1 || candidates.length >= maxCandidates) return
    addCandidates(targets.get(to) ?? [], slope, beatenBy)
    if (hopsLeft < 2) return
    for (const [next, edges] of targets) {
      const rateAhead = ahead[hopsLeft - 1]?.get(next)
      if (rateAhead === undefined || next === to || next === from) continue
      if (steps.some((step) => step.to === next)) continue
      for (const edge of usableEdges(edges, maxPaths)) {
        const joined = slope ? composeSlopes(slope, edge.slope) : edge.slope
        if (!isProfitable(joined.rate * rateAhead, steps.length + 2)) continue
        steps.push(edge.step)
        visit(next, joined, Math.max(beatenBy, edge.beatenBy))
        steps.pop()
      }
    }
  }

  if (from !== to) visit(from, undefined, 0)
  return candidates
}

/** The candidate for a path from another search, such as the best single path. */
export function candidateOfPath({ direction }: RouteQuery, demand: Demand, poolPath: PoolPath): Candidate {
  const slope = poolPath.map((step) => slopeOf(direction, step)).reduce(composeSlopes, { rate: 1, bend: 0 })
  return toCandidate(demand, -1, poolPath, slope, 0)
}

function toCandidate(
  { hopCost }: Demand,
  id: number,
  poolPath: PoolPath,
  { rate, bend }: Slope,
  beatenBy: number,
): Candidate {
  return { id, poolPath, depth: 1 / bend, root: Math.sqrt(rate), cost: poolPath.length * hopCost, beatenBy }
}

/** The rates of `ahead` as far atoms for a given atom. */
function bestRatesAhead({ ahead, direction }: RouteQuery): ReadonlyMap<Address, number>[] {
  const unit = 2 ** Number(rateBits)
  const toFar = (rate: bigint) => (direction === selling ? Number(rate) / unit : unit / Number(rate))
  return ahead.map((rates) => new Map([...rates].map(([token, rate]) => [token, toFar(rate)])))
}

/**
 * The edges that may be needed. Each of the other paths can use up one better pool, so worse-ranked pools are
 * never needed.
 */
function usableEdges(edges: readonly Edge[], maxPaths: number): readonly Edge[] {
  return edges.filter(({ beatenBy }) => beatenBy < maxPaths)
}
