import { query } from './open.ts'
import type { Size } from './shape.ts'

/** The subjects of requests: an order, and an account with 20 orders. */
export interface Subject {
  /** The order's number, which determines its other rows. */
  number: number
  uid: Buffer
  owner: Buffer
}

const maxSubjects = 20_000

/** Reads orders with the full story from all over the table, without the collector's. */
export async function readSubjects(url: string, { orders, stride }: Size): Promise<Subject[]> {
  const random = createRandom(orders)
  const numbers = Array.from({ length: maxSubjects }, () => 1 + Math.floor(random() * orders))
  return query<Subject>(
    url,
    'SELECT id::int AS number, uid, owner FROM orders WHERE id = ANY($1::bigint[]) AND id % $2 <> 0 ORDER BY sha256(uid)',
    [numbers, stride],
  )
}

/** Creates Mulberry32: the same numbers in every run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
