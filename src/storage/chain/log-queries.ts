import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { OrderUid, Trade } from '../../domain/order/order.ts'
import { amountOf, bytea, hexOf, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { Prisma } from '../generated/client.ts'
import { tradeRow } from '../models/trade.ts'
import { rowSql, toRow } from '../query/json.ts'

/** A transaction of settlements that are stored by their logs alone. */
export interface UnreadTransaction {
  blockNumber: number
  txHash: Bytes32
  /** The number of its settlements. */
  settlements: number
}

/** SQL for the number of all settlements in transaction `tx_hash`. */
export const settlementsIn = (chainId: number) =>
  Prisma.sql`(SELECT count(*)::int FROM settlements c WHERE c.chain_id = ${chainId} AND c.tx_hash = u.tx_hash)`

/** Transactions after `after` by block and hash. In SQL: Prisma cannot order bytes. */
export async function unreadTransactions(
  db: Db,
  chainId: number,
  after: Pick<UnreadTransaction, 'blockNumber' | 'txHash'> | undefined,
  limit: number,
): Promise<UnreadTransaction[]> {
  const { blockNumber, txHash } = after ?? { blockNumber: -1, txHash: '0x' as const }
  const rows = await sql(db).$queryRaw<UnreadRow[]>`
    SELECT block_number AS block, tx_hash AS tx, ${settlementsIn(chainId)} AS settlements FROM (
      SELECT DISTINCT block_number, tx_hash FROM settlements
      WHERE chain_id = ${chainId} AND is_unread AND (block_number, tx_hash) > (${blockNumber}::bigint, ${bytea(txHash)})
      ORDER BY block_number, tx_hash LIMIT ${limit}) u
    ORDER BY block_number, tx_hash`
  return rows.map(toUnread)
}

export interface UnreadRow {
  block: bigint
  tx: Uint8Array
  settlements: number
}

export const toUnread = ({ block, tx, settlements }: UnreadRow): UnreadTransaction => ({
  blockNumber: Number(block),
  settlements,
  txHash: hexOf(tx),
})

/** Settlements that wait to be read. */
export interface WaitingSettlements {
  /** The number of those whose transactions are to be read. */
  unread: number
  /** The number of those whose solver is not known. */
  withoutSolver: number
}

/** Counts settlements that wait to be read. In SQL: two counts at once. */
export async function countWaiting(db: Db, chainId: number): Promise<WaitingSettlements> {
  const [counts] = await sql(db).$queryRaw<WaitingSettlements[]>`
    SELECT count(*) FILTER (WHERE is_unread)::int AS unread, count(solver_due)::int AS "withoutSolver"
    FROM settlements WHERE chain_id = ${chainId} AND (is_unread OR solver_due IS NOT NULL)`
  return counts ?? { unread: 0, withoutSolver: 0 }
}

interface StoredSettlement {
  logIndex: number
  txHash: Bytes32
  solver: Address
  isUnread: boolean
}

/** The settlements and trades of a block, by the index of their logs. */
export async function settledIn(
  tx: Tx,
  chainId: number,
  blockNumber: number,
): Promise<{ settlements: StoredSettlement[]; trades: Trade[] }> {
  const of = { where: { chainId, blockNumber: BigInt(blockNumber) }, orderBy: { logIndex: 'asc' } } as const
  const settlements = await sql(tx).settlement.findMany(of)
  const trades = await sql(tx).trade.findMany(of)
  return {
    settlements: settlements.map(({ logIndex, txHash, solver, isUnread }) => ({
      logIndex,
      isUnread,
      txHash: hexOf(txHash),
      solver: hexOf(solver),
    })),
    trades: trades.map((row) => ({
      chainId,
      blockNumber,
      logIndex: row.logIndex,
      auctionId: row.auctionId,
      orderUid: hexOf(row.orderUid),
      owner: hexOf(row.owner),
      sellToken: hexOf(row.sellToken),
      buyToken: hexOf(row.buyToken),
      sellAmount: amountOf(row.sellAmount),
      buyAmount: amountOf(row.buyAmount),
      feeAmount: amountOf(row.feeAmount),
      txHash: hexOf(row.txHash),
    })),
  }
}

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
