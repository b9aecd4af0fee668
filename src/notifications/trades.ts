import type { Order } from '../domain/order/order.ts'
import { isFulfilled } from '../domain/order/status.ts'
import type { Trade } from '../domain/order/trade.ts'
import type { OrderUid } from '../domain/order/uid.ts'

/** A trade of a stored order. */
export interface TradeOfOrder {
  /** The order after the trade. */
  order: Order
  trade: Trade
  /** Whether this trade made the order `fulfilled`. */
  fulfils: boolean
  /** Index of the trade among those of the order in its transaction, from 0. Unlike a log index, it survives a reorg. */
  ordinal: number
}

/**
 * Applies each order's trades in sequence: exactly the one that completes it fulfils.
 * @param before the orders as they were before these trades; trades of others are left out
 */
export function tradesOfOrders(
  trades: readonly Trade[],
  before: ReadonlyMap<OrderUid, Order>,
): TradeOfOrder[] {
  const orders = new Map(before)
  const counts = new Map<string, number>()
  return trades.flatMap((trade) => {
    const order = orders.get(trade.orderUid)
    if (!order) return []
    const after = {
      ...order,
      executedSellAmount: order.executedSellAmount + trade.sellAmount,
      executedBuyAmount: order.executedBuyAmount + trade.buyAmount,
      executedFeeAmount: order.executedFeeAmount + trade.feeAmount,
    }
    orders.set(trade.orderUid, after)
    const key = `${trade.orderUid}:${trade.txHash}`
    const ordinal = counts.get(key) ?? 0
    counts.set(key, ordinal + 1)
    return [{ order: after, trade, fulfils: isFulfilled(after) && !isFulfilled(order), ordinal }]
  })
}
