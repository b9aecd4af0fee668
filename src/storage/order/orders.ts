import type { NewOrder, Order } from '../../domain/order/order.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { bytea, json, raw } from '../database/columns.ts'
import { type Db, prepared, sql, type Tx, writePrepared } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'
import { insertOrders } from './insert.ts'
import { orderJson, toOrder } from './row.ts'
import { isUnfinished } from './status.ts'

/**
 * One order in the transaction of something else; see `insertOrders`.
 * @returns its row key, or undefined when the UID is taken
 */
export async function insertOrder(tx: Tx, order: NewOrder): Promise<bigint | undefined> {
  const [id] = await insertOrders(tx, [order])
  return id
}

/** In SQL: clients wait for it. By Prisma's client such a look-up took 0.6 ms of CPU, and 0.2 ms so. */
const takenSql = prepared(
  `SELECT ${json.hex('uid')} FROM orders WHERE chain_id = $1::int4 AND uid = ANY($2::bytea[])`,
)

/** Whether there is an order with each UID, in the order asked for. */
export async function areTaken(db: Db, chainId: number, uids: readonly OrderUid[]): Promise<boolean[]> {
  const rows = await writePrepared<[OrderUid]>(db, takenSql, [chainId, uids.map(bytea)])
  const taken = new Set(rows.map(([uid]) => uid))
  return uids.map((uid) => taken.has(uid))
}

/** A UID holds its chain, so the chain id only narrows: an order of another network is not there. */
export async function findOrder(db: Db, uid: OrderUid, chainId?: number): Promise<Order | undefined> {
  const network = chainId === undefined ? Prisma.empty : Prisma.sql`AND o.chain_id = ${chainId}`
  const [order] = await select(db, Prisma.sql`WHERE o.uid = ${bytea(uid)} ${network}`)
  return order
}

/** Those that are there, in no set order. */
export async function findOrders(db: Db, uids: readonly OrderUid[]): Promise<Order[]> {
  return select(db, Prisma.sql`WHERE o.uid = ANY(${uids.map(bytea)})`)
}

/** Those that are there, in no set order. */
export async function findOrdersById(db: Db, ids: readonly bigint[]): Promise<Order[]> {
  return select(db, Prisma.sql`WHERE o.id = ANY(${ids})`)
}

/**
 * Orders that are not ended and live until `validUntil` at least: what an auction may hold. Where there are
 * more than `limit`, those that end soonest: an order that rests for a year keeps nobody out. Oldest first.
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

/** Sets the cancellation time where there is none. @returns row keys of orders that this call cancelled */
export async function cancelOrders(tx: Tx, ids: readonly bigint[], at: Date): Promise<bigint[]> {
  const rows = await sql(tx).order.updateManyAndReturn({
    where: { id: { in: [...ids] }, cancelledAt: null },
    data: { cancelledAt: at },
    select: { id: true },
  })
  return rows.map(({ id }) => id)
}

/** Which of the orders are cancelled, by their owner or on chain. @returns row keys */
export async function cancelledAmong(tx: Tx, ids: readonly bigint[]): Promise<Set<bigint>> {
  const rows = await sql(tx).order.findMany({
    where: { id: { in: [...ids] }, OR: [{ cancelledAt: { not: null } }, { invalidated: true }] },
    select: { id: true },
  })
  return new Set(rows.map(({ id }) => id))
}

/**
 * Takes up to `limit` orders whose time passed by a block's, each once; its rollback gives them back. In SQL: rows that others hold
 * are skipped.
 */
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

/** In SQL: the row's text and its mapping follow from the description. */
async function select(db: Db, rest: Prisma.Sql): Promise<Order[]> {
  const rows = await sql(db).$queryRaw<
    { json: string }[]
  >`SELECT ${raw(orderJson)} AS json FROM orders o ${rest}`
  return rows.map(({ json }) => toOrder(json))
}
