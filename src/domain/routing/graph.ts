import type { Address } from '../evm/address.ts'
import { type Curve, type Pool, poolCurve } from './pool.ts'
import { type Step, selling, type Walk } from './walk.ts'

export interface Edge {
  step: Step
  curve: Curve
  slope: Slope
  /** What the first atom in gets out, with `rateBits` bits behind the point, rounded up. */
  rate: bigint
  /** How many pools between the same tokens are at least as good at every amount. */
  beatenBy: number
}

/**
 * A curve in doubles, from the side that is walked from: far = rate · given / (1 ± bend · given), the sign being plus for a sell. It helps
 * to choose; what is answered is worked out exactly.
 */
export interface Slope {
  rate: number
  bend: number
}

export const rateBits = 192n

/** Pools by the token that is walked from and the one that is walked to, the least beaten first, of those the one with the best rate. */
export type PoolGraph = ReadonlyMap<Address, ReadonlyMap<Address, readonly Edge[]>>

export type RatesAhead = readonly ReadonlyMap<Address, bigint>[]

const graphs = new WeakMap<readonly Pool[], Map<Walk, PoolGraph>>()

/** Made once for each list of pools, which must not change afterwards. */
export function graphOf(pools: readonly Pool[], walk: Walk): PoolGraph {
  const known = graphs.get(pools) ?? new Map<Walk, PoolGraph>()
  graphs.set(pools, known)
  const graph = known.get(walk) ?? createGraph(pools, walk)
  known.set(walk, graph)
  return graph
}

/**
 * By the number of steps, from each token that leads to `target` in so many: the best rate that a first atom gets on the way, rounded up.
 * No amount gets a better one.
 */
export function ratesAhead(graph: PoolGraph, target: Address, most: number): RatesAhead {
  let within = new Map([[target, 1n << rateBits]])
  const found = [within]
  for (let steps = 1; steps <= most; steps++) {
    const further = new Map(within)
    for (const [next, ahead] of within) {
      for (const token of graph.get(next)?.keys() ?? []) {
        const [edge] = graph.get(token)?.get(next) ?? []
        const rate = edge ? rateAfter(edge.rate, ahead) : 0n
        if (rate > (further.get(token) ?? 0n)) further.set(token, rate)
      }
    }
    within = further
    found.push(within)
  }
  return found
}

export function slopeOf(walk: Walk, step: Step): Slope {
  const { scale, offset, bend } = poolCurve(step.pool, walk.tokenIn(step))
  const [over, under] = walk === selling ? [scale, offset] : [offset, scale]
  return { rate: Number(over) / Number(under), bend: Number(bend) / Number(under) }
}

/** The second going on where the first ends. */
export function slopeAfter(first: Slope, second: Slope): Slope {
  return { rate: first.rate * second.rate, bend: first.bend + first.rate * second.bend }
}

function rateAfter(first: bigint, second: bigint): bigint {
  return ((first * second) >> rateBits) + 1n
}

function createGraph(pools: readonly Pool[], walk: Walk): PoolGraph {
  const graph = new Map<Address, Map<Address, Edge[]>>()
  const add = (step: Step) => {
    const targets = graph.get(step.from) ?? new Map<Address, Edge[]>()
    const edges = targets.get(step.to) ?? []
    const curve = poolCurve(step.pool, walk.tokenIn(step))
    const rate = (curve.scale << rateBits) / curve.offset + 1n
    edges.push({ step, curve, slope: slopeOf(walk, step), rate, beatenBy: 0 })
    graph.set(step.from, targets.set(step.to, edges))
  }
  const seen = new Set<Address>()
  for (const pool of pools) {
    if (seen.has(pool.address) || pool.reserve0 === 0n || pool.reserve1 === 0n) continue
    seen.add(pool.address)
    add({ pool, from: pool.token0, to: pool.token1 })
    add({ pool, from: pool.token1, to: pool.token0 })
  }
  for (const targets of graph.values()) for (const edges of targets.values()) rank(edges)
  return graph
}

function rank(edges: Edge[]): void {
  if (edges.length < 2) return
  edges.forEach((edge, index) => {
    edge.beatenBy = edges.filter(
      (other, at) => at !== index && beats(other.curve, edge.curve, at < index),
    ).length
  })
  edges.sort((a, b) => a.beatenBy - b.beatenBy || (a.rate > b.rate ? -1 : 1))
}

/** The better price for the first atom, and the deeper: then it is at least as good at any amount. Of equals the earlier. */
function beats(a: Curve, b: Curve, earlier: boolean): boolean {
  const [priceOfA, priceOfB] = [a.scale * b.offset, b.scale * a.offset]
  if (priceOfA < priceOfB || a.scale < b.scale) return false
  return earlier || priceOfA > priceOfB || a.scale > b.scale
}
