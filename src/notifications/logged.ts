import { findInvalidations, findTradesOf } from '../storage/chain/order-logs.ts'
import type { Tx } from '../storage/database/database.ts'
import { findOrdersById } from '../storage/order/orders.ts'
import { recordCancelled, recordTrades, type TradeRules } from './record.ts'
import { tradesOfOrders } from './trades.ts'

/**
 * Notifies owners of what the chain did to their orders before these were placed: trades, and else the first invalidation. In the
 * transaction that stores the orders.
 * @param ids row keys of orders with stored logs
 */
export async function recordLogged(
  tx: Tx,
  ids: readonly bigint[],
  rules: TradeRules,
  at: Date,
): Promise<void> {
  const orders = await findOrdersById(tx, ids)
  const untraded = orders.map((order) => ({
    ...order,
    executedSellAmount: 0n,
    executedBuyAmount: 0n,
    executedFeeAmount: 0n,
  }))
  const trades = tradesOfOrders(
    await findTradesOf(tx, ids),
    new Map(untraded.map((order) => [order.uid, order])),
  )
  await recordTrades(tx, trades, rules, at)
  const fulfilled = new Set(trades.flatMap(({ order, fulfils }) => (fulfils ? [order.uid] : [])))
  for (const { orderUid, ...log } of await findInvalidations(tx, ids)) {
    const order = orders.find(({ uid }) => uid === orderUid)
    if (order && !fulfilled.has(orderUid)) await recordCancelled(tx, [order], { by: 'chain', ...log }, at)
  }
}
