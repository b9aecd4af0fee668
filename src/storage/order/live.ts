import type { Order, OrderUid } from '../../domain/order/order.ts'
import { hexOf, raw } from '../database/columns.ts'
import { type Database, type Db, sql } from '../database/database.ts'
import { interactionColumn, orderJson, toOrder } from './insert.ts'
import { lockOrders } from './progress.ts'
import { isUnfinished } from './status.ts'

/** An order that is neither filled nor cancelled; `order` is null while it is not signed. */
export interface LiveOrder {
  id: bigint
  uid: OrderUid
  order: Order | null
}

/** A place in the list of live orders, which is by expiry. */
export interface LiveOrderCursor {
  validTo: bigint
  id: bigint
}

/** JIT orders were never placed: auctions do not hold their remainder. */
const isPlaced = `o.class <> 'liquidity'`
/** One that was placed on chain with a fault counts as not signed. */
const isSigned = `(o.placement_error IS NULL AND (o.signing_scheme <> 'presign' OR o.presigned))`
const columns = `o.id, o.uid, o.effective_valid_to AS valid_to, CASE WHEN ${isSigned} THEN ${orderJson} END AS json`

interface LiveRow {
  id: bigint
  uid: Uint8Array
  valid_to: bigint
  json: string | null
}

/**
 * Live orders of a network after a place, in the order of expiry. In SQL: whether an order is unfinished is
 * computed.
 */
export async function liveOrdersAfter(
  db: Db,
  chainId: number,
  after: LiveOrderCursor,
  limit: number,
): Promise<{ orders: LiveOrder[]; last: LiveOrderCursor | undefined }> {
  const rows = await sql(db).$queryRaw<LiveRow[]>`
    SELECT ${raw(columns)} FROM orders o
    WHERE o.chain_id = ${chainId} AND (o.effective_valid_to, o.id) > (${after.validTo}, ${after.id}) AND ${raw(isUnfinished)} AND ${raw(isPlaced)}
    ORDER BY o.effective_valid_to, o.id LIMIT ${limit}`
  const last = rows.at(-1)
  return { orders: rows.map(toLive), last: last && { validTo: last.valid_to, id: last.id } }
}

/** Changes of orders by transactions since a mark. */
interface OrderChanges {
  live: LiveOrder[]
  /** Row keys of orders that are filled or cancelled. */
  ended: bigint[]
  /** Mark of the next read: every transaction that is not yet in this read has this id or a higher id. */
  mark: bigint
}

/** Reads changes. In SQL: one statement, so that rows and mark are of one moment. */
export async function orderChanges(db: Db, chainId: number, mark: bigint): Promise<OrderChanges> {
  const rows = await sql(db).$queryRaw<(LiveRow & { mark: bigint; live: boolean | null })[]>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS mark, c.*
    FROM (VALUES (1)) one LEFT JOIN (
      SELECT o.id, o.uid, o.effective_valid_to AS valid_to, ${raw(isUnfinished)} AS live,
        CASE WHEN ${raw(isUnfinished)} AND ${raw(isSigned)} THEN ${raw(orderJson)} END AS json
      FROM orders o WHERE o.chain_id = ${chainId} AND o.changed_tx >= ${mark} AND ${raw(isPlaced)}
    ) c ON true`
  return {
    live: rows.filter(({ live }) => live).map(toLive),
    ended: rows.filter(({ live }) => live === false).map(({ id }) => id),
    mark: rows[0]?.mark ?? mark,
  }
}

/** The mark of this moment. In SQL: a function. */
export async function currentMark(db: Db): Promise<bigint> {
  const [row] = await sql(db).$queryRaw<{ mark: bigint }[]>`
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS mark`
  if (!row) throw new Error('the database returned no snapshot')
  return row.mark
}

function toLive({ id, uid, json }: LiveRow): LiveOrder {
  return { id, uid: hexOf(uid), order: json === null ? null : toOrder(json) }
}

/**
 * Stores what follows from a document that came after its orders. In SQL: each row has its own values.
 * @param orders with these values
 */
export async function storeDocumentTerms(
  db: Database,
  orders: readonly Pick<Order, 'id' | 'uid' | 'interactions' | 'validFrom'>[],
): Promise<void> {
  if (orders.length === 0) return
  await db.transaction(async (tx) => {
    await lockOrders(
      tx,
      orders.map(({ uid }) => uid),
    )
    await sql(tx).$executeRaw`
      UPDATE orders o SET interactions = n.interactions::jsonb, valid_from = n.valid_from
      FROM unnest(${orders.map(({ id }) => id)}::bigint[],
        ${orders.map(({ interactions }) => interactionColumn(interactions))}::text[],
        ${orders.map(({ validFrom }) => validFrom)}::bigint[]) AS n(id, interactions, valid_from)
      WHERE o.id = n.id`
  })
}
