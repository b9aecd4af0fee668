import { Refusal } from '../../domain/errors/error.ts'

/** What a list is sorted by, and how a place in it is written as a cursor. */
export interface PageKey {
  /** The list's own letter: the cursor of another list is refused, not taken for a place in this one. */
  letter: string
  /** Unique together. */
  parts: readonly KeyPart[]
  order: 'ASC' | 'DESC'
  /** Where cursors look different; the place that one stands for, by the parts. @throws Refusal */
  parse?: (cursor: string, argument: string) => bigint[]
  /** Whether a page without a cursor is the last one, in the order of the list. */
  startsAtEnd?: boolean
}

interface KeyPart {
  sql: string
  type: 'time' | 'number'
}

/** Opaque to clients: the letter and the parts, times in microseconds. */
export function cursorSql({ letter, parts, parse }: PageKey): string {
  const numbers = parts.map(({ sql, type }) =>
    type === 'time' ? `(extract(epoch from ${sql}) * 1000000)::bigint` : sql,
  )
  const place = numbers.join(` || '.' || `)
  return parse
    ? `(${place})`
    : `rtrim(translate(encode(convert_to('${letter}' || ${place}, 'UTF8'), 'base64'), '+/', '-_'), '=')`
}

/** @throws Refusal InvalidParameter */
export function parseCursor(key: PageKey, cursor: string, argument: string): unknown[] {
  const numbers = key.parse?.(cursor, argument) ?? placeOf(key, cursor, argument)
  return key.parts.map(({ type }, index) => {
    const number = numbers[index] ?? 0n
    return type === 'time' ? toTimestamp(number) : number
  })
}

const highest = 2n ** 63n - 1n

function placeOf({ letter, parts }: PageKey, cursor: string, argument: string): bigint[] {
  const text = cursor.length <= 200 ? Buffer.from(cursor, 'base64url').toString() : ''
  const numbers = text.startsWith(letter) ? text.slice(letter.length).split('.') : []
  const isPlace = numbers.length === parts.length && numbers.every((digits) => /^[0-9]{1,19}$/.test(digits))
  const place = isPlace ? numbers.map(BigInt) : [-1n]
  if (place.some((number) => number < 0n || number > highest)) {
    throw new Refusal('InvalidParameter', `${argument} must be a cursor of this list`, { field: argument })
  }
  return place
}

/** The farthest that both sides know. */
const lastMicroseconds = 8_640_000_000_000_000_000n

function toTimestamp(microseconds: bigint): string {
  const known = microseconds < lastMicroseconds / 10n ? microseconds : lastMicroseconds / 10n
  const iso = new Date(Number(known / 1_000n)).toISOString().slice(0, -1)
  return `${iso}${String(known % 1_000n).padStart(3, '0')}Z`
}

/** A page as it is asked for. Conditions hold whichever way it is read. */
export interface Page {
  limit: number
  /** Read from the end of the list; told in the list's order all the same. */
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

export const largestPage = 1_000
export const defaultPage = 10

/** @throws Refusal InvalidParameter */
export function pageOf(key: PageKey, { first, last, after, before }: PageArguments): Page {
  if (first != null && last != null) {
    throw new Refusal('InvalidParameter', 'first and last must not be given together', { field: 'last' })
  }
  const place = (cursor: string | null | undefined, argument: string) =>
    cursor == null ? null : parseCursor(key, cursor, argument)
  const startsAtEnd = key.startsAtEnd === true && after == null && before == null
  return {
    limit: checkedSize(last ?? first ?? defaultPage, last == null ? 'first' : 'last'),
    backwards: last != null || startsAtEnd,
    after: place(after, 'after'),
    before: place(before, 'before'),
  }
}

function checkedSize(size: number, argument: 'first' | 'last'): number {
  if (size >= 1 && size <= largestPage) return size
  throw new Refusal('InvalidParameter', `${argument} must be from 1 to ${largestPage}`, { field: argument })
}
