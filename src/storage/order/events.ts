import type { OrderEventLabel } from '../../domain/order/event.ts'
import { raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { isUnfinished } from './status.ts'

export interface NewOrderEvent {
  orderId: bigint
  label: OrderEventLabel
  reason: string | null
  timestamp: Date
  /** Block of a cause that a reorg can take back. */
  blockNumber?: number
}

/**
 * The events that differ from the newest stored event of their order. `events` has at most one for each order. In SQL: Prisma would
 * read all events of the orders.
 */
export async function newEvents(db: Db, events: readonly NewOrderEvent[]): Promise<NewOrderEvent[]> {
  if (events.length === 0) return []
  const rows = await sql(db).$queryRaw<{ order_id: bigint; label: string; reason: string | null }[]>`
    SELECT DISTINCT ON (order_id) order_id, label, reason FROM order_events
    WHERE order_id = ANY(${events.map(({ orderId }) => orderId)}::bigint[]) ORDER BY order_id, timestamp DESC, id DESC`
  const newest = new Map(rows.map((row) => [row.order_id, row]))
  return events.filter(({ orderId, label, reason }) => {
    const last = newest.get(orderId)
    return last?.label !== label || last.reason !== reason
  })
}

/**
 * Appends events, except those that repeat the newest event of their order. `events` has at most one for each order.
 * In SQL: one statement that compares and writes.
 */
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

/**
 * Appends an auction's exclusions, except for orders that were filled or cancelled meanwhile: no `ready` or `filtered` may follow the
 * last trade. The caller holds the orders' locks. In SQL: whether an order is unfinished is computed.
 */
export async function appendExclusions(tx: Tx, exclusions: readonly NewOrderEvent[]): Promise<void> {
  const rows = await sql(tx).$queryRaw<{ id: bigint }[]>`
    SELECT o.id FROM orders o WHERE o.id = ANY(${exclusions.map(({ orderId }) => orderId)}::bigint[]) AND ${raw(isUnfinished)}`
  const unfinished = new Set(rows.map(({ id }) => id))
  await appendEvents(
    tx,
    exclusions.filter(({ orderId }) => unfinished.has(orderId)),
  )
}
