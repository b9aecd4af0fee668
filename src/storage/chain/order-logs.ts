import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Trade } from '../../domain/order/trade.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { hexOf, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { tradeRow } from '../models/trade/trade.ts'
import { rowSql, toRow } from '../query/row.ts'

/** All trades of orders, oldest first. In SQL: the row's text and its mapping follow from the model. */
export async function findTradesOf(db: Db, orderIds: readonly bigint[]): Promise<Trade[]> {
  const rows = await sql(db).$queryRaw<{ json: string }[]>`
    SELECT ${raw(rowSql(tradeRow))} AS json FROM trades tr WHERE tr.order_id = ANY(${orderIds})
    ORDER BY tr.block_number, tr.log_index`
  return rows.map(({ json }) => toRow(tradeRow, JSON.parse(json)))
}

/** The first invalidation of each order that has one. In SQL: the first of a group. */
export async function findInvalidations(
  db: Db,
  orderIds: readonly bigint[],
): Promise<{ orderUid: OrderUid; blockNumber: number; txHash: Bytes32 }[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array; block: bigint; tx: Uint8Array }[]>`
    SELECT DISTINCT ON (i.order_uid) i.order_uid AS uid, i.block_number AS block, i.tx_hash AS tx
    FROM invalidations i JOIN orders o ON o.uid = i.order_uid AND o.chain_id = i.chain_id WHERE o.id = ANY(${orderIds})
    ORDER BY i.order_uid, i.block_number, i.log_index`
  return rows.map(({ uid, block, tx }) => ({
    orderUid: hexOf(uid),
    blockNumber: Number(block),
    txHash: hexOf(tx),
  }))
}
