import type { OrderEventLabel } from '../../domain/order/event.ts'
import { raw } from '../database/columns.ts'
import { sql, type Tx } from '../database/database.ts'

export interface NewOrderEvent {
  orderId: bigint
  label: OrderEventLabel
  reason: string | null
  timestamp: Date
  /** Block of a cause that a reorg can take back. */
  blockNumber?: number
  /** Number of the trade's log in its block. */
  logIndex?: number
}

/** Labels between which an unchanged order alternates: each is written once until another follows. */
const alternating = `('ready', 'considered')`
/** Events that are written each time. */
const distinct = `('traded', 'hook_failed')`
/** States that can recur without limit. */
const repeatable = `('ready', 'considered', 'executing', 'filtered', 'invalid')`

/**
 * Appends events: each trade, each with failed hooks, and of the other events those that do not repeat the
 * newest event of their order, or of `ready` and `considered` the event before it. A recurring state, such as
 * that of an order whose settlement always fails, keeps two rows until another event: the first, and one for
 * all others, which is always the newest. Except for trades and failed hooks, `events` has one event per
 * order or none. In SQL: one statement that compares and writes.
 */
export async function appendEvents(tx: Tx, events: readonly NewOrderEvent[]): Promise<void> {
  if (events.length === 0) return
  await sql(tx).$executeRaw`
    WITH appended AS (
      SELECT n.*, n.label IN ${raw(repeatable)} AND n.block_number IS NULL AS repeats
      FROM unnest(${events.map((event) => event.orderId)}::bigint[], ${events.map((event) => event.label)}::text[],
        ${events.map((event) => event.reason)}::text[], ${events.map((event) => event.timestamp)}::timestamptz[],
        ${events.map((event) => event.blockNumber ?? null)}::bigint[], ${events.map((event) => event.logIndex ?? null)}::int[])
        AS n(order_id, label, reason, timestamp, block_number, log_index)
      LEFT JOIN LATERAL (SELECT label, reason, lead(label) OVER w AS before FROM order_events e WHERE e.order_id = n.order_id
        WINDOW w AS (ORDER BY timestamp DESC, id DESC) ORDER BY timestamp DESC, id DESC LIMIT 1) newest ON true
      WHERE n.label IN ${raw(distinct)} OR (newest.label IS DISTINCT FROM n.label OR newest.reason IS DISTINCT FROM n.reason)
        AND NOT coalesce(n.label IN ${raw(alternating)} AND newest.label IN ${raw(alternating)} AND newest.before = n.label, false)
    ), earlier AS (
      SELECT e.id, e.order_id, e.times, row_number() OVER (PARTITION BY e.order_id ORDER BY e.timestamp, e.id) AS nth
      FROM appended n JOIN LATERAL (SELECT e.id, e.order_id, e.timestamp, e.times FROM order_events e
        LEFT JOIN LATERAL (SELECT h.timestamp, h.id FROM order_events h WHERE h.order_id = n.order_id AND h.label NOT IN ${raw(repeatable)}
          ORDER BY h.timestamp DESC, h.id DESC LIMIT 1) last ON true
        WHERE e.order_id = n.order_id AND e.label = n.label AND e.reason IS NOT DISTINCT FROM n.reason AND e.block_number IS NULL
          AND (last.id IS NULL OR (e.timestamp, e.id) > (last.timestamp, last.id))) e ON n.repeats
    ), merged AS (
      DELETE FROM order_events WHERE id = ANY(ARRAY(SELECT id FROM earlier WHERE nth > 1)) RETURNING id, order_id, times
    ), unfed AS (
      DELETE FROM order_feed WHERE event_id = ANY(ARRAY(SELECT id FROM merged))
    )
    INSERT INTO order_events (order_id, label, reason, timestamp, block_number, log_index, times)
    SELECT n.order_id, n.label, n.reason, n.timestamp, n.block_number, n.log_index,
      1 + coalesce((SELECT sum(m.times) FROM merged m WHERE m.order_id = n.order_id AND n.repeats), 0)
    FROM appended n`
}

/** Gives the first events of orders that were placed on chain their blocks. In SQL: each has its own. */
export async function setPlacedBlocks(
  tx: Tx,
  placed: readonly { orderId: bigint; blockNumber: number }[],
): Promise<void> {
  await sql(tx).$executeRaw`
    UPDATE order_events e SET block_number = n.block
    FROM unnest(${placed.map(({ orderId }) => orderId)}::bigint[], ${placed.map(({ blockNumber }) => BigInt(blockNumber))}::bigint[])
      AS n(order_id, block)
    WHERE e.order_id = n.order_id AND e.label = 'created'`
}
