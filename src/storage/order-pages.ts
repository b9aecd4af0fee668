import type { Order } from '../domain/order.ts'
import { raw } from './columns.ts'
import { type Db, sql } from './database.ts'
import { Prisma } from './generated/client.ts'
import { lookLimit, type OrderFilter, type OrderPosition, orderRanges } from './order-ranges.ts'
import { type OrderJson, orderJson, toOrder } from './order-row.ts'

export interface OrderPage {
  orders: Order[]
  hasMore: boolean
  /** At the last order, or where the looking stopped; null when there was nothing to look at. */
  end: OrderPosition | null
}

const newestFirst = Prisma.sql`ORDER BY o.created_at DESC, o.id DESC`

interface PageGiven {
  first: number
  after: OrderPosition | null
  /** Unix seconds. */
  now: number
}

/**
 * Newest first, by keyset: stable while orders are added. Where one index has all conditions, a page reads what it shows. Otherwise
 * it looks at `lookLimit` orders at most, and may end before it is full: the next one goes on from there.
 */
export async function pageOrders(db: Db, filter: OrderFilter, given: PageGiven): Promise<OrderPage> {
  const { first } = given
  const { page, looked } = pageSql(filter, given)
  const rows = await sql(db).$queryRaw<{ json: OrderJson }[]>(page)
  const orders = rows.slice(0, first).map(({ json }) => toOrder(json))
  const last = orders.at(-1)
  const end = last ? { createdAt: last.creationDate, id: last.id } : null
  if (!looked || rows.length > first) return { orders, hasMore: rows.length > first, end }
  const stop = await stopOf(db, looked)
  return { orders, hasMore: stop !== null, end: stop ? olderOf(stop, end) : end }
}

/** `page` gives one order more than is shown; `looked` what it may look at for them, where that is not the same. */
export function pageSql(
  filter: OrderFilter,
  { first, after, now }: PageGiven,
): { page: Prisma.Sql; looked: Prisma.Sql | undefined } {
  const { ranges, rest } = orderRanges(filter, after, now)
  const isExact = rest.length === 0
  const looked = newestOf(ranges, isExact ? first + 1 : lookLimit)
  const where = isExact ? Prisma.empty : Prisma.sql`WHERE ${Prisma.join(rest, ' AND ')}`
  const page = Prisma.sql`
    SELECT ${raw(orderJson)} AS json FROM (${looked}) o ${where} ${newestFirst} LIMIT ${first + 1}`
  return { page, looked: isExact ? undefined : looked }
}

/** Every range gives as many as are wanted of all. */
function newestOf(ranges: readonly Prisma.Sql[], count: number): Prisma.Sql {
  const parts = ranges.map((range) => Prisma.sql`(SELECT o.* FROM ${range} ${newestFirst} LIMIT ${count})`)
  const [only, second] = parts
  if (only && !second) return only
  return Prisma.sql`SELECT o.* FROM (${Prisma.join(parts, ' UNION ALL ')}) o ${newestFirst} LIMIT ${count}`
}

/** The last order that was looked at; null when there were no more. */
async function stopOf(db: Db, looked: Prisma.Sql): Promise<OrderPosition | null> {
  const [row] = await sql(db).$queryRaw<{ created_at: Date; id: bigint }[]>`
    SELECT o.created_at, o.id FROM (${looked}) o ${newestFirst} LIMIT 1 OFFSET ${lookLimit - 1}`
  return row ? { createdAt: row.created_at, id: row.id } : null
}

/** Orders that come in between the two reads move the stop: it must not stand above what the page shows. */
function olderOf(stop: OrderPosition, end: OrderPosition | null): OrderPosition {
  const difference = end ? end.createdAt.getTime() - stop.createdAt.getTime() : 0
  return end && (difference < 0 || (difference === 0 && end.id < stop.id)) ? end : stop
}
