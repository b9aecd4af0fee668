import { raw } from '../database/columns.ts'
import { type Database, sql } from '../database/database.ts'
import { type Batch, movePlace, placeOf, shortTransaction } from './batch.ts'
import { leaveMarks } from './feeds.ts'

/** Events that overtake others by less than this, as those of several processes do, are not passed before they are old. */
const disorderMs = 3_600_000

/**
 * Removes the next old events, except the newest two of each order that no reorg can take back: they say how the order stands, and stay
 * as long as it. Their entries in feeds go with them. In SQL: newer rows of the same order decide.
 */
export function removeEvents(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<Batch> {
  return shortTransaction(db, async (tx) => {
    const after = await placeOf(tx, 'events')
    const passable = new Date(before.getTime() - disorderMs)
    const [row] = await sql(tx).$queryRaw<EventsRow[]>`
      WITH scanned AS MATERIALIZED (
        SELECT id, order_id, timestamp FROM order_events WHERE id > ${after} ORDER BY id LIMIT ${limit}
      ), passed AS MATERIALIZED (
        SELECT * FROM scanned WHERE id <= (SELECT max(id) FROM scanned WHERE timestamp < ${passable})
      ), removed AS (
        DELETE FROM order_events WHERE id = ANY(ARRAY(
          SELECT p.id FROM passed p WHERE p.timestamp < ${before} AND EXISTS (
            SELECT FROM order_events n WHERE n.order_id = p.order_id AND (n.timestamp, n.id) > (p.timestamp, p.id)
              AND (n.block_number IS NULL OR n.timestamp < ${before})
            ORDER BY n.timestamp, n.id OFFSET 1 LIMIT 1))) RETURNING id
      ), entries AS (
        DELETE FROM order_feed WHERE ctid = ANY(ARRAY(
          SELECT f.ctid FROM removed CROSS JOIN LATERAL (SELECT f.ctid FROM order_feed f WHERE f.event_id = removed.id OFFSET 0) f))
        RETURNING *
      ), marked AS (${raw(leaveMarks('order_feed', 'entries'))})
      SELECT (SELECT max(id) FROM passed) AS last, (SELECT count(*) FROM removed)::int AS removed,
        (SELECT count(*) FROM entries)::int AS entries, (SELECT count(*) FROM passed)::int AS scanned`
    if (row?.last == null) return { removed: {}, isLast: true }
    await movePlace(tx, 'events', row.last)
    return { removed: { order_events: row.removed, order_feed: row.entries }, isLast: row.scanned < limit }
  })
}

interface EventsRow {
  last: bigint | null
  removed: number
  entries: number
  scanned: number
}
