import { type Database, sql } from '../database/database.ts'
import { auctionFeed } from '../models/auction/feed.ts'
import { notificationFeed } from '../models/notification/feed.ts'
import { orderFeed, ownerFeed } from '../models/order/feed.ts'
import { type FeedSource, markKey } from '../query/feed-source.ts'
import type { Batch } from './batch.ts'

/** The feeds whose entries are in one table. */
const feeds = {
  feed_entries: [notificationFeed],
  order_feed: [orderFeed, ownerFeed],
  auction_feed: [auctionFeed],
} satisfies Record<string, FeedSource[]>

export type FeedTable = keyof typeof feeds

/** SQL that leaves the marks of entries that were removed: see `FeedMark`. `removed` has their places and keys. */
export function leaveMarks(table: FeedTable, removed: string): string {
  const marks = feeds[table].map(
    ({ name, key, keyType }) =>
      `SELECT '${name}', ${markKey(keyType, key)}, max(f.place) FROM ${removed} f GROUP BY ${key}`,
  )
  return `INSERT INTO feed_marks (feed, key, place) ${marks.join(' UNION ALL ')}
    ON CONFLICT (feed, key) DO UPDATE SET place = excluded.place WHERE feed_marks.place < excluded.place`
}

/** In SQL, as the other queues: see there. */
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
): Promise<Batch> {
  const removed: Record<string, number> = {}
  for (const { table, text } of removals) {
    const [row] = await sql(db).$queryRawUnsafe<{ count: number }[]>(text, before, limit)
    removed[table] = row?.count ?? 0
  }
  return { removed, isLast: Object.values(removed).every((count) => count < limit) }
}
