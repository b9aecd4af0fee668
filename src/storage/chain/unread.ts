import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Trade } from '../../domain/order/trade.ts'
import { amountOf, bytea, hexOf } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** A transaction of settlements that are stored by their logs alone. */
export interface UnreadTransaction {
  blockNumber: number
  txHash: Bytes32
}

/** Those after `after` by block and hash. In SQL: Prisma has no order of bytes. */
export async function unreadTransactions(
  db: Db,
  chainId: number,
  after: UnreadTransaction | undefined,
  limit: number,
): Promise<UnreadTransaction[]> {
  const { blockNumber, txHash } = after ?? { blockNumber: -1, txHash: '0x' as const }
  const rows = await sql(db).$queryRaw<{ block: bigint; tx: Uint8Array }[]>`
    SELECT DISTINCT block_number AS block, tx_hash AS tx FROM settlements
    WHERE chain_id = ${chainId} AND is_unread AND (block_number, tx_hash) > (${blockNumber}::bigint, ${bytea(txHash)})
    ORDER BY block_number, tx_hash LIMIT ${limit}`
  return rows.map(({ block, tx }) => ({ blockNumber: Number(block), txHash: hexOf(tx) }))
}

export function countUnread(db: Db, chainId: number): Promise<number> {
  return sql(db).settlement.count({ where: { chainId, isUnread: true } })
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
      ...{ logIndex, isUnread },
      txHash: hexOf(txHash),
      solver: hexOf(solver),
    })),
    trades: trades.map((row) => ({
      ...{ chainId, blockNumber, logIndex: row.logIndex, auctionId: row.auctionId },
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
