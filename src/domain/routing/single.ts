import type { Address } from '../evm/address.ts'
import { type Edge, type PoolGraph, type RatesAhead, rateBits } from './graph.ts'
import type { Direction, PoolPath, Step } from './walk.ts'

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
    const least = best.value + BigInt(steps.length + 2) * hopCost
    return direction.sign > 0n
      ? (reached * edge.rate * rate) >> (2n * rateBits) >= least
      : reached << (2n * rateBits) <= -least * edge.rate * rate
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
