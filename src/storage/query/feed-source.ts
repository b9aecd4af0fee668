import { Refusal } from '../../domain/errors/error.ts'
import type { Model } from './model.ts'

/**
 * A feed: entries `f` in the order of their places. A place is given at the commit, from one sequence for all
 * feeds: no entry ever appears before a place that was read.
 */
export interface FeedSource {
  /** Subject of the feed; also the name of its marks. */
  name: 'account' | 'order' | 'owner' | 'network' | 'book' | 'trade' | 'programmatic'
  /** The table of `f`. */
  table: string
  /** Model whose fields a selection reads for an entry. */
  entry: Model
  /** Text after FROM: `f`, joined with the tables of `entry`; its last clause is a condition. */
  rows: string
  /** Current state of a key. @param key SQL for the key */
  snapshot?(key: string): SnapshotSource
  /** SQL for the key of `f`, and its type. A feed with filters has these as keys, and facets of entries. */
  key: string
  keyType: 'bytea' | 'bigint' | 'int' | 'filter'
  /** Present in a feed with filters: see `book.ts`. */
  facets?: FacetSource
}

/** The texts of an entry that a filter compares. */
export interface FacetSource {
  /** Rows to join to `f`, each at most one. */
  joins: string
  /** SQL for the texts of `f` and the joined rows by facet; null is none. */
  texts: Readonly<Record<Facet, readonly string[]>>
}

/** Properties by which readers select entries of the book. */
export const facets = [
  'network',
  'label',
  'owner',
  'token',
  'sellToken',
  'buyToken',
  'class',
  'kind',
  'appCode',
  'referrer',
] as const
export type Facet = (typeof facets)[number]

/** Rows of a snapshot: the last row has the head as its place, the other rows `snapshotAgain`. */
interface SnapshotSource {
  /** Text after FROM: `f`, joined with what `entry` reads. */
  rows: string
  /** SQL for whether a row is an entry. One that is none gives the head alone. */
  isEntry: string
}

/** Cursor of all entries of a snapshot but the last: a client that lost the rest gets the snapshot again. */
export const snapshotAgain = 'snapshot'

/** Place of a reader that begins at the first entry that is stored. */
const earliest = 0n
/** The head of a database without entries: unlike `earliest`, it misses entries that are removed later. */
const firstHead = 1n

const tables = ['feed_entries', 'order_feed', 'auction_feed', 'trade_feed', 'programmatic_feed', 'feed_marks']

/** SQL for the place before all later commits. Removed entries count, so that it never decreases. */
export const feedHead = `greatest(${tables.map((table) => `(SELECT max(place) FROM ${table})`).join(', ')}, ${firstHead})`

const keyBytes = { bytea: '', bigint: 'int8send', int: 'int4send' }

/** SQL for the key of a mark. A feed with filters has one mark. */
export const markKey = (type: FeedSource['keyType'], key: string) =>
  type === 'filter' ? `''::bytea` : `${keyBytes[type]}(${key})`

/** SQL for whether entries of a feed after a place were removed. "earliest" misses none. */
export const hasGap = (
  { name, keyType }: Pick<FeedSource, 'name' | 'keyType'>,
  key: string,
  place: string,
) => `(${place} > ${earliest} AND EXISTS (SELECT FROM feed_marks fm
    WHERE fm.feed = '${name}' AND fm.key = ${markKey(keyType, key)} AND fm.place > ${place}))`

/** SQL for the place from which all entries of a feed are kept. */
export const gapEnd = ({ name, keyType }: Pick<FeedSource, 'name' | 'keyType'>, key: string) =>
  `(SELECT fm.place FROM feed_marks fm WHERE fm.feed = '${name}' AND fm.key = ${markKey(keyType, key)})`

/** Greater than any that is given. */
export const maxPosition = 2n ** 63n - 1n

/** The place that a cursor names. @throws Refusal InvalidParameter */
export function parsePosition(cursor: string, argument: string): bigint {
  if (cursor === 'earliest') return earliest
  const place = /^(0|[1-9][0-9]{0,18})$/.test(cursor) ? BigInt(cursor) : maxPosition + 1n
  if (place <= maxPosition) return place
  const fault = /^[0-9]{1,19}\.[0-9]{1,19}$/.test(cursor)
    ? 'is a cursor of an older form, which is not valid any more; "earliest" starts at the first entry that is stored'
    : 'must be a cursor of a feed, or "earliest"'
  throw new Refusal('InvalidParameter', `${argument} ${fault}`, { field: argument })
}
