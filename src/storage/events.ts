import type { OrderEvent, OrderEventLabel } from '../domain/event.ts'
import { type Db, sql, type Tx } from './database.ts'

export interface NewOrderEvent {
  orderId: bigint
  label: OrderEventLabel
  reason: string | null
  timestamp: Date
  /** Block of a cause that a reorg can take back. */
  blockNumber?: number
}

/** Appends to the stories of orders; what repeats the newest line of an order is left out. At most one event for each order in a call. */
export async function appendEvents(tx: Tx, events: readonly NewOrderEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql(tx).$executeRaw`
    INSERT INTO order_events (order_id, label, reason, timestamp, block_number)
    SELECT n.order_id, n.label, n.reason, n.timestamp, n.block_number
    FROM unnest(${events.map((event) => event.orderId)}::bigint[], ${events.map((event) => event.label)}::text[],
      ${events.map((event) => event.reason)}::text[], ${events.map((event) => event.timestamp)}::timestamptz[],
      ${events.map((event) => event.blockNumber ?? null)}::bigint[])
      AS n(order_id, label, reason, timestamp, block_number)
    LEFT JOIN LATERAL (SELECT label, reason FROM order_events e WHERE e.order_id = n.order_id
      ORDER BY timestamp DESC, id DESC LIMIT 1) newest ON true
    WHERE newest.label IS DISTINCT FROM n.label OR newest.reason IS DISTINCT FROM n.reason`
}

/** Oldest first, by order. */
export async function eventsOfOrders(
  db: Db,
  orderIds: readonly bigint[],
): Promise<(OrderEvent & { orderId: bigint })[]> {
  const rows = await sql(db).orderEvent.findMany({
    where: { orderId: { in: [...orderIds] } },
    orderBy: [{ timestamp: 'asc' }, { id: 'asc' }],
  })
  return rows.map((row) => ({ ...row, label: row.label as OrderEventLabel }))
}
