import { derivedOnce } from '../derived.ts'
import type { Address } from '../evm/address.ts'
import { type Curve, type Pool, poolCurve, poolInputUp, poolOutputDown, poolTakes } from './pool.ts'

/** One pool of a path, seen from the token whose amount is known. */
export interface Step {
  pool: Pool
  from: Address
  to: Address
}

/** Pools in a row from the given amount, which for a buy is at the end of the trade. */
export type PoolPath = readonly Step[]

/** The direction from the given side to the far side: forward for a sell, backward for a buy. */
export interface Direction {
  /** Returns the token that the pool receives. */
  tokenIn(step: Pick<Step, 'from' | 'to'>): Address
  /**
   * Returns the exact amount on the far side of the pool; undefined if the pool contract would refuse the
   * swap.
   */
  swapAmount(step: Step, amount: bigint): bigint | undefined
  /** The sign of an atom's value on the far side: positive if it is received, negative if it is paid. */
  sign: 1n | -1n
}

/** The direction from the sell amount to the largest buy amount. */
export const selling: Direction = {
  tokenIn: ({ from }) => from,
  swapAmount({ pool, from }, amountIn) {
    const amountOut = poolOutputDown(pool, from, amountIn)
    return amountOut > 0n && poolTakes(pool, from, amountIn) ? amountOut : undefined
  },
  sign: 1n,
}

/** The direction from the buy amount to the smallest sell amount. */
export const buying: Direction = {
  tokenIn: ({ to }) => to,
  swapAmount({ pool, to }, amountOut) {
    const amountIn = poolInputUp(pool, to, amountOut)
    return amountIn !== undefined && poolTakes(pool, to, amountIn) ? amountIn : undefined
  },
  sign: -1n,
}

/** Like `buying`, over pools whose amounts are parts of atoms: of any size, since none of them swaps. */
export const pricing: Direction = {
  ...buying,
  swapAmount: ({ pool, to }, amountOut) => poolInputUp(pool, to, amountOut),
}

/** The amount on the far side of the whole path. */
export function amountThrough(direction: Direction, poolPath: PoolPath, amount: bigint): bigint | undefined {
  let reached: bigint | undefined = amount
  for (const step of poolPath) {
    if (reached === undefined) return undefined
    reached = direction.swapAmount(step, reached)
  }
  return reached
}

/** The same path from the other end, for the opposite direction. */
export function reversePath(poolPath: PoolPath): PoolPath {
  return poolPath.map(({ pool, from, to }) => ({ pool, from: to, to: from })).toReversed()
}

export interface Edge {
  step: Step
  curve: Curve
  slope: Slope
  /** The output for the first input atom, with `rateBits` fractional bits, rounded up. */
  rate: bigint
  /** The number of pools between the same tokens that are at least as good at every amount. */
  beatenBy: number
}

/**
 * A curve in doubles, seen from the given side: far = rate · given / (1 ± bend · given), with plus for a
 * sell. It only helps to choose paths; the amounts of a route are computed exactly.
 */
export interface Slope {
  rate: number
  bend: number
}

export const rateBits = 192n

/** Pools by `from` and `to` token, sorted by `beatenBy`, then by the better rate. */
export type PoolGraph = ReadonlyMap<Address, ReadonlyMap<Address, readonly Edge[]>>

export type RatesAhead = readonly ReadonlyMap<Address, bigint>[]

const graphsOf = derivedOnce((_pools: readonly Pool[]) => new Map<Direction, PoolGraph>())

/** The graph of a list of pools, cached for each list. The list must not change afterwards. */
export function graphOf(pools: readonly Pool[], direction: Direction): PoolGraph {
  const cachedGraphs = graphsOf(pools)
  const graph = cachedGraphs.get(direction) ?? createGraph(pools, direction)
  cachedGraphs.set(direction, graph)
  return graph
}

/**
 * The tokens that reach `target`, for each number of hops, with the best rate of a first atom, rounded up. No
 * amount gets a better rate.
 */
export function ratesAhead(graph: PoolGraph, target: Address, maxHops: number): RatesAhead {
  let rates = new Map([[target, 1n << rateBits]])
  const ratesBySteps = [rates]
  for (let steps = 1; steps <= maxHops; steps++) {
    const nextRates = new Map(rates)
    for (const [next, ahead] of rates) {
      for (const token of graph.get(next)?.keys() ?? []) {
        const [edge] = graph.get(token)?.get(next) ?? []
        const rate = edge ? composeRates(edge.rate, ahead) : 0n
        if (rate > (nextRates.get(token) ?? 0n)) nextRates.set(token, rate)
      }
    }
    rates = nextRates
    ratesBySteps.push(rates)
  }
  return ratesBySteps
}

export function slopeOf(direction: Direction, step: Step): Slope {
  const { scale, offset, bend } = poolCurve(step.pool, direction.tokenIn(step))
  const [over, under] = direction === selling ? [scale, offset] : [offset, scale]
  return { rate: Number(over) / Number(under), bend: Number(bend) / Number(under) }
}

/** The slope of two swaps in a row. */
export function composeSlopes(first: Slope, second: Slope): Slope {
  return { rate: first.rate * second.rate, bend: first.bend + first.rate * second.bend }
}

function composeRates(first: bigint, second: bigint): bigint {
  return ((first * second) >> rateBits) + 1n
}

function createGraph(pools: readonly Pool[], direction: Direction): PoolGraph {
  const graph = new Map<Address, Map<Address, Edge[]>>()
  const add = (step: Step) => {
    const targets = graph.get(step.from) ?? new Map<Address, Edge[]>()
    const edges = targets.get(step.to) ?? []
    const curve = poolCurve(step.pool, direction.tokenIn(step))
    const rate = (curve.scale << rateBits) / curve.offset + 1n
    edges.push({ step, curve, slope: slopeOf(direction, step), rate, beatenBy: 0 })
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
  edges.forEach((edge, index) => {
    edge.beatenBy = edges.filter((other, otherIndex) =>
      isAtLeastAsGood(other.curve, edge.curve, otherIndex < index),
    ).length
  })
  edges.sort((a, b) => a.beatenBy - b.beatenBy || (a.rate > b.rate ? -1 : 1))
}

/**
 * Reports whether a pool is at least as good as another at any amount: it has the better price for the first
 * atom and more depth. Ties go to the earlier pool; no pool is better than itself.
 */
function isAtLeastAsGood(a: Curve, b: Curve, earlier: boolean): boolean {
  const [priceOfA, priceOfB] = [a.scale * b.offset, b.scale * a.offset]
  if (priceOfA < priceOfB || a.scale < b.scale) return false
  return earlier || priceOfA > priceOfB || a.scale > b.scale
}
