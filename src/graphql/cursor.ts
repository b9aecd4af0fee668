import { Refusal } from '../domain/error.ts'

/** Opaque to clients: the two numbers that a list is sorted by. */
export function formatCursor(first: number | bigint, second: number | bigint): string {
  return Buffer.from(`${first}.${second}`).toString('base64url')
}

/** @throws Refusal InvalidParameter */
export function parseCursor(cursor: string): [number, bigint] {
  const match = /^([0-9]{1,15})\.([0-9]{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const [, first, second] = match ?? []
  if (!first || !second) {
    throw new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
  }
  return [Number(first), BigInt(second)]
}
