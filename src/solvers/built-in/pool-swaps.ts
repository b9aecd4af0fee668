import { amountThrough, buying, type PoolPath, reversePath, selling } from '../../domain/routing/graph.ts'
import {
  bestRouteForBuy,
  bestRouteForSell,
  hopsOf,
  type Path,
  pathThrough,
} from '../../domain/routing/route.ts'
import type { Batch } from './batch.ts'
import { type Crossing, excessTerms, isInsideSpread, toBook } from './clearing-prices.ts'
import { hopCostOf } from './task.ts'

/** Swaps between a token and the first one: a positive excess of the token is sold, a negative one bought. */
export interface PoolSwaps {
  token: number
  isSold: boolean
  /**
   * Returns the atoms of the first token that the swaps give, or as a negative number take; undefined if the
   * pools refuse.
   */
  gained(excess: bigint): bigint | undefined
  paths(excess: bigint): Path[] | undefined
}

/**
 * Creates swaps for each token that the orders do not balance alone, the largest first. They share no pool.
 * @returns undefined without a route
 */
export function createPoolSwaps(market: Crossing, { settled, prices }: Batch): PoolSwaps[] | undefined {
  const book = toBook(prices.length, settled)
  const edges: PoolSwaps[] = []
  let { pools } = market.task
  const open = [...prices.keys()]
    .filter((token) => token > 0 && !isInsideSpread(market, prices, token))
    .map((token) => {
      const [{ fixed, inverse }, price] = [excessTerms(book, prices, token), prices[token] ?? 1]
      return {
        token,
        value: Math.abs(fixed * price + inverse),
        excess: BigInt(Math.trunc(fixed + inverse / price)),
      }
    })
    .sort((a, b) => b.value - a.value)
  for (const { token, excess } of open) {
    const paths = bestPaths(market, token, excess, pools)
    if (!paths) return undefined
    const used = new Set(hopsOf({ paths }).map(({ pool }) => pool.address))
    pools = pools.filter(({ address }) => !used.has(address))
    edges.push(swapsOfPaths(token, excess > 0n, paths))
  }
  return edges
}

function bestPaths(
  { task, tokens }: Crossing,
  token: number,
  excess: bigint,
  pools: Crossing['task']['pools'],
) {
  const [first, other] = [tokens[0], tokens[token]]
  if (!first || !other) return undefined
  const search = { hopCost: hopCostOf(task, first) }
  // An estimate that is slightly too low for one atom of the first token gives none of it.
  const route =
    excess > 0n
      ? (bestRouteForSell(pools, other, first, excess, search) ??
        bestRouteForBuy(pools, other, first, 1n, search))
      : bestRouteForBuy(pools, first, other, -excess, search)
  return route?.paths
}

/**
 * Creates an edge. Small differences from the amount for which the paths were chosen go through the largest
 * path.
 */
function swapsOfPaths(token: number, isSold: boolean, paths: readonly Path[]): PoolSwaps {
  const direction = isSold ? selling : buying
  const [given, far] = isSold ? (['amountIn', 'amountOut'] as const) : (['amountOut', 'amountIn'] as const)
  const [largest, ...others] = [...paths].sort((a, b) => (a[given] > b[given] ? -1 : 1))
  const [fixedGiven, fixedFar] = [given, far].map((side) =>
    others.reduce((sum, path) => sum + path[side], 0n),
  )
  const poolPath = largest ? toPoolPath(largest, isSold) : []
  const variable = (excess: bigint) => {
    const amount = (isSold ? excess : -excess) - (fixedGiven ?? 0n)
    return amount > 0n ? amount : undefined
  }
  return {
    token,
    isSold,
    gained(excess) {
      const amount = variable(excess)
      const reached = amount === undefined ? undefined : amountThrough(direction, poolPath, amount)
      return reached === undefined ? undefined : direction.sign * (reached + (fixedFar ?? 0n))
    },
    paths(excess) {
      const amount = variable(excess)
      const path = amount === undefined ? undefined : pathThrough(direction, poolPath, amount)
      return path && [path, ...others]
    },
  }
}

/** The same path with fewer atoms of the first token from its last pool, or more for its first pool. */
export function leaveUnused(path: Path, isSold: boolean, unused: bigint): Path {
  const [first, ...rest] = path.hops
  if (!isSold) {
    const amountIn = path.amountIn + unused
    return { ...path, hops: [{ ...first, amountIn }, ...rest], amountIn }
  }
  const amountOut = path.amountOut - unused
  const last = { ...(rest.at(-1) ?? first), amountOut }
  const hops: Path['hops'] = rest.length === 0 ? [last] : [first, ...rest.slice(0, -1), last]
  return { ...path, hops, amountOut }
}

function toPoolPath({ hops }: Path, isSold: boolean): PoolPath {
  const forward = hops.map(({ pool, tokenIn, tokenOut }) => ({ pool, from: tokenIn, to: tokenOut }))
  return isSold ? forward : reversePath(forward)
}
