import type { Address } from '../evm/address.ts'
import { graphOf, ratesAhead } from './graph.ts'
import type { Pool } from './pool.ts'
import { bestWay, type Question } from './single.ts'
import { bestDivision } from './split.ts'
import { buying, selling, type Walk, type Way } from './walk.ts'

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

/** Paths side by side between the same two tokens, no pool in two of them. Amounts are sums. */
export interface Route {
  paths: [Path, ...Path[]]
  amountIn: bigint
  amountOut: bigint
}

export function hopsOf({ paths }: { paths: readonly Path[] }): Hop[] {
  return paths.flatMap(({ hops }) => hops)
}

/** What a search may use, and what it weighs. */
export interface RouteSearch {
  /** Swaps of one path at most; 3 unless told. */
  maxHops?: number
  /** Paths side by side at most; 3 unless told. */
  maxPaths?: number
  /** What one more swap must bring: buy atoms for a sell, sell atoms for a buy. Nothing unless told. */
  hopCost?: bigint
}

/**
 * The route that pays most for exactly `amountIn`, less the cost of its swaps; `undefined` when none pays anything.
 * Better than every path alone; a division over paths where that is better still. `pools` must not change afterwards.
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

/** The route that costs least for exactly `amountOut`, the cost of its swaps added; `undefined` when none can give it. */
export function bestRouteForBuy(
  pools: readonly Pool[],
  sell: Address,
  buy: Address,
  amountOut: bigint,
  search: RouteSearch = {},
): Route | undefined {
  return bestRoute(buying, pools, { from: buy, to: sell, amount: amountOut }, search)
}

/**
 * Buy atoms for a sell atom that no route of so many hops exceeds, however small the amount, with `rateBits` bits behind the point;
 * 0 when none leads there.
 */
export function rateBound(pools: readonly Pool[], sell: Address, buy: Address, maxHops = 3): bigint {
  return ratesAhead(graphOf(pools, selling), buy, maxHops)[maxHops]?.get(sell) ?? 0n
}

function bestRoute(
  walk: Walk,
  pools: readonly Pool[],
  given: Pick<Question, 'from' | 'to' | 'amount'>,
  { maxHops = 3, maxPaths = 3, hopCost = 0n }: RouteSearch,
): Route | undefined {
  if (given.amount <= 0n) return undefined
  const graph = graphOf(pools, walk)
  const ahead = ratesAhead(graph, given.to, maxHops - 1)
  const question = { ...given, graph, ahead, walk, maxHops, maxPaths, hopCost }
  const alone = bestWay(question)
  const division = bestDivision(question, alone)
  if (division) return toRoute(division.parts.flatMap(({ way, amount }) => toPath(walk, way, amount) ?? []))
  return alone && toRoute([toPath(walk, alone.way, given.amount)].filter((path) => path !== undefined))
}

function toPath(walk: Walk, way: Way, given: bigint): Path | undefined {
  const hops: Hop[] = []
  let amount = given
  for (const step of way) {
    const reached = walk.pass(step, amount)
    if (reached === undefined) return undefined
    const { pool, from, to } = step
    if (walk === selling)
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
