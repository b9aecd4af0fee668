import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'

/** Transactions and orders that one look is about. */
const atOnce = 20

/**
 * Transactions of settlements that the service sent and follows no more, and of which no log is stored, of
 * auctions whose deadline is above the block. In SQL: one statement over two tables.
 */
export async function unseenSettlements(db: Db, chainId: number, after: number): Promise<Bytes32[]> {
  const rows = await sql(db).$queryRaw<{ tx_hash: Uint8Array }[]>`
    SELECT a.tx_hash FROM settlement_attempts a
    WHERE a.chain_id = ${chainId} AND a.deadline_block > ${after} AND a.tx_hash IS NOT NULL AND a.signed_transaction IS NULL
      AND (a.outcome IS NULL OR a.outcome = 'timeout')
      AND NOT EXISTS (SELECT FROM settlements s WHERE s.chain_id = a.chain_id AND s.tx_hash = a.tx_hash)
    ORDER BY a.deadline_block DESC LIMIT ${atOnce}`
  return rows.map(({ tx_hash }) => hexOf(tx_hash))
}

/**
 * Live orders of which a trial said that they are filled, besides those that were looked for already: code of
 * strangers can say the same. In SQL: one statement over two tables.
 */
export async function ownersOfFilled(
  db: Db,
  chainId: number,
  without: readonly OrderUid[],
): Promise<{ uid: OrderUid; owner: Address }[]> {
  const rows = await sql(db).$queryRaw<{ uid: Uint8Array; owner: Uint8Array }[]>`
    SELECT o.uid, o.owner FROM order_standings s JOIN orders o ON o.id = s.order_id
    WHERE s.chain_id = ${chainId} AND s.revert = 'GPv2: order filled' AND o.uid <> ALL(${without.map(bytea)}::bytea[])
    ORDER BY s.updated_at DESC LIMIT ${atOnce}`
  return rows.map(({ uid, owner }) => ({ uid: hexOf(uid), owner: hexOf(owner) }))
}

/** Checks whether the trade of a log is stored. */
export async function isTradeStored(
  db: Db,
  chainId: number,
  { blockNumber, orderUid, txHash }: { blockNumber: number; orderUid: OrderUid; txHash: Bytes32 },
): Promise<boolean> {
  const where = {
    chainId,
    blockNumber: BigInt(blockNumber),
    orderUid: bytea(orderUid),
    txHash: bytea(txHash),
  }
  return (await sql(db).trade.findFirst({ where, select: { logIndex: true } })) !== null
}
