import type { Address } from './address.ts'
import { type Curve, curveAfter, poolCurve } from './pool.ts'
import { type Edge, rateAfter, rateBits } from './route-graph.ts'
import type { Question } from './route-single.ts'
import { type Step, selling, type Way } from './route-walk.ts'
import { squareRootDown } from './square-root.ts'

/**
 * A way that may be one of several, as the curve far = depth · rate · given / (depth ± given), the sign being plus for a sell.
 * Numbers are rounded so that the curve promises too much rather than too little.
 */
export interface Candidate {
  /** Its place among the candidates of one search. */
  id: number
  way: Way
  /** Atoms of the given side, with `depthBits` bits behind the point. */
  depth: bigint
  /** The square root of what the first atom goes for on the far side, with `rootBits` bits behind the point. */
  root: bigint
  /** Of its swaps, in far atoms with `gainBits` bits behind the point. */
  cost: bigint
}

export const depthBits = 32n
export const rootBits = rateBits / 2n
export const gainBits = 2n * rootBits + depthBits

const one = 1n << rateBits

/** Ways that a division looks at; a bound on the work for markets with many pools side by side. */
const mostCandidates = 1_000

/**
 * Every way without a token twice that earns more than its swaps where atoms go for `price`² (far ones for a given one) elsewhere, but
 * for pools that could always be exchanged for a better one which no other path uses. At the price that the best way alone ends with,
 * a better division has no other ways: beside one of no use there would have to be one that is better alone.
 */
export function waysToDivide(question: Question, price: bigint): Candidate[] {
  const { graph, ahead, from, to, maxHops, maxPaths, walk } = question
  const floors = Array.from({ length: maxHops + 1 }, (_, hops) => lowestRate(question, price, hops))
  const found: Candidate[] = []
  const trail: Step[] = []

  function finish(edges: readonly Edge[], curve: Curve | undefined, rate: bigint): void {
    const floor = floors[trail.length + 1]
    for (const edge of usable(edges, maxPaths)) {
      if (floor === undefined || found.length === mostCandidates) return
      if (rateAfter(rate, edge.rate) <= floor) continue
      const way = [...trail, edge.step]
      found.push({ id: found.length, way, ...toCurve(question, joined(curve, edge), way.length) })
    }
  }

  function visit(token: Address, curve: Curve | undefined, rate: bigint): void {
    const targets = graph.get(token)
    const left = maxHops - trail.length
    if (!targets || left < 1) return
    finish(targets.get(to) ?? [], curve, rate)
    const floor = floors[trail.length + 2]
    if (left < 2 || floor === undefined) return
    for (const [next, edges] of targets) {
      const further = ahead[left - 1]?.get(next)
      if (further === undefined || next === to || next === from) continue
      if (trail.some((step) => step.to === next)) continue
      for (const edge of usable(edges, maxPaths)) {
        const soFar = rateAfter(rate, edge.rate)
        if (rateAfter(soFar, further) <= floor) continue
        trail.push(edge.step)
        visit(next, joined(curve, edge), soFar)
        trail.pop()
      }
    }
  }

  const joined = (curve: Curve | undefined, edge: Edge) => {
    if (!curve) return edge.curve
    return walk === selling ? curveAfter(curve, edge.curve) : curveAfter(edge.curve, curve)
  }

  if (from !== to) visit(from, undefined, one)
  return found
}

/** What the first atom must get on a way so that the whole amount could earn its swaps; `undefined` where nothing is enough. */
function lowestRate({ walk, amount, hopCost }: Question, price: bigint, hops: number): bigint | undefined {
  const swaps = ((BigInt(hops) * hopCost) << rateBits) / amount
  if (walk === selling) return price * price + swaps
  const most = price * price - swaps
  return most < 0n ? undefined : (1n << (2n * rateBits)) / (most + 1n)
}

/** A way that was found otherwise. */
export function toCandidate(question: Question, way: Way): Candidate | undefined {
  const { walk } = question
  const [first, ...rest] = (walk === selling ? way : way.toReversed()).map((step) =>
    poolCurve(step.pool, walk.tokenIn(step)),
  )
  return first && { id: -1, way, ...toCurve(question, rest.reduce(curveAfter, first), way.length) }
}

/** Each other path can take one of the pools that are better. */
function usable(edges: readonly Edge[], maxPaths: number): readonly Edge[] {
  return edges.length <= maxPaths ? edges : edges.filter(({ beatenBy }) => beatenBy < maxPaths)
}

function toCurve({ walk, hopCost }: Question, { scale, offset, bend }: Curve, hops: number) {
  const [known, other] = walk === selling ? [offset, scale] : [scale, offset]
  const root = squareRootDown((other << (2n * rootBits)) / known)
  return {
    depth: (known << depthBits) / bend + 1n,
    root: walk === selling ? root + 1n : root,
    cost: (BigInt(hops) * hopCost) << gainBits,
  }
}
