import { query } from './open.ts'
import { type Size, shape } from './shape.ts'

/** The subjects of requests: an order, and an account with 20 orders. */
export interface Subject {
  /** The order's number, which determines its other rows. */
  number: number
  uid: Buffer
  owner: Buffer
}

export interface Subjects {
  orders: Subject[]
  collector: Buffer
}

const most = 20_000

/**
 * Reads orders from all over the table, without the collector's. `whole` ones have the full story; otherwise
 * brief ones are included.
 */
export async function readSubjects(
  url: string,
  { orders, stride, brief }: Size,
  whole = true,
): Promise<Subjects> {
  const random = createRandom(orders)
  const count = whole ? orders : orders + brief
  const numbers = Array.from({ length: most }, () => 1 + Math.floor(random() * count))
  const rows = await query<Subject>(
    url,
    'SELECT id::int AS number, uid, owner FROM orders WHERE id = ANY($1::bigint[]) AND id % $2 <> 0 ORDER BY sha256(uid)',
    [numbers, stride],
  )
  const [first] = await query<{ owner: Buffer }>(url, 'SELECT owner FROM orders WHERE id = $1', [stride])
  if (!first) throw new Error(`no orders of the collector, who has ${shape.ordersOfCollector}`)
  return { orders: rows, collector: first.owner }
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
