import { Refusal } from '../domain/error.ts'

/** A list's own letter: the cursor of another list is refused, not taken for a place in this one. `trader-activity.ts` has 'a'. */
type List = 'o' | 't'

/** Opaque to clients: the two numbers that a list is sorted by. */
export function formatCursor(list: List, first: number | bigint, second: number | bigint): string {
  return Buffer.from(`${list}${first}.${second}`).toString('base64url')
}

/** @throws Refusal InvalidParameter */
export function parseCursor(list: List, cursor: string): [number, bigint] {
  const match = /^([a-z])([0-9]{1,15})\.([0-9]{1,18})$/.exec(Buffer.from(cursor, 'base64url').toString())
  const [, named, first, second] = match ?? []
  if (!first || !second || named !== list) {
    throw new Refusal('InvalidParameter', 'after must be a cursor of this list', { field: 'after' })
  }
  return [Number(first), BigInt(second)]
}
