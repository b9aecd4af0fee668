import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { bytea } from '../database/columns.ts'
import { sql, type Tx } from '../database/database.ts'
import { prepared } from '../database/plan-names.ts'

/** Key spaces of advisory locks: one for orders, one for documents. */
const [orderSpace, documentSpace] = [7, 8]

/**
 * SQL, since Prisma has no advisory locks. Values: UIDs; hashes of documents that orders refer to, locked
 * shared; hashes of documents to be stored, locked exclusively.
 */
export const lockSql =
  prepared(`SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(space, key) ELSE pg_advisory_xact_lock(space, key) END FROM (
  SELECT space, hashtext(encode(name, 'hex')) & 1023 AS key, bool_and(shared) AS shared FROM (
    SELECT ${orderSpace} AS space, uid AS name, false AS shared FROM unnest($1::bytea[]) AS uid
    UNION ALL SELECT ${documentSpace}, hash, true FROM unnest($2::bytea[]) AS hash
    UNION ALL SELECT ${documentSpace}, hash, false FROM unnest($3::bytea[]) AS hash
  ) AS names GROUP BY 1, 2 ORDER BY 1, 2) AS keys`)

/**
 * Transactions that record a fact about a UID, and transactions that store the order, hold this lock, so that
 * one of the two sees a log that arrives while its order is being placed. Take it once in a transaction: keys
 * are sorted, so that two transactions can't deadlock. UIDs share 1,024 keys, since the server's memory for
 * locks is limited and a block range can contain any number of UIDs.
 */
export async function lockOrders(tx: Tx, uids: readonly OrderUid[]): Promise<void> {
  if (uids.length === 0) return
  await sql(tx).$executeRawUnsafe(lockSql, uids.map(bytea), [], [])
}

/**
 * A transaction that stores a document holds this lock exclusively, and transactions that store orders with
 * only its hash share it, so that one of the two writes the document's codes into an order that is placed
 * meanwhile. Take it after the locks of orders.
 */
export async function lockDocument(tx: Tx, hash: Bytes32): Promise<void> {
  await sql(tx).$executeRawUnsafe(lockSql, [], [], [bytea(hash)])
}

/**
 * Largest value of the columns, over eight times uint256: sums are capped, so that a faulty token does not
 * stop the indexer.
 */
const maxColumnValue = '9'.repeat(78)

/**
 * Recomputes the columns that status derives from, from the stored logs. It sums and never adds: running it
 * twice, or after a rollback, gives the row that the logs imply. Only the fee of an order that comes from
 * another order book is what that order book reports, its placements are not stored, and without logs its
 * presignature is what the chain had at a final block. A row that has these values already is not written,
 * since orders have many indexes. In SQL: the columns are computed from other tables.
 */
export async function refreshProgress(tx: Tx, orderIds: readonly bigint[]): Promise<void> {
  if (orderIds.length === 0) return
  await sql(tx).$executeRaw`
    UPDATE orders o SET executed_sell = n.sell, executed_buy = n.buy, executed_signed_fee = n.signed_fee, executed_fee = n.fee,
      executed_fee_token = n.fee_token, invalidated = n.invalidated, presigned = n.presigned
    FROM (
      SELECT same.id,
        least(coalesce(t.sell, 0), ${maxColumnValue}::numeric) AS sell,
        least(coalesce(t.buy, 0), ${maxColumnValue}::numeric) AS buy,
        least(coalesce(t.fee, 0), ${maxColumnValue}::numeric) AS signed_fee,
        least(coalesce(m.executed_fee, e.fee, 0), ${maxColumnValue}::numeric) AS fee,
        CASE WHEN m.executed_fee IS NULL THEN e.token ELSE m.executed_fee_token END AS fee_token,
        EXISTS (SELECT 1 FROM invalidations i WHERE i.order_uid = same.uid AND i.chain_id = same.chain_id)
          OR same.onchain_user IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM placements pl WHERE pl.order_uid = same.uid AND pl.chain_id = same.chain_id)
          AND NOT EXISTS (SELECT 1 FROM order_books b WHERE b.chain_id = same.chain_id) AS invalidated,
        coalesce((SELECT p.signed FROM presignatures p WHERE p.order_uid = same.uid AND p.chain_id = same.chain_id
          ORDER BY p.block_number DESC, p.log_index DESC LIMIT 1), m.presigned, false) AS presigned
      FROM orders same
        LEFT JOIN LATERAL (SELECT sum(sell_amount) AS sell, sum(buy_amount) AS buy, sum(fee_amount) AS fee
          FROM trades WHERE order_id = same.id) t ON true
        LEFT JOIN LATERAL (SELECT sum(executed_fee) AS fee, executed_fee_token AS token FROM executions WHERE order_id = same.id
          GROUP BY executed_fee_token ORDER BY executed_fee_token = same.sell_token DESC LIMIT 1) e ON true
        LEFT JOIN mirrored_orders m ON m.order_id = same.id
      WHERE same.id = ANY(${orderIds})
    ) n
    WHERE n.id = o.id AND (o.executed_sell, o.executed_buy, o.executed_signed_fee, o.executed_fee, o.executed_fee_token, o.invalidated,
      o.presigned) IS DISTINCT FROM (n.sell, n.buy, n.signed_fee, n.fee, n.fee_token, n.invalidated, n.presigned)`
}
