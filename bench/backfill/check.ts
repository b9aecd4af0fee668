import { query } from '../database/open.ts'
import { type BookOrder, readOrders } from './data.ts'

interface StoredOrder {
  uid: string
  sold: string
  bought: string
  fee: string
  trades: string
}

/** Compares the stored orders and trades with the prepared ones. @returns what is wrong */
export async function checkRows(url: string, file: string): Promise<string[]> {
  const stored = await query<StoredOrder>(
    url,
    `SELECT '0x' || encode(o.uid, 'hex') AS uid, o.executed_sell::text AS sold, o.executed_buy::text AS bought,
       o.executed_fee::text AS fee, (SELECT count(*) FROM trades t WHERE t.order_id = o.id) AS trades
     FROM orders o JOIN mirrored_orders m ON m.order_id = o.id`,
  )
  const lines = readOrders(file)
  const byUid = new Map(stored.map((order) => [order.uid, order]))
  const wrong = lines.filter((line) => {
    const order = JSON.parse(line) as BookOrder & { executedFee: string }
    const row = byUid.get(order.uid)
    return (
      row?.sold !== order.executedSellAmount ||
      row.bought !== order.executedBuyAmount ||
      row.fee !== order.executedFee ||
      row.trades !== '1'
    )
  })
  const [counts] = await query<Record<string, string>>(
    url,
    `SELECT (SELECT count(*) FROM trades) AS trades, (SELECT count(*) FROM orders) AS orders,
       (SELECT count(*) FROM order_events WHERE label = 'created') AS created,
       (SELECT count(*) FROM order_events WHERE label = 'traded') AS traded,
       (SELECT count(*) FROM order_events WHERE label NOT IN ('created', 'traded')) AS others`,
  )
  const expected = String(lines.length)
  const isExpected = (what: string, count: string) => count === (what === 'others' ? '0' : expected)
  return [
    ...(wrong.length > 0 ? [`${wrong.length} orders are wrong`] : []),
    ...Object.entries(counts ?? {})
      .filter(([what, count]) => !isExpected(what, count))
      .map(([what, count]) => `${count} ${what} are stored`),
  ]
}
