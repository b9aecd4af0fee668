import type { OrderUid } from '../../domain/order/uid.ts'
import { hexOf } from '../database/columns.ts'
import { sql, type Tx } from '../database/database.ts'
import { lockOrders } from '../order/progress.ts'

/**
 * Undoes all facts of blocks above `block`. Settlement attempts are running again if none of their settlements remains.
 * @returns row keys of the orders whose progress has to be refreshed
 */
export async function rollbackChainFacts(tx: Tx, chainId: number, block: number): Promise<bigint[]> {
  const client = sql(tx)
  await lockOrders(tx, await uidsAbove(tx, chainId, block))
  // In SQL: the deleted rows decide which orders and attempts to update.
  const rows = await client.$queryRaw<{ id: bigint }[]>`
    WITH
      trade AS (DELETE FROM trades WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING order_uid),
      invalidation AS (DELETE FROM invalidations WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING order_uid),
      presignature AS (DELETE FROM presignatures WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING order_uid),
      placement AS (DELETE FROM placements WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING order_uid),
      refund AS (DELETE FROM refunds WHERE chain_id = ${chainId} AND block_number > ${block} RETURNING order_uid),
      hook AS (DELETE FROM hook_calls WHERE chain_id = ${chainId} AND block_number > ${block}),
      amount AS (DELETE FROM settlement_amounts WHERE chain_id = ${chainId} AND block_number > ${block}),
      reverted AS (UPDATE settlement_attempts SET reverted_gas = NULL, reverted_gas_price = NULL, reverted_block = NULL,
          cancellation_gas = NULL, cancellation_gas_price = NULL
        WHERE chain_id = ${chainId} AND reverted_block > ${block}),
      settlement AS (DELETE FROM settlements WHERE chain_id = ${chainId} AND block_number > ${block}
        RETURNING auction_id, solution_uid, block_number),
      attempt AS (UPDATE settlement_attempts a SET outcome = NULL, ended_at = NULL, end_block = NULL, replaced_block = s.block_number
        FROM settlement s
        WHERE a.auction_id = s.auction_id AND a.solution_uid = s.solution_uid
          AND NOT EXISTS (SELECT 1 FROM settlements r WHERE r.auction_id = s.auction_id AND r.solution_uid = s.solution_uid
            AND r.block_number <= ${block}) RETURNING a.auction_id)
    SELECT o.id FROM orders o WHERE o.chain_id = ${chainId} AND o.uid IN (
      SELECT order_uid FROM trade UNION SELECT order_uid FROM invalidation UNION SELECT order_uid FROM presignature
      UNION SELECT order_uid FROM placement UNION SELECT order_uid FROM refund)`
  const orderIds = rows.map(({ id }) => id)
  const above = { gt: BigInt(block) }
  await client.execution.deleteMany({ where: { orderId: { in: orderIds }, blockNumber: above } })
  await client.orderEvent.deleteMany({ where: { orderId: { in: orderIds }, blockNumber: above } })
  // In SQL: any number of orders can have expired by one block.
  await client.$executeRaw`
    WITH unexpired AS (UPDATE orders SET expired_at_block = NULL WHERE chain_id = ${chainId} AND expired_at_block > ${block} RETURNING id)
    DELETE FROM order_events WHERE order_id IN (SELECT id FROM unexpired) AND block_number > ${block}`
  await client.block.deleteMany({ where: { chainId, number: above } })
  return orderIds
}

/** In SQL: one statement over several tables. */
async function uidsAbove(tx: Tx, chainId: number, block: number): Promise<OrderUid[]> {
  const rows = await sql(tx).$queryRaw<{ uid: Uint8Array }[]>`
    SELECT order_uid AS uid FROM trades WHERE chain_id = ${chainId} AND block_number > ${block}
    UNION SELECT order_uid FROM invalidations WHERE chain_id = ${chainId} AND block_number > ${block}
    UNION SELECT order_uid FROM presignatures WHERE chain_id = ${chainId} AND block_number > ${block}
    UNION SELECT order_uid FROM placements WHERE chain_id = ${chainId} AND block_number > ${block}
    UNION SELECT order_uid FROM refunds WHERE chain_id = ${chainId} AND block_number > ${block}`
  return rows.map(({ uid }) => hexOf(uid))
}
