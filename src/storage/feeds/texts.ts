import { derivedOnce } from '../../domain/derived.ts'
import type { Db } from '../database/database.ts'
import { readForStreams } from '../database/prepared.ts'
import type { ArgumentSlot } from '../query/argument-slot.ts'
import { type FeedSource, markKey, maxPosition } from '../query/feed-source.ts'
import { type Ambient, ambientValues, ownParam, type Selection } from '../query/selection.ts'
import { embeddingStatement, type Reading, type Statement } from '../query/statement.ts'
import { feedScan, meetsSql } from './book.ts'

/** The place of an entry in a feed: entries have theirs in the order of their commits. */
export type FeedPosition = bigint

/** Parts to read of each entry: those a client selected. */
export interface FeedReading {
  item: Selection
  slots: readonly ArgumentSlot[]
  ambient(): Ambient
  reading: Reading
}

/** JSON of an entry with the fields of a `FeedReading`. */
export interface EntryText {
  place: FeedPosition
  text: string
}

/** Entries of one key after a place. */
export interface FeedPage {
  entries: EntryText[]
  /** True if the key has no more entries. */
  isLast: boolean
  /** The place up to which entries are complete, of a page that looked at as many as it may. */
  lookedTo: FeedPosition | undefined
  /** Set if entries after the place were removed: the place from which all are kept. */
  gap: FeedPosition | undefined
}

interface PageLimits {
  /** Entries of one page. */
  rows: number
  /** Bytes of the texts of one page; the last entry may exceed the limit. */
  bytes: number
}

interface Snapshot {
  /** The head when it was read: later entries are in the feed. */
  place: FeedPosition
  entries: { cursor: string; text: string }[]
}

/** The texts of a feed's entries for one selection. */
export interface FeedTexts {
  /** Equal for selections with equal texts. */
  key: string
  /** The most keys whose pages one statement reads, where each looks at many entries. */
  maxStarts: number | undefined
  /** Reads entries in one statement. Entries that do not exist are left out. */
  read(places: readonly FeedPosition[]): Promise<EntryText[]>
  /** The current state of the key; undefined for a key without snapshots. */
  readSnapshot(key: string): Promise<Snapshot | undefined>
  /** Pages of several keys in one statement, in the order of `starts`. */
  readPages(starts: readonly { key: string; after: FeedPosition }[], limits: PageLimits): Promise<FeedPage[]>
}

interface Statements {
  snapshot: Statement | undefined
  texts: Statement
  pages: Statement
}

/** Statements by the shapes of their slots. */
const statementsByShape = derivedOnce((_item: Selection) => new Map<string, Statements>())

export function createFeedTexts(
  db: Db,
  source: FeedSource,
  { item, slots, ambient, reading }: FeedReading,
): FeedTexts {
  const ofItem = statementsByShape(item)
  const shape = [source.name, reading.isMixed, ...slots.map((slot) => slot.shape)].join('\n')
  const { snapshot, texts, pages } = ofItem.get(shape) ?? statementsOf(source, item, slots, reading)
  ofItem.set(shape, { snapshot, texts, pages })
  const slotValues = slots.flatMap(({ values }) => values)

  function run<Row extends (string | null)[]>({ text, valueIndexes }: Statement, own: unknown[]) {
    const values = [...ambientValues(ambient()), ...own, ...slotValues]
    return readForStreams<Row>(
      db,
      text,
      valueIndexes.map((index) => values[index]),
    )
  }

  return {
    maxStarts: source.facets && 4,
    key: JSON.stringify([ambient().hidesCompetitions, texts.text, slotValues], bigintAsText),
    async read(places) {
      const rows = await run<[string, string]>(texts, [places])
      return rows.map(([place, text]) => ({ place: BigInt(place), text }))
    },
    async readSnapshot(key) {
      const found = snapshot ? await run<[cursor: string, text: string | null]>(snapshot, [key]) : []
      const [head] = found.at(-1) ?? []
      if (head === undefined) return undefined
      const entries = found.flatMap(([cursor, text]) => (text === null ? [] : [{ cursor, text }]))
      return { place: BigInt(head), entries }
    },
    async readPages(starts, { rows: limit, bytes }) {
      type Row = [
        ord: string,
        gap: string | null,
        lookedTo: string | null,
        ...([place: string, text: string] | [null, null]),
      ]
      const own = [starts.map(({ key }) => key), starts.map(({ after }) => after), limit, bytes]
      const rows = await run<Row>(pages, own)
      const found = starts.map(
        (): FeedPage => ({ entries: [], isLast: true, lookedTo: undefined, gap: undefined }),
      )
      const sizes = starts.map(() => 0)
      for (const [ord, gap, lookedTo, place, text] of rows) {
        const index = Number(ord) - 1
        const page = found[index]
        if (!page) continue
        if (gap !== null) page.gap = BigInt(gap)
        if (lookedTo !== null) page.lookedTo = BigInt(lookedTo)
        if (place !== null) {
          page.entries.push({ place: BigInt(place), text })
          sizes[index] = (sizes[index] ?? 0) + Buffer.byteLength(text)
        }
      }
      for (const [index, page] of found.entries()) {
        const isFull = page.entries.length >= limit || (sizes[index] ?? 0) >= bytes
        page.isLast = !isFull && page.lookedTo === undefined
        if (isFull) page.lookedTo = undefined
      }
      return found
    },
  }
}

const bigintAsText = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)

/**
 * Composes the statements. A page has one entry or more, and ends where its texts reach the limit of bytes.
 * The end of the entries that were looked at is read once for a page, with its last entry.
 * Key and place are compared as one row: only the index that begins with the key gives that order. With "key
 * = … ORDER BY place", a database without statistics of its keys reads all entries behind the place for each
 * key: 300 ms for 12 readers, and half a minute for a thousand that return at once.
 */
function statementsOf(
  source: FeedSource,
  item: Selection,
  slots: readonly ArgumentSlot[],
  reading: Reading,
): Statements {
  const { name, entry, rows, snapshot, key, keyType, facets, table } = source
  const [keys = '', places = '', limit = '', bytes = ''] = [0, 1, 2, 3].map(ownParam)
  const types = { bigint: 'bigint', int: 'int', filter: 'jsonb' }
  const ofKey = (text: string) =>
    keyType === 'bytea' ? `decode(substr(${text}, 3), 'hex')` : `${text}::${types[keyType]}`
  const ofText = ofKey('w.key')
  const now = snapshot?.(ofKey(`${ownParam(0)}::text`))
  const looked = `${table} f WHERE f.place > w.place ORDER BY f.place`
  const lookedTo = facets ? `(SELECT f.place FROM ${looked} OFFSET ${feedScan - 1} LIMIT 1)` : 'NULL::bigint'
  const ofStart = facets
    ? `(SELECT f.* FROM ${looked} LIMIT ${feedScan}) f ${facets.joins}
            WHERE ${meetsSql(facets, 'w.value')} ORDER BY f.place`
    : `${rows} AND (${key}, f.place) > (w.value, w.place) AND (${key}, f.place) <= (w.value, ${maxPosition})
            ORDER BY ${key}, f.place`
  return {
    snapshot:
      now &&
      embeddingStatement(entry, item, 1, slots, reading, {
        before: `SELECT f.place, CASE WHEN ${now.isEntry} THEN `,
        behind: ` END FROM ${now.rows}`,
      }),
    texts: embeddingStatement(entry, item, 1, slots, reading, {
      before: 'SELECT f.place, ',
      behind: ` FROM ${rows} AND f.place = ANY(${ownParam(0)}::bigint[]) ORDER BY f.place`,
    }),
    pages: embeddingStatement(entry, item, 4, slots, reading, {
      before: `SELECT w.ord, w.gap, CASE WHEN w.gap IS NULL AND coalesce(e.is_end, true) THEN ${lookedTo} END, e.place, e.text
        FROM (
          SELECT w.*, ${ofText} AS value, (SELECT m.place FROM feed_marks m WHERE m.feed = '${name}' AND m.key = ${markKey(keyType, ofText)}
            AND m.place > w.place AND w.place > 0) AS gap
          FROM unnest(${keys}::text[], ${places}::bigint[]) WITH ORDINALITY w(key, place, ord)) w
        LEFT JOIN LATERAL (
          SELECT s.place, s.text, row_number() OVER (ORDER BY s.place DESC) = 1 AND count(*) OVER () < ${limit}::int AS is_end FROM (
            SELECT s.*, sum(octet_length(s.text)) OVER (ORDER BY s.place) - octet_length(s.text) AS bytes_before
            FROM (SELECT f.place, `,
      behind: ` AS text FROM ${ofStart} LIMIT ${limit}::int) s
          ) s WHERE s.bytes_before < ${bytes}::int
        ) e ON w.gap IS NULL ORDER BY w.ord, e.place`,
    }),
  }
}
