import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { earliestDeadline } from '../../domain/settlement/account.ts'
import { bytea, hexOf, numeric } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'

/** Those of these accounts that won an auction whose settlements are still attributed in this block. */
export async function solversAmong(
  db: Db,
  { chainId, blockTimeMs }: Pick<Network, 'chainId' | 'blockTimeMs'>,
  accounts: readonly Address[],
  block: number,
): Promise<Set<Address>> {
  const rows = await sql(db).settlementAttempt.findMany({
    where: {
      chainId,
      solver: { in: accounts.map(bytea) },
      deadlineBlock: { gte: BigInt(earliestDeadline(block, blockTimeMs)) },
    },
    select: { solver: true },
    distinct: ['solver'],
  })
  return new Set(rows.map(({ solver }) => hexOf(solver)))
}

export interface UnreadAttempt {
  auctionId: bigint
  solutionUid: number
  txHash: Bytes32
  deadlineBlock: number
}

/** Attempts that failed, whose transaction may be on chain: the indexer does not know yet. Oldest first. In SQL: the condition is its index's. */
export async function unreadAttempts(db: Db, chainId: number, limit: number): Promise<UnreadAttempt[]> {
  const rows = await sql(db).$queryRaw<UnreadRow[]>`
    SELECT auction_id, solution_uid, tx_hash, deadline_block FROM settlement_attempts
    WHERE chain_id = ${chainId} AND tx_hash IS NOT NULL AND reverted_gas IS NULL AND outcome NOT IN ('success', 'timeout')
    ORDER BY auction_id LIMIT ${limit}`
  return rows.map((row) => ({
    auctionId: row.auction_id,
    solutionUid: row.solution_uid,
    txHash: hexOf(row.tx_hash),
    deadlineBlock: Number(row.deadline_block),
  }))
}

interface UnreadRow {
  auction_id: bigint
  solution_uid: number
  tx_hash: Uint8Array
  deadline_block: bigint
}

export interface RevertedGas {
  gas: bigint
  gasPrice: bigint | null
  block: number | null
}

export async function storeRevertedGas(
  db: Db,
  { auctionId, solutionUid }: UnreadAttempt,
  { gas, gasPrice, block }: RevertedGas,
): Promise<void> {
  await sql(db).settlementAttempt.updateMany({
    where: { auctionId, solutionUid },
    data: {
      revertedGas: numeric(gas),
      revertedGasPrice: gasPrice === null ? null : numeric(gasPrice),
      revertedBlock: block === null ? null : BigInt(block),
    },
  })
}
