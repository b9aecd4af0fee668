import type { AuctionOrder } from '../../domain/auction/auction.ts'
import type { ProposedTrade } from '../../domain/auction/solution.ts'
import { type Pool, poolAfterSwap } from '../../domain/routing/pool.ts'
import { bestRouteForBuy, bestRouteForSell, type Hop, hopsOf, type Path } from '../../domain/routing/route.ts'
import { sharedGasUp } from '../../domain/settlement/gas.ts'
import { hopCostUp, orderFeeUp, pairOf, type Task } from './task.ts'

/** One order and its route through the pools. */
export interface Leg {
  entry: AuctionOrder
  trade: ProposedTrade
  /** Empty for an order that only unwraps the native coin. */
  paths: readonly Path[]
  amountIn: bigint
  amountOut: bigint
}

/** The fee depends on the number of swaps, and the best route slightly on the fee: this limits the iterations. */
const maxSearches = 3

/**
 * Routes `filled` atoms of the order's fixed side: a sell order's fee is part of them, a buy order's is added to the sell amount.
 * `trades` is the number of orders that share the settlement's base cost.
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

/** The pools after these swaps. */
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
