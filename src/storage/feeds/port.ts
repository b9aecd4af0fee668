import type { Db } from '../database/database.ts'
import { readBeside } from '../database/prepared.ts'
import type { Topic } from '../database/signals.ts'
import { type FeedSource, feedHead, parsePlace } from '../query/feed-source.ts'
import { createFeedTexts, type FeedReading, type FeedTexts, type Place } from './texts.ts'

/** An entry that was read for the first time. */
export interface NewEntry {
  place: Place
  key: string
  /** Since it was written. */
  ageMs: number
}

/** New entries, and the greatest place in the database at that time: no entry up to it appears later. */
export interface NewEntries {
  entries: NewEntry[]
  head: Place
}

/** A feed, as the one reader of a process needs it. Keys are text: hex with 0x for bytes, digits for numbers. */
export interface FeedPort {
  topic: Topic
  /** Whether a signal may be of entries that are followed. @param payload undefined after a gap in the signals */
  concerns(payload: string | undefined, isFollowed: (key: string) => boolean): boolean
  /** @throws Refusal InvalidParameter */
  placeOf(cursor: string): Place
  /** The first entries of all keys after a place, in order; one statement. */
  readNew(after: Place, limit: number): Promise<NewEntries>
  texts(reading: FeedReading): FeedTexts
}

export function createFeedPort(db: Db, source: FeedSource): FeedPort {
  const { name, table, key, keyType } = source
  const keyText = keyType === 'bytea' ? `'0x' || encode(${key}, 'hex')` : `${key}::text`
  // The table alone: what is gone, or what a reader may not see, has no text. A plan with joins that was kept from a database of twenty
  // notifications took a millisecond for each entry.
  const newEntries = `SELECT h.head, e.place, e.key, e.age FROM (SELECT ${feedHead}) h(head)
    LEFT JOIN LATERAL (
      SELECT f.place, ${keyText} AS key, extract(epoch FROM clock_timestamp() - f.written_at) * 1000 AS age
      FROM ${table} f WHERE f.place > $1::bigint ORDER BY f.place LIMIT $2::int) e ON true`
  return {
    topic: 'feed',
    // Only the signals of accounts name their key.
    concerns: (payload, isFollowed) =>
      payload === undefined || (name === 'account' ? isFollowed(payload) : payload === ''),
    placeOf: (cursor) => parsePlace(cursor, 'after'),
    async readNew(after, limit) {
      type Row = [head: string, ...([place: string, key: string, age: string] | [null, null, null])]
      const found = await readBeside<Row>(db, newEntries, [after, limit])
      const entries = found.flatMap(([, place, key, age]) =>
        place === null ? [] : [{ place: BigInt(place), key, ageMs: Number(age) }],
      )
      return { entries, head: BigInt(found[0]?.[0] ?? 0) }
    },
    texts: (reading) => createFeedTexts(db, source, reading),
  }
}
