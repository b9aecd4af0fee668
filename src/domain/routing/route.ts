import { derivedOnce } from '../derived.ts'
import type { Address } from '../evm/address.ts'
import { buying, type Direction, graphOf, type PoolPath, pricing, ratesAhead, selling } from './graph.ts'
import { bestSinglePath, type RouteQuery } from './path-search.ts'
import type { Pool } from './pool.ts'
import { bestDivision } from './split.ts'

/** One swap: `amountIn` of `tokenIn` becomes `amountOut` of `tokenOut`. */
export interface Hop {
  pool: Pool
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  amountOut: bigint
}

/** Swaps in a row; the output of one is the input of the next. */
export interface Path {
  hops: [Hop, ...Hop[]]
  amountIn: bigint
  amountOut: bigint
}

/** Parallel paths between the same two tokens that share no pool. Amounts are sums. */
export interface Route {
  paths: [Path, ...Path[]]
  amountIn: bigint
  amountOut: bigint
}

export function hopsOf({ paths }: { paths: readonly Path[] }): Hop[] {
  return paths.flatMap(({ hops }) => hops)
}

/** Limits and costs of a search. */
interface RouteSearch {
  /** The maximum number of swaps in one path; 3 by default. */
  maxHops?: number
  /** The maximum number of parallel paths; 3 by default. */
  maxPaths?: number
  /** The cost of a swap: buy atoms for a sell, sell atoms for a buy. 0 by default. */
  hopCost?: bigint
}

/**
 * The route that pays the most for exactly `amountIn` after the cost of its swaps: a single path, or a
 * division over several paths if that is better. `pools` must not change afterwards.
 * @returns undefined if no route pays anything
 */
export function bestRouteForSell(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  amountIn: bigint,
  search: RouteSearch = {},
): Route | undefined {
  return bestRoute(selling, pools, { from: sell, to: buy, amount: amountIn }, search)
}

/**
 * The route that costs the least for exactly `amountOut`, including the cost of its swaps.
 * @returns undefined if no route can give that amount
 */
export function bestRouteForBuy(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  amountOut: bigint,
  search: RouteSearch = {},
): Route | undefined {
  return bestRoute(buying, pools, { from: buy, to: sell, amount: amountOut }, search)
}

/** The parts of an atom in which a price is found, so that an atom may be worth any amount. */
const atomParts = 10n ** 36n
const inParts = derivedOnce((pools: readonly Pool[]) =>
  pools.map(({ reserve0, reserve1, ...pool }) => ({
    ...pool,
    reserve0: reserve0 * atomParts,
    reserve1: reserve1 * atomParts,
  })),
)

/**
 * The price of exactly `amountOut` by one path, before amounts are rounded to whole atoms. Both amounts are
 * in parts of an atom.
 */
export function unroundedPrice(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  amountOut: bigint,
): Pick<Route, 'amountIn' | 'amountOut'> | undefined {
  const trade = { from: buy, to: sell, amount: amountOut * atomParts }
  return bestRoute(pricing, inParts(pools), trade, { maxPaths: 1 })
}

/**
 * The upper bound on buy atoms for a sell atom over routes of at most `maxHops`, for any amount, with
 * `rateBits` fractional bits; 0 without a route.
 */
export function rateBound(pools: readonly Pool[], sell: Address, buy: Address, maxHops = 3): bigint {
  return ratesAhead(graphOf(pools, selling), buy, maxHops)[maxHops]?.get(sell) ?? 0n
}

function bestRoute(
  direction: Direction,
  pools: readonly Pool[],
  trade: Pick<RouteQuery, 'from' | 'to' | 'amount'>,
  { maxHops = 3, maxPaths = 3, hopCost = 0n }: RouteSearch,
): Route | undefined {
  if (trade.amount <= 0n) return undefined
  const graph = graphOf(pools, direction)
  const ahead = ratesAhead(graph, trade.to, maxHops - 1)
  const query = { ...trade, graph, ahead, direction, maxHops, maxPaths, hopCost }
  const single = bestSinglePath(query)
  const alone = single ? [{ poolPath: single.poolPath, amount: trade.amount }] : []
  const parts = bestDivision(query, single)?.parts ?? alone
  return toRoute(parts.flatMap(({ poolPath, amount }) => pathThrough(direction, poolPath, amount) ?? []))
}

/** The swaps of a path with this amount on the given side; undefined if a pool refuses it. */
export function pathThrough(direction: Direction, poolPath: PoolPath, givenAmount: bigint): Path | undefined {
  const hops: Hop[] = []
  let amount = givenAmount
  for (const step of poolPath) {
    const reached = direction.swapAmount(step, amount)
    if (reached === undefined) return undefined
    const { pool, from, to } = step
    if (direction === selling)
      hops.push({ pool, tokenIn: from, tokenOut: to, amountIn: amount, amountOut: reached })
    else hops.unshift({ pool, tokenIn: to, tokenOut: from, amountIn: reached, amountOut: amount })
    amount = reached
  }
  const [first, ...rest] = hops
  if (!first) return undefined
  return { hops: [first, ...rest], amountIn: first.amountIn, amountOut: (rest.at(-1) ?? first).amountOut }
}

function toRoute([first, ...rest]: readonly Path[]): Route | undefined {
  if (!first) return undefined
  const paths: Route['paths'] = [first, ...rest]
  return {
    paths,
    amountIn: paths.reduce((sum, path) => sum + path.amountIn, 0n),
    amountOut: paths.reduce((sum, path) => sum + path.amountOut, 0n),
  }
}
