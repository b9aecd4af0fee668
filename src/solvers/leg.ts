import type { AuctionOrder } from '../domain/auction.ts'
import { sharedGasUp } from '../domain/gas.ts'
import { type Pool, poolAfterSwap } from '../domain/pool.ts'
import { bestRouteForBuy, bestRouteForSell, type Hop, hopsOf, type Route } from '../domain/route.ts'
import type { ProposedTrade } from '../domain/solution.ts'
import { orderFeeUp, pairOf, type Task } from './task.ts'

/** One order on its own way through the pools. */
export interface Leg {
  entry: AuctionOrder
  trade: ProposedTrade
  /** Empty for an order that only unwraps the native coin. */
  hops: readonly Hop[]
  amountIn: bigint
  amountOut: bigint
}

const maxHops = 2

/**
 * Routes `filled` atoms of the order's fixed side: the fee comes out of what is sold for a sell order, on top for a buy order.
 * `trades` is how many orders share the settlement's base cost.
 */
export function routeLeg(task: Task, entry: AuctionOrder, filled: bigint, trades = 1): Leg | undefined {
  const pair = pairOf(entry.order, task)
  const depths = pair.sell === pair.buy ? [0] : Array.from({ length: maxHops }, (_, index) => index + 1)
  let best: Leg | undefined
  for (const depth of depths) {
    const fee = orderFeeUp(task, entry, sharedGasUp(trades, depth))
    const leg = fee === undefined ? undefined : legWithFee(task, entry, filled, fee, depth)
    if (leg && (!best || isBetter(leg, best))) best = leg
  }
  return best
}

/** What is left of the pools after these swaps. */
export function poolsAfter(pools: readonly Pool[], hops: readonly Hop[]): Pool[] {
  const changed = new Map(
    hops.map((hop) => [hop.pool.address, poolAfterSwap(hop.pool, hop.tokenIn, hop.amountIn, hop.amountOut)]),
  )
  return pools.map((pool) => changed.get(pool.address) ?? pool)
}

function legWithFee(task: Task, entry: AuctionOrder, filled: bigint, fee: bigint, depth: number) {
  const { kind, uid } = entry.order
  const executedAmount = kind === 'sell' ? filled - fee : filled
  if (executedAmount <= 0n) return undefined
  const route = depth === 0 ? unwrapOnly(executedAmount) : bestRoute(task, entry, executedAmount, depth)
  if (!route) return undefined
  const { amountIn, amountOut } = route
  return { entry, trade: { orderUid: uid, executedAmount, fee }, hops: hopsOf(route), amountIn, amountOut }
}

function bestRoute(task: Task, { order }: AuctionOrder, amount: bigint, depth: number): Route | undefined {
  const { sell, buy } = pairOf(order, task)
  return order.kind === 'sell'
    ? bestRouteForSell(task.pools, sell, buy, amount, depth)
    : bestRouteForBuy(task.pools, sell, buy, amount, depth)
}

function unwrapOnly(amount: bigint) {
  return { paths: [] as const, amountIn: amount, amountOut: amount }
}

function isBetter(a: Leg, b: Leg): boolean {
  return a.entry.order.kind === 'sell'
    ? a.amountOut > b.amountOut
    : a.amountIn + a.trade.fee < b.amountIn + b.trade.fee
}
