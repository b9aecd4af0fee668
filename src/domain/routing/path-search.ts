import type { Address } from '../evm/address.ts'
import {
  composeSlopes,
  type Direction,
  type Edge,
  type PoolGraph,
  type PoolPath,
  type RatesAhead,
  rateBits,
  type Slope,
  type Step,
  selling,
  slopeOf,
} from './graph.ts'

/** A search for routes, from the side whose amount is given. */
export interface RouteQuery {
  graph: PoolGraph
  /** The best rates from each token to `to`. */
  ahead: RatesAhead
  direction: Direction
  from: Address
  to: Address
  amount: bigint
  maxHops: number
  maxPaths: number
  hopCost: bigint
}

/**
 * A path and its value: atoms of the far side minus the cost of swaps; negative for a buy, whose far side is
 * paid.
 */
export interface ValuedPath {
  poolPath: PoolPath
  value: bigint
}

/** The most valuable path without a repeated token; ties go to fewer swaps. */
export function bestSinglePath(query: RouteQuery): ValuedPath | undefined {
  const { graph, ahead, direction, from, to, amount, maxHops, hopCost } = query
  const steps: Step[] = []
  /**
   * The best amount that arrives at each token with one hop left. From there a path cannot repeat a token.
   */
  const arrivals = new Map<Address, bigint>()
  let best: ValuedPath | undefined

  function finish(edges: readonly Edge[], reached: bigint): void {
    const last = bestSwap(direction, edges, reached)
    if (!last) return
    const value = direction.sign * last.reached - BigInt(steps.length + 1) * hopCost
    const isBetter =
      !best || value > best.value || (value === best.value && steps.length + 1 < best.poolPath.length)
    if (isBetter) best = { poolPath: [...steps, last.step], value }
  }

  function isBestArrival(token: Address, reached: bigint): boolean {
    const earlier = arrivals.get(token)
    if (earlier !== undefined && direction.sign * earlier >= direction.sign * reached) return false
    arrivals.set(token, reached)
    return true
  }

  /**
   * Reports whether a path through `next`, at the best rates of a first atom and with two more swaps, could
   * beat `best`.
   */
  function mayImprove([edge]: readonly Edge[], next: Address, reached: bigint): boolean {
    const rate = ahead[maxHops - steps.length - 1]?.get(next)
    if (!edge || rate === undefined) return false
    if (!best) return true
    const min = best.value + BigInt(steps.length + 2) * hopCost
    return direction.sign > 0n
      ? (reached * edge.rate * rate) >> (2n * rateBits) >= min
      : reached << (2n * rateBits) <= -min * edge.rate * rate
  }

  function visit(token: Address, reached: bigint): void {
    const targets = graph.get(token)
    const hopsLeft = maxHops - steps.length
    if (!targets || hopsLeft < 1) return
    finish(targets.get(to) ?? [], reached)
    if (hopsLeft < 2) return
    for (const [next, edges] of targets) {
      if (next === to || next === from || steps.some((step) => step.to === next)) continue
      if (!mayImprove(edges, next, reached)) continue
      const swap = bestSwap(direction, edges, reached)
      if (!swap || (hopsLeft === 2 && !isBestArrival(next, swap.reached))) continue
      steps.push(swap.step)
      visit(next, swap.reached)
      steps.pop()
    }
  }

  if (from !== to) visit(from, amount)
  return best
}

/**
 * The best of several parallel pools for this amount. Only it can be in the best path: a larger amount never
 * gets less in later swaps.
 */
function bestSwap(direction: Direction, edges: readonly Edge[], amount: bigint) {
  let best: { step: Step; reached: bigint } | undefined
  for (const { step, beatenBy } of edges) {
    if (beatenBy > 0 && best) break
    const reached = direction.swapAmount(step, amount)
    if (reached === undefined) continue
    if (!best || direction.sign * reached > direction.sign * best.reached) best = { step, reached }
  }
  return best
}

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
export const maxCandidates = 2_000

export function toDemand({ direction, amount, hopCost }: RouteQuery): Demand {
  return { sign: Number(direction.sign), amount: Number(amount), hopCost: Number(hopCost) }
}

/**
 * Finds every path without a repeated token that earns more than its swaps cost if atoms trade at `price`²
 * (far atoms for a given one) elsewhere, up to a limit. Pools are left out if a better pool is always free to
 * take their place.
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
