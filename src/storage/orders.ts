import type { Address } from '../domain/address.ts'
import type { NewOrder, Order } from '../domain/order.ts'
import type { OrderStatus } from '../domain/order-status.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { bytea, raw } from './columns.ts'
import { type Db, sql, type Tx } from './database.ts'
import { Prisma } from './generated/client.ts'
import { lockOrders, refreshProgress } from './order-progress.ts'
import { type OrderJson, orderJson, toOrder, toOrderColumns, toOrderQuoteColumns } from './order-row.ts'
import { hasStatusSql, isUnfinished } from './order-status.ts'

/**
 * Stores an order with its quote and takes over what the chain already said about its UID.
 * @returns its row key, or undefined when the UID is taken
 */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<bigint | undefined> {
  await lockOrders(tx, [order.uid])
  if (await findOrder(tx, order.uid, order.chainId)) return undefined
  const { id } = await sql(tx).order.create({ data: toOrderColumns(order), select: { id: true } })
  if (order.quote)
    await sql(tx).orderQuote.create({ data: toOrderQuoteColumns(id, order.quote), select: { orderId: true } })
  await sql(tx)
    .$executeRaw`UPDATE trades SET order_id = ${id} WHERE order_uid = ${bytea(order.uid)} AND order_id IS NULL`
  await refreshProgress(tx, [id])
  return id
}

/** A UID holds its chain, so the chain id only narrows: an order of another network is not there. */
export async function findOrder(db: Db, uid: OrderUid, chainId?: number): Promise<Order | undefined> {
  const network = chainId === undefined ? Prisma.empty : Prisma.sql`AND o.chain_id = ${chainId}`
  const [order] = await select(db, Prisma.sql`WHERE o.uid = ${bytea(uid)} ${network}`)
  return order
}

export async function findOrders(db: Db, uids: readonly OrderUid[]): Promise<Order[]> {
  return select(db, Prisma.sql`WHERE o.uid = ANY(${uids.map(bytea)})`)
}

export async function findOrdersById(db: Db, ids: readonly bigint[]): Promise<Order[]> {
  return select(db, Prisma.sql`WHERE o.id = ANY(${ids})`)
}

/** Newest first. The page by offset is the REST contract's. */
export async function accountOrders(
  db: Db,
  { chainId, owner, offset, limit }: { chainId: number; owner: Address; offset: number; limit: number },
): Promise<Order[]> {
  return select(
    db,
    Prisma.sql`WHERE o.owner = ${bytea(owner)} AND o.chain_id = ${chainId}
      ORDER BY o.created_at DESC, o.id DESC LIMIT ${limit} OFFSET ${offset}`,
  )
}

export interface OrderFilter {
  chainId?: number
  owner?: Address
  status?: OrderStatus
}

/** The last order of a page; the next one starts behind it. */
export interface OrderPosition {
  createdAt: Date
  id: bigint
}

/** Newest first, by keyset: stable while orders are added. `now` in Unix seconds. */
export async function pageOrders(
  db: Db,
  filter: OrderFilter,
  { first, after, now }: { first: number; after: OrderPosition | null; now: number },
): Promise<Order[]> {
  const conditions = [
    filter.chainId === undefined ? [] : [Prisma.sql`o.chain_id = ${filter.chainId}`],
    filter.owner === undefined ? [] : [Prisma.sql`o.owner = ${bytea(filter.owner)}`],
    filter.status === undefined ? [] : [hasStatusSql(filter.status, now)],
    after === null ? [] : [Prisma.sql`(o.created_at, o.id) < (${after.createdAt}, ${after.id})`],
  ].flat()
  const where = conditions.length ? Prisma.sql`WHERE ${Prisma.join(conditions, ' AND ')}` : Prisma.empty
  return select(db, Prisma.sql`${where} ORDER BY o.created_at DESC, o.id DESC LIMIT ${first}`)
}

/**
 * Orders that are not ended and live until `validUntil` at least: what an auction may hold. Where there are more than `limit`, those
 * that end soonest, so that an order that rests for a year keeps nobody out. Oldest first.
 */
export async function liveOrders(
  db: Db,
  chainId: number,
  validUntil: number,
  limit: number,
): Promise<Order[]> {
  const orders = await select(
    db,
    Prisma.sql`WHERE o.chain_id = ${chainId} AND o.effective_valid_to >= ${validUntil} AND ${raw(isUnfinished)}
      ORDER BY o.effective_valid_to, o.id LIMIT ${limit}`,
  )
  return orders.sort((a, b) => Number(a.id - b.id))
}

/** Sets the cancellation time where there is none. @returns row keys of the orders that this call cancelled */
export async function cancelOrders(tx: Tx, ids: readonly bigint[], at: Date): Promise<bigint[]> {
  const rows = await sql(tx).$queryRaw<{ id: bigint }[]>`
    UPDATE orders SET cancelled_at = ${at} WHERE id = ANY(${ids}) AND cancelled_at IS NULL RETURNING id`
  return rows.map(({ id }) => id)
}

/** Takes up to `limit` orders whose time passed by a block's, each once; a rollback of the block gives them back. */
export async function takeExpired(
  tx: Tx,
  chainId: number,
  block: { number: number; timestamp: number },
  limit: number,
): Promise<Order[]> {
  const rows = await sql(tx).$queryRaw<{ id: bigint }[]>`
    UPDATE orders SET expired_at_block = ${block.number} WHERE id IN (
      SELECT id FROM orders WHERE chain_id = ${chainId} AND expired_at_block IS NULL AND effective_valid_to < ${block.timestamp}
      ORDER BY effective_valid_to, id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ) RETURNING id`
  const ids = rows.map(({ id }) => id)
  return ids.length ? findOrdersById(tx, ids) : []
}

async function select(db: Db, rest: Prisma.Sql): Promise<Order[]> {
  const rows = await sql(db).$queryRaw<
    { json: OrderJson }[]
  >`SELECT ${raw(orderJson)} AS json FROM orders o ${rest}`
  return rows.map(({ json }) => toOrder(json))
}
