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
  /** As its settlement was sent last. */
  txHash: Bytes32 | null
  /** Transfers that were to take its nonce. */
  cancellations: readonly Bytes32[]
  deadlineBlock: number
}

/**
 * Attempts that ended without a settlement, of which a transaction may be on chain: the indexer does not know yet. Oldest first. In SQL:
 * each condition is that of an index.
 */
export async function unreadAttempts(db: Db, chainId: number, limit: number): Promise<UnreadAttempt[]> {
  const rows = await sql(db).$queryRaw<UnreadRow[]>`
    SELECT auction_id, solution_uid, tx_hash, cancellation_hashes, deadline_block FROM (
      (SELECT * FROM settlement_attempts
        WHERE chain_id = ${chainId} AND tx_hash IS NOT NULL AND reverted_gas IS NULL AND outcome NOT IN ('success', 'timeout')
        ORDER BY auction_id LIMIT ${limit})
      UNION ALL
      (SELECT * FROM settlement_attempts
        WHERE chain_id = ${chainId} AND cancellation_hashes <> '{}' AND reverted_gas IS NULL AND outcome <> 'success'
          AND (tx_hash IS NULL OR outcome = 'timeout')
        ORDER BY auction_id LIMIT ${limit})
    ) unread ORDER BY auction_id LIMIT ${limit}`
  return rows.map((row) => ({
    auctionId: row.auction_id,
    solutionUid: row.solution_uid,
    txHash: row.tx_hash && hexOf(row.tx_hash),
    cancellations: row.cancellation_hashes.map((hash) => hexOf(hash)),
    deadlineBlock: Number(row.deadline_block),
  }))
}

interface UnreadRow {
  auction_id: bigint
  solution_uid: number
  tx_hash: Uint8Array | null
  cancellation_hashes: Uint8Array[]
  deadline_block: bigint
}

interface UsedGas {
  gas: bigint
  gasPrice: bigint | null
}

/** What an attempt cost that settled nothing. */
export interface LostGas {
  /** Of its settlement, which reverted. */
  reverted?: UsedGas
  /** Of the transfer that took its nonce. */
  cancellation?: UsedGas
  /** Where that is; null if none of its transactions is on chain. */
  block: number | null
}

export async function storeLostGas(
  db: Db,
  { auctionId, solutionUid }: Pick<UnreadAttempt, 'auctionId' | 'solutionUid'>,
  { reverted, cancellation, block }: LostGas,
): Promise<void> {
  const price = (used: UsedGas | undefined) => (used?.gasPrice == null ? null : numeric(used.gasPrice))
  await sql(db).settlementAttempt.updateMany({
    where: { auctionId, solutionUid },
    data: {
      revertedGas: numeric(reverted?.gas ?? 0n),
      revertedGasPrice: price(reverted),
      revertedBlock: block === null ? null : BigInt(block),
      cancellationGas: cancellation ? numeric(cancellation.gas) : null,
      cancellationGasPrice: price(cancellation),
    },
  })
}
