import type { Db } from '../database/database.ts'
import { readForStreams } from '../database/prepared.ts'
import type { Topic } from '../database/signals.ts'
import { hexText } from '../query/codec.ts'
import { type FeedSource, feedHead, parsePosition } from '../query/feed-source.ts'
import { createMatchers, facetsSql } from './book.ts'
import { createFeedTexts, type FeedPosition, type FeedReading, type FeedTexts } from './texts.ts'

/** An entry that was read for the first time. */
export interface NewEntry {
  place: FeedPosition
  key: string
  /** Age since it was written. */
  ageMs: number
}

/** New entries, and the greatest place in the database at that time: no entry up to it appears later. */
export interface NewEntries {
  entries: NewEntry[]
  head: FeedPosition
}

/**
 * A feed, as the one reader of a process needs it. Keys are text: hex with 0x for bytes, digits for numbers.
 */
export interface FeedTail {
  topic: Topic
  /**
   * Checks whether a signal may concern followed entries.
   * @param payload undefined after a gap in the signals
   */
  concerns(payload: string | undefined, isFollowed: (key: string) => boolean): boolean
  /** @throws Refusal InvalidParameter */
  placeOf(cursor: string): FeedPosition
  /** Compiles a key that is a filter; absent where keys are equal or not. */
  matcherOf?: ((key: string) => (entryKey: string) => boolean) | undefined
  /** The first entries of all keys after a place, in order; one statement. */
  readNew(after: FeedPosition, limit: number): Promise<NewEntries>
  texts(reading: FeedReading): FeedTexts
}

export function createFeedTail(db: Db, source: FeedSource): FeedTail {
  const { name, table, key, keyType, facets } = source
  const keyText = keyType === 'bytea' ? hexText(key) : `${key}::text`
  // The joins come after the limit, each by a primary key.
  const entries = facets
    ? `SELECT f.place, ${facetsSql(facets)} AS key, f.age FROM (
        SELECT f.*, extract(epoch FROM clock_timestamp() - f.written_at) * 1000 AS age
        FROM ${table} f WHERE f.place > $1::bigint ORDER BY f.place LIMIT $2::int) f ${facets.joins} ORDER BY f.place`
    : `SELECT f.place, ${keyText} AS key, extract(epoch FROM clock_timestamp() - f.written_at) * 1000 AS age
        FROM ${table} f WHERE f.place > $1::bigint ORDER BY f.place LIMIT $2::int`
  // Only the table: removed entries, and those hidden from a reader, have no text. A plan with joins, kept
  // from a database of twenty notifications, took a millisecond per entry.
  const newEntries = `SELECT h.head, e.place, e.key, e.age FROM (SELECT ${feedHead}) h(head)
    LEFT JOIN LATERAL (${entries}) e ON true`
  return {
    topic: 'feed',
    // Only the signals of accounts name their key.
    concerns: (payload, isFollowed) =>
      payload === undefined || (name === 'account' ? isFollowed(payload) : payload === ''),
    placeOf: (cursor) => parsePosition(cursor, 'after'),
    ...(facets && { matcherOf: createMatchers() }),
    async readNew(after, limit) {
      type Row = [head: string, ...([place: string, key: string, age: string] | [null, null, null])]
      const found = await readForStreams<Row>(db, newEntries, [after, limit])
      const entries = found.flatMap(([, place, key, age]) =>
        place === null ? [] : [{ place: BigInt(place), key, ageMs: Number(age) }],
      )
      return { entries, head: BigInt(found[0]?.[0] ?? 0) }
    },
    texts: (reading) => createFeedTexts(db, source, reading),
  }
}

/**
 * Transactions that wait in their commit for their places in feeds, and for how long the first of them does.
 */
export interface WaitingCommits {
  count: number
  maxSeconds: number
}

/** The number of the lock is in the function `lock_feeds`. */
const statement = `SELECT count(*), coalesce(extract(epoch FROM max(clock_timestamp() - waitstart)), 0) FROM pg_locks
  WHERE locktype = 'advisory' AND NOT granted AND classid::bigint << 32 | objid::bigint = 7146032915 AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

/** @throws Outage */
export async function readWaitingCommits(db: Db): Promise<WaitingCommits> {
  const [[count, seconds] = ['0', '0']] = await readForStreams<[string, string]>(db, statement, [])
  return { count: Number(count), maxSeconds: Number(seconds) }
}
