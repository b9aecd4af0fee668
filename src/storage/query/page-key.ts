import { Refusal } from '../../domain/errors/error.ts'

/** The sort key of a list, and the form of its cursors. */
export interface PageKey {
  /** Identifies the list: a cursor of another list is refused. */
  letter: string
  /** Together unique. */
  parts: readonly KeyPart[]
  order: 'ASC' | 'DESC'
  /** Reads the parts of another cursor form. @throws Refusal */
  parse?: (cursor: string, argument: string) => bigint[]
  /** True if a page without cursors is the last page of the list. */
  startsAtEnd?: boolean
}

interface KeyPart {
  sql: string
  type: 'time' | 'number' | 'bytes'
}

/** Opaque to clients: the letter and the parts in base64url, times in microseconds, bytes as hex. */
export function cursorSql({ letter, parts, parse }: PageKey): string {
  const texts = parts.map(({ sql, type }) => {
    if (type === 'bytes') return `encode(${sql}, 'hex')`
    return type === 'time' ? `(extract(epoch from ${sql}) * 1000000)::bigint` : sql
  })
  const values = texts.join(` || '.' || `)
  return parse
    ? `(${values})::text`
    : `rtrim(translate(encode(convert_to('${letter}' || ${values}, 'UTF8'), 'base64'), '+/', '-_'), '=')`
}

/** @throws Refusal InvalidParameter */
function parseCursor(key: PageKey, cursor: string, argument: string): unknown[] {
  const values = key.parse?.(cursor, argument) ?? parseOpaque(key, cursor, argument)
  return key.parts.map(({ type }, index) => {
    const value = values[index] ?? 0n
    return type === 'time' && typeof value === 'bigint' ? toTimestamp(value) : value
  })
}

const maxBigint = 2n ** 63n - 1n

/** Numbers as such, bytes in PostgreSQL's hex format. */
function parseOpaque({ letter, parts }: PageKey, cursor: string, argument: string): (bigint | string)[] {
  const text = cursor.length <= 200 ? Buffer.from(cursor, 'base64url').toString() : ''
  const texts = text.startsWith(letter) ? text.slice(letter.length).split('.') : []
  const values = parts.flatMap(({ type }, index) => parsePart(texts[index] ?? '', type) ?? [])
  if (texts.length !== parts.length || values.length !== parts.length)
    throw new Refusal('InvalidParameter', `${argument} must be a cursor of this list`, { field: argument })
  return values
}

function parsePart(text: string, type: KeyPart['type']): bigint | string | undefined {
  if (type === 'bytes') return /^[0-9a-f]{40}$/.test(text) ? `\\x${text}` : undefined
  return /^[0-9]{1,19}$/.test(text) && BigInt(text) <= maxBigint ? BigInt(text) : undefined
}

/** The latest time of a JavaScript Date, in microseconds. */
const lastMicroseconds = 8_640_000_000_000_000_000n

function toTimestamp(microseconds: bigint): string {
  const bounded = microseconds < lastMicroseconds / 10n ? microseconds : lastMicroseconds / 10n
  const iso = new Date(Number(bounded / 1_000n)).toISOString().slice(0, -1)
  return `${iso}${String(bounded % 1_000n).padStart(3, '0')}Z`
}

/** A requested page. `after` and `before` are values of the key's parts, in the order of the list. */
export interface Page {
  limit: number
  /** True if the page is read from the end of the list; its items are in the list's order all the same. */
  backwards: boolean
  after: unknown[] | null
  before: unknown[] | null
}

export interface PageArguments {
  first?: number | null | undefined
  last?: number | null | undefined
  after?: string | null | undefined
  before?: string | null | undefined
}

export const maxPage = 1_000
export const defaultPage = 10

/** @throws Refusal InvalidParameter */
export function pageOf(key: PageKey, { first, last, after, before }: PageArguments): Page {
  if (first != null && last != null) {
    throw new Refusal('InvalidParameter', 'first and last must not be given together', { field: 'last' })
  }
  const parse = (cursor: string | null | undefined, argument: string) =>
    cursor == null ? null : parseCursor(key, cursor, argument)
  const startsAtEnd = key.startsAtEnd === true && after == null && before == null
  return {
    limit: checkedSize(last ?? first ?? defaultPage, last == null ? 'first' : 'last'),
    backwards: last != null || startsAtEnd,
    after: parse(after, 'after'),
    before: parse(before, 'before'),
  }
}

function checkedSize(size: number, argument: 'first' | 'last'): number {
  if (size >= 1 && size <= maxPage) return size
  throw new Refusal('InvalidParameter', `${argument} must be from 1 to ${maxPage}`, { field: argument })
}
