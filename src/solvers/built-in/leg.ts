import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { ProposedTrade } from '../../domain/auction/solution.ts'
import { type Pool, poolAfterSwap } from '../../domain/routing/pool.ts'
import { bestRouteForBuy, bestRouteForSell, type Hop, hopsOf, type Path } from '../../domain/routing/route.ts'
import { sharedGasUp } from '../../domain/settlement/gas.ts'
import { hopCostUp, orderFeeUp, pairOf, type Task } from './task.ts'

/** One order on its own way through the pools. */
export interface Leg {
  entry: AuctionOrder
  trade: ProposedTrade
  /** Empty for an order that only unwraps the native coin. */
  paths: readonly Path[]
  amountIn: bigint
  amountOut: bigint
}

/** The fee depends on the swaps, and which swaps are best, a little, on the fee: so often a route is sought at most. */
const maxSearches = 3

/**
 * Routes `filled` atoms of the order's fixed side: the fee comes out of what is sold for a sell order, on top for a buy order.
 * `trades` is how many orders share the settlement's base cost.
 */
export function routeLeg(task: Task, entry: AuctionOrder, filled: bigint, trades = 1): Leg | undefined {
  const { kind, uid } = entry.order
  const pair = pairOf(entry.order, task)
  let paidSwaps = pair.sell === pair.buy ? 0 : 1
  for (let search = 0; search < maxSearches; search++) {
    const fee = orderFeeUp(task, entry, sharedGasUp(trades, paidSwaps))
    if (fee === undefined) return undefined
    const executedAmount = kind === 'sell' ? filled - fee : filled
    const route = executedAmount > 0n ? bestRoute(task, entry, executedAmount) : undefined
    if (!route) return undefined
    const swaps = hopsOf(route).length
    if (swaps <= paidSwaps) return { entry, trade: { orderUid: uid, executedAmount, fee }, ...route }
    paidSwaps = swaps
  }
  return undefined
}

/** What is left of the pools after these swaps. */
export function poolsAfter(pools: readonly Pool[], hops: readonly Hop[]): Pool[] {
  const changed = new Map(
    hops.map((hop) => [hop.pool.address, poolAfterSwap(hop.pool, hop.tokenIn, hop.amountIn, hop.amountOut)]),
  )
  return pools.map((pool) => changed.get(pool.address) ?? pool)
}

function bestRoute(
  task: Task,
  { order }: AuctionOrder,
  amount: bigint,
): Pick<Leg, 'paths' | 'amountIn' | 'amountOut'> | undefined {
  const { sell, buy } = pairOf(order, task)
  if (sell === buy) return { paths: [], amountIn: amount, amountOut: amount }
  return order.kind === 'sell'
    ? bestRouteForSell(task.pools, sell, buy, amount, { hopCost: hopCostUp(task, buy) })
    : bestRouteForBuy(task.pools, sell, buy, amount, { hopCost: hopCostUp(task, sell) })
}
