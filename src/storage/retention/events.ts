import { hexOf, raw } from '../database/columns.ts'
import { type Database, sql } from '../database/database.ts'
import { auctionFeed } from '../models/auction/auction.ts'
import { notificationFeed } from '../models/notification/feed.ts'
import { bookFeed, orderFeed, ownerFeed } from '../models/order/event.ts'
import { programmaticFeed } from '../models/programmatic.ts'
import { tradeFeed } from '../models/trade.ts'
import { lockOrders } from '../order/progress.ts'
import { type FeedSource, markKey } from '../query/feed-source.ts'
import { type RemovalBatch, removedUpTo, setRemovedUpTo, shortTransaction } from './batch.ts'

/** The feeds whose entries are in one table. */
const feeds = {
  feed_entries: [notificationFeed],
  order_feed: [orderFeed, ownerFeed, bookFeed],
  auction_feed: [auctionFeed],
  trade_feed: [tradeFeed],
  programmatic_feed: [programmaticFeed],
} satisfies Record<string, FeedSource[]>

type FeedTable = keyof typeof feeds

/**
 * SQL that leaves the marks of entries that were removed: see `FeedMark`. `removed` has their places and
 * keys.
 * @param missed SQL condition for removed entries `f` that readers of the whole book miss
 */
export function leaveMarks(table: FeedTable, removed: string, missed = 'true'): string {
  const sources: FeedSource[] = feeds[table]
  const marks = sources.map(({ name, key, keyType }) => {
    const ofKey = keyType === 'filter' ? `WHERE ${missed} HAVING count(*) > 0` : `GROUP BY ${key}`
    return `SELECT '${name}', ${markKey(keyType, key)}, max(f.place) FROM ${removed} f ${ofKey}`
  })
  return `INSERT INTO feed_marks (feed, key, place) ${marks.join(' UNION ALL ')}
    ON CONFLICT (feed, key) DO UPDATE SET place = excluded.place WHERE feed_marks.place < excluded.place`
}

/** SQL, as the other queries: see there. */
const removals = Object.keys(feeds).map((table) => ({
  table,
  text: `
    WITH oldest AS MATERIALIZED (
      SELECT ctid, written_at FROM ${table} ORDER BY place LIMIT $2 FOR UPDATE SKIP LOCKED
    ), removed AS (
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM oldest WHERE written_at < $1)) RETURNING *
    ), marked AS (${leaveMarks(table as FeedTable, 'removed')})
    SELECT count(*)::int AS count FROM removed`,
}))

/** Removes the oldest entries of all feeds. */
export async function removeFeedEntries(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<RemovalBatch> {
  const removed: Record<string, number> = {}
  for (const { table, text } of removals) {
    const [row] = await sql(db).$queryRawUnsafe<{ count: number }[]>(text, before, limit)
    removed[table] = row?.count ?? 0
  }
  return { removed, isLast: Object.values(removed).every((count) => count < limit) }
}

/** Longest overtaking among events, such as those of several processes: younger ones are not passed yet. */
const disorderMs = 3_600_000

/**
 * Removes the next old events, except the newest two of each order that no reorg can take back: they say how
 * the order stands, and stay as long as it. Their entries in feeds go with them; young entries of old events
 * leave no gap in the book. In SQL: newer rows of the same order decide.
 */
export function removeEvents(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<RemovalBatch> {
  return shortTransaction(db, async (tx) => {
    const after = await removedUpTo(tx, 'events')
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
      ), marked AS (${raw(leaveMarks('order_feed', 'entries', `f.written_at < '${before.toISOString()}'`))})
      SELECT (SELECT max(id) FROM passed) AS last, (SELECT count(*) FROM removed)::int AS removed,
        (SELECT count(*) FROM entries)::int AS entries, (SELECT count(*) FROM passed)::int AS scanned`
    if (row?.last == null) return { removed: {}, isLast: true }
    await setRemovedUpTo(tx, 'events', row.last)
    return { removed: { order_events: row.removed, order_feed: row.entries }, isLast: row.scanned < limit }
  })
}

/**
 * Removes orders of other order books that a client caused to be read before, and that ended without a trade
 * or an auction. Live ones stay for as long again, used ones for good. In SQL: their rows in all tables go at
 * once.
 */
export function removeUnusedOrders(
  db: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<RemovalBatch> {
  return shortTransaction(db, async (tx) => {
    const requested = await sql(tx).$queryRaw<{ id: bigint; uid: Uint8Array }[]>`
      SELECT o.id, o.uid FROM mirrored_orders m JOIN orders o ON o.id = m.order_id
      WHERE m.requested_at < ${before} ORDER BY m.requested_at LIMIT ${limit}`
    if (requested.length === 0) return { removed: {}, isLast: true }
    await lockOrders(
      tx,
      requested.map(({ uid }) => hexOf(uid)),
    )
    const ids = requested.map(({ id }) => id)
    const [row] = await sql(tx).$queryRaw<{ orders: number; entries: number }[]>`
      WITH unused AS MATERIALIZED (
        SELECT m.order_id AS id FROM mirrored_orders m WHERE m.order_id = ANY(${ids}) AND NOT m.is_live
          AND NOT EXISTS (SELECT FROM trades t WHERE t.order_id = m.order_id)
          AND NOT EXISTS (SELECT FROM auction_spans s WHERE s.order_id = m.order_id)
          AND NOT EXISTS (SELECT FROM solution_executions x WHERE x.order_id = m.order_id)
      ), kept AS (
        UPDATE mirrored_orders m SET requested_at = CASE WHEN m.is_live THEN now() END
        WHERE m.order_id = ANY(${ids}) AND NOT EXISTS (SELECT FROM unused u WHERE u.id = m.order_id)
      ), mirrored AS (
        DELETE FROM mirrored_orders m USING unused u WHERE m.order_id = u.id
      ), quotes AS (
        DELETE FROM order_quotes q USING unused u WHERE q.order_id = u.id
      ), parts AS (
        DELETE FROM programmatic_parts p USING unused u WHERE p.order_id = u.id
      ), standings AS (
        DELETE FROM order_standings s USING unused u WHERE s.order_id = u.id
      ), events AS (
        DELETE FROM order_events e USING unused u WHERE e.order_id = u.id
      ), entries AS (
        DELETE FROM order_feed f USING unused u WHERE f.order_id = u.id RETURNING f.*
      ), lists AS (
        -- Lists that had the removed orders are read again.
        UPDATE account_histories h SET listed_to = NULL, list_newest = NULL, list_offset = NULL, is_listed = false
        FROM unused u JOIN orders o ON o.id = u.id
        WHERE h.chain_id = o.chain_id AND h.account IN (o.owner, o.onchain_user)
      ), marked AS (${raw(leaveMarks('order_feed', 'entries', 'false'))}
      ), removed AS (
        DELETE FROM orders o USING unused u WHERE o.id = u.id RETURNING o.id
      )
      SELECT (SELECT count(*) FROM removed)::int AS orders, (SELECT count(*) FROM entries)::int AS entries`
    return {
      removed: { orders: row?.orders ?? 0, order_feed: row?.entries ?? 0 },
      isLast: requested.length < limit,
    }
  })
}

interface EventsRow {
  last: bigint | null
  removed: number
  entries: number
  scanned: number
}

/**
 * Removes standings of orders that expired long ago. In SQL: by the expiry of their orders; orders that share
 * one are processed together.
 */
export function removeStandings(
  db: Database,
  { chainId, before, limit }: { chainId: number; before: Date; limit: number },
): Promise<RemovalBatch> {
  const name = `standings:${chainId}`
  return shortTransaction(db, async (tx) => {
    const after = await removedUpTo(tx, name)
    const end = BigInt(Math.floor(before.getTime() / 1_000))
    const [row] = await sql(tx).$queryRaw<{ last: bigint | null; scanned: number; removed: number }[]>`
      WITH expired AS MATERIALIZED (
        SELECT id, effective_valid_to FROM orders WHERE chain_id = ${chainId} AND effective_valid_to > ${after}
          AND effective_valid_to < ${end} ORDER BY effective_valid_to FETCH FIRST (${limit}::int) ROWS WITH TIES
      ), removed AS (
        DELETE FROM order_standings s USING expired e WHERE s.order_id = e.id RETURNING s.order_id
      )
      SELECT (SELECT max(effective_valid_to) FROM expired) AS last, (SELECT count(*)::int FROM expired) AS scanned,
        (SELECT count(*)::int FROM removed) AS removed`
    if (row?.last == null) return { removed: {}, isLast: true }
    await setRemovedUpTo(tx, name, row.last)
    return { removed: { order_standings: row.removed }, isLast: row.scanned < limit }
  })
}
