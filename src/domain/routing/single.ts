import type { Address } from '../evm/address.ts'
import { type Edge, type PoolGraph, type RatesAhead, rateBits } from './graph.ts'
import type { Step, Walk, Way } from './walk.ts'

/** A search for routes, from the side whose amount is given. */
export interface Question {
  graph: PoolGraph
  /** Of `to`. */
  ahead: RatesAhead
  walk: Walk
  from: Address
  to: Address
  amount: bigint
  maxHops: number
  maxPaths: number
  hopCost: bigint
}

/** A way and what it is worth: atoms of the far side, swaps taken off; negative when they are paid. */
export interface ValuedWay {
  way: Way
  value: bigint
}

/** The most valuable of all ways without a token twice; of equals the one with fewer swaps. */
export function bestWay(question: Question): ValuedWay | undefined {
  const { graph, ahead, walk, from, to, amount, maxHops, hopCost } = question
  const trail: Step[] = []
  /** By token, the best amount that came there with one step left: from there no way can cross itself any more. */
  const arrivals = new Map<Address, bigint>()
  let best: ValuedWay | undefined

  function finish(edges: readonly Edge[], reached: bigint): void {
    const last = bestPass(walk, edges, reached)
    if (!last) return
    const value = walk.sign * last.reached - BigInt(trail.length + 1) * hopCost
    const isBetter =
      !best || value > best.value || (value === best.value && trail.length + 1 < best.way.length)
    if (isBetter) best = { way: [...trail, last.step], value }
  }

  function isBest(token: Address, reached: bigint): boolean {
    const before = arrivals.get(token)
    if (before !== undefined && walk.sign * before >= walk.sign * reached) return false
    arrivals.set(token, reached)
    return true
  }

  /** At the best rates that a first atom would get, and over two swaps more, could this still be the best way? */
  function mayLead([edge]: readonly Edge[], next: Address, reached: bigint): boolean {
    const rate = ahead[maxHops - trail.length - 1]?.get(next)
    if (!edge || rate === undefined) return false
    if (!best) return true
    const least = best.value + BigInt(trail.length + 2) * hopCost
    return walk.sign > 0n
      ? (reached * edge.rate * rate) >> (2n * rateBits) >= least
      : reached << (2n * rateBits) <= -least * edge.rate * rate
  }

  function visit(token: Address, reached: bigint): void {
    const targets = graph.get(token)
    const left = maxHops - trail.length
    if (!targets || left < 1) return
    finish(targets.get(to) ?? [], reached)
    if (left < 2) return
    for (const [next, edges] of targets) {
      if (next === to || next === from || trail.some((step) => step.to === next)) continue
      if (!mayLead(edges, next, reached)) continue
      const passed = bestPass(walk, edges, reached)
      if (!passed || (left === 2 && !isBest(next, passed.reached))) continue
      trail.push(passed.step)
      visit(next, passed.reached)
      trail.pop()
    }
  }

  if (from !== to) visit(from, amount)
  return best
}

/** Of pools side by side only the best for this amount can be part of the best way: more never becomes less further on. */
function bestPass(walk: Walk, edges: readonly Edge[], amount: bigint) {
  let best: { step: Step; reached: bigint } | undefined
  for (const { step, beatenBy } of edges) {
    if (beatenBy > 0 && best) break
    const reached = walk.pass(step, amount)
    if (reached === undefined) continue
    if (!best || walk.sign * reached > walk.sign * best.reached) best = { step, reached }
  }
  return best
}
