import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { bytea } from '../database/columns.ts'
import { prepared, sql, type Tx } from '../database/database.ts'

/** Keep the keys of orders, and of documents, apart from other advisory locks. */
const [orderSpace, documentSpace] = [7, 8]

/**
 * In SQL: the client knows no advisory locks. Its values: UIDs; hashes of documents that orders wait for, which any number may hold;
 * hashes of documents that are about to be stored.
 */
export const lockSql =
  prepared(`SELECT CASE WHEN shared THEN pg_advisory_xact_lock_shared(space, key) ELSE pg_advisory_xact_lock(space, key) END FROM (
  SELECT space, hashtext(encode(name, 'hex')) & 1023 AS key, bool_and(shared) AS shared FROM (
    SELECT ${orderSpace} AS space, uid AS name, false AS shared FROM unnest($1::bytea[]) AS uid
    UNION ALL SELECT ${documentSpace}, hash, true FROM unnest($2::bytea[]) AS hash
    UNION ALL SELECT ${documentSpace}, hash, false FROM unnest($3::bytea[]) AS hash
  ) AS names GROUP BY 1, 2 ORDER BY 1, 2) AS keys`)

/**
 * Whoever records a fact about a UID, and whoever stores the order, hold this lock: a log that arrives while its order is being
 * placed is seen by one of the two. Taken once in a transaction and sorted, so that two holders of several can't wait for each
 * other. UIDs share a thousand keys, since the server's memory for locks is small: a range of blocks can name any number of them.
 */
export async function lockOrders(tx: Tx, uids: readonly OrderUid[]): Promise<void> {
  if (uids.length === 0) return
  await sql(tx).$executeRawUnsafe(lockSql, uids.map(bytea), [], [])
}

/**
 * Whoever stores a document holds this lock alone, and whoever stores orders that only name its hash hold it together: an order that is
 * placed while its document is being stored gets the names in it from one of the two. Taken after the locks of orders.
 */
export async function lockDocument(tx: Tx, hash: Bytes32): Promise<void> {
  await sql(tx).$executeRawUnsafe(lockSql, [], [], [bytea(hash)])
}

/** What the columns hold, over eight times uint256: a token that counts as it likes must not stop the indexer. */
const widest = '9'.repeat(78)

/**
 * Brings the columns that status derives from in line with the logs that stand. It sums, never adds: running it twice,
 * or after a rollback took logs away, gives the same row. In SQL: the columns are computed from other tables.
 */
export async function refreshProgress(tx: Tx, orderIds: readonly bigint[]): Promise<void> {
  if (orderIds.length === 0) return
  await sql(tx).$executeRaw`
    UPDATE orders o SET
      executed_sell = least(coalesce(t.sell, 0), ${widest}::numeric),
      executed_buy = least(coalesce(t.buy, 0), ${widest}::numeric),
      executed_signed_fee = least(coalesce(t.fee, 0), ${widest}::numeric),
      executed_fee = least(coalesce(e.fee, 0), ${widest}::numeric),
      executed_fee_token = e.token,
      invalidated = EXISTS (SELECT 1 FROM invalidations i WHERE i.order_uid = o.uid AND i.chain_id = o.chain_id),
      presigned = coalesce((SELECT p.signed FROM presignatures p WHERE p.order_uid = o.uid AND p.chain_id = o.chain_id
        ORDER BY p.block_number DESC, p.log_index DESC LIMIT 1), false)
    FROM orders same
      LEFT JOIN LATERAL (SELECT sum(sell_amount) AS sell, sum(buy_amount) AS buy, sum(fee_amount) AS fee
        FROM trades WHERE order_id = same.id) t ON true
      LEFT JOIN LATERAL (SELECT sum(executed_fee) AS fee, (array_agg(executed_fee_token ORDER BY auction_id))[1] AS token
        FROM executions WHERE order_id = same.id) e ON true
    WHERE same.id = o.id AND o.id = ANY(${orderIds})`
}
