import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Order } from '../../domain/order/order.ts'
import { bytea, hexOf, numeric } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import type { AttemptEnd } from './competition.ts'

/** The key of a settlement attempt. */
export type AttemptKey = Pick<AttemptEnd, 'auctionId' | 'solutionUid'>

/** Stores the transaction before it is sent. @returns false if the attempt has ended: it must not be sent */
export async function storeTransaction(
  db: Db,
  { auctionId, solutionUid }: AttemptKey,
  { raw, hash, submission }: { raw: Hex; hash: Bytes32; submission: string },
): Promise<boolean> {
  const { count } = await sql(db).settlementAttempt.updateMany({
    where: { auctionId, solutionUid, outcome: null },
    data: { signedTransaction: bytea(raw), txHash: bytea(hash), submission },
  })
  return count > 0
}

/** Stores a transfer that is to take the nonce of the attempt's transaction, before it is sent. */
export async function storeCancellation(
  db: Db,
  { auctionId, solutionUid }: AttemptKey,
  hash: Bytes32,
): Promise<void> {
  await sql(db).settlementAttempt.updateMany({
    where: { auctionId, solutionUid },
    data: { cancellationHashes: { push: bytea(hash) } },
  })
}

/**
 * Removes the transaction of an attempt: it is on chain, or no process can follow it. The indexer or the
 * deadline ends the attempt.
 */
export async function forgetTransaction(
  db: Db,
  { auctionId, solutionUid }: AttemptKey,
  submission: string | null = null,
): Promise<void> {
  await sql(db).settlementAttempt.updateMany({
    where: { auctionId, solutionUid },
    data: { signedTransaction: null, ...(submission !== null && { submission }) },
  })
}

/**
 * Checks whether any order of the settlement is not cancelled; true if it trades only JIT orders. In SQL: one
 * statement over two tables.
 */
export async function hasLiveOrders(db: Db, { auctionId, solutionUid }: AttemptKey): Promise<boolean> {
  const rows = await sql(db).$queryRaw<unknown[]>`
    SELECT 1 FROM solution_executions x JOIN orders o ON o.id = x.order_id
    WHERE x.auction_id = ${auctionId} AND x.solution_uid = ${solutionUid} HAVING count(*) = 0
      OR bool_or(o.cancelled_at IS NULL AND NOT o.invalidated)`
  return rows.length > 0
}

export interface OpenAttempt extends AttemptKey {
  solver: Address
  deadlineBlock: number
  signedTransaction: Hex
  submission: string | undefined
}

/** Attempts whose transaction may be pending. */
export async function openAttempts(db: Db, chainId: number): Promise<OpenAttempt[]> {
  const rows = await sql(db).settlementAttempt.findMany({
    where: { chainId, outcome: null, signedTransaction: { not: null } },
    orderBy: [{ auctionId: 'asc' }, { solutionUid: 'asc' }],
  })
  return rows.flatMap(({ auctionId, solutionUid, solver, deadlineBlock, signedTransaction, submission }) =>
    signedTransaction
      ? [
          {
            auctionId,
            solutionUid,
            solver: hexOf(solver),
            deadlineBlock: Number(deadlineBlock),
            signedTransaction: hexOf(signedTransaction),
            submission: submission ?? undefined,
          },
        ]
      : [],
  )
}

/**
 * Ends running attempts that have no transaction and whose solver was not requested to send one.
 * @returns their number
 */
export async function endUnsentAttempts(
  tx: Tx,
  chainId: number,
  end: Pick<AttemptEnd, 'outcome' | 'endBlock' | 'endedAt'>,
): Promise<number> {
  const { count } = await sql(tx).settlementAttempt.updateMany({
    where: { chainId, outcome: null, txHash: null, driverSolution: null },
    data: { ...end, endBlock: BigInt(end.endBlock) },
  })
  return count
}

/** Checks for a pending transaction that fills the order. In SQL: one statement over two tables. */
export async function isBeingSettled(
  db: Db,
  { id, chainId }: Pick<Order, 'id' | 'chainId'>,
): Promise<boolean> {
  const rows = await sql(db).$queryRaw<unknown[]>`
    SELECT 1 FROM settlement_attempts a
    WHERE a.chain_id = ${chainId} AND a.outcome IS NULL AND (a.signed_transaction IS NOT NULL OR a.driver_solution IS NOT NULL)
      AND EXISTS (
      SELECT FROM solution_executions x
      WHERE x.auction_id = a.auction_id AND x.solution_uid = a.solution_uid AND x.order_id = ${id}
    ) LIMIT 1`
  return rows.length > 0
}

/** An attempt whose solver submits the settlement itself. */
export interface DelegatedAttempt extends AttemptKey {
  solver: Address
  startBlock: number
  deadlineBlock: number
  /** The solver's own id of the solution. */
  driverSolution: number
}

/** Stores a delegation before the request to settle. @returns false if the attempt has ended: send none */
export async function storeDelegation(
  db: Db,
  { auctionId, solutionUid }: AttemptKey,
  driverSolution: number,
): Promise<boolean> {
  const { count } = await sql(db).settlementAttempt.updateMany({
    where: { auctionId, solutionUid, outcome: null },
    data: { driverSolution: BigInt(driverSolution) },
  })
  return count > 0
}

interface AttemptState {
  /** null while it runs. */
  outcome: string | null
  txHash: Bytes32 | null
  endBlock: number
}

export async function attemptState(
  db: Db,
  { auctionId, solutionUid }: AttemptKey,
): Promise<AttemptState | undefined> {
  const row = await sql(db).settlementAttempt.findUnique({
    where: { auctionId_solutionUid: { auctionId, solutionUid } },
    select: { outcome: true, txHash: true, endBlock: true },
  })
  return row
    ? { outcome: row.outcome, txHash: row.txHash && hexOf(row.txHash), endBlock: Number(row.endBlock ?? 0) }
    : undefined
}

/** Attempts that their solvers may still settle. */
export async function delegatedAttempts(db: Db, chainId: number): Promise<DelegatedAttempt[]> {
  const rows = await sql(db).settlementAttempt.findMany({
    where: { chainId, outcome: null, driverSolution: { not: null } },
    orderBy: [{ auctionId: 'asc' }, { solutionUid: 'asc' }],
  })
  return rows.map(({ auctionId, solutionUid, solver, startBlock, deadlineBlock, driverSolution }) => ({
    auctionId,
    solutionUid,
    solver: hexOf(solver),
    startBlock: Number(startBlock),
    deadlineBlock: Number(deadlineBlock),
    driverSolution: Number(driverSolution),
  }))
}

/** Attempts that their solvers settled themselves behind a block; a bounded number, the newest first. */
export async function settledByDelegates(
  db: Db,
  chainId: number,
  after: number,
): Promise<(AttemptKey & { solver: Address; txHash: Bytes32; block: number })[]> {
  const rows = await sql(db).settlementAttempt.findMany({
    where: {
      chainId,
      outcome: 'success',
      driverSolution: { not: null },
      deadlineBlock: { gt: BigInt(after) },
    },
    orderBy: { deadlineBlock: 'desc' },
    take: 1_000,
  })
  return rows.flatMap(({ auctionId, solutionUid, solver, txHash, endBlock }) =>
    txHash
      ? [
          {
            auctionId,
            solutionUid,
            solver: hexOf(solver),
            txHash: hexOf(txHash),
            block: Number(endBlock ?? 0),
          },
        ]
      : [],
  )
}

export interface SettlementRow {
  solver: Address
  txHash: Bytes32
  blockNumber: number
}

/**
 * Settlements of these accounts in a range of blocks, both ends included, that are none of an auction; a
 * bounded number.
 */
export async function otherSettlements(
  db: Db,
  chainId: number,
  solvers: readonly Address[],
  { from, to }: { from: number; to: number },
): Promise<SettlementRow[]> {
  const rows = await sql(db).settlement.findMany({
    where: {
      chainId,
      auctionId: null,
      solver: { in: solvers.map(bytea) },
      blockNumber: { gte: BigInt(from), lte: BigInt(to) },
    },
    select: { solver: true, txHash: true, blockNumber: true },
    orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }],
    take: 1_000,
  })
  return rows.map(({ solver, txHash, blockNumber }) => ({
    solver: hexOf(solver),
    txHash: hexOf(txHash),
    blockNumber: Number(blockNumber),
  }))
}

export interface UnreadAttempt {
  auctionId: bigint
  solutionUid: number
  /** Hash of the last transaction that was sent for its settlement. */
  txHash: Bytes32 | null
  /** Transfers that were to take its nonce. */
  cancellations: readonly Bytes32[]
  deadlineBlock: number
}

/**
 * Attempts that ended without a settlement but may have a transaction on chain that the indexer does not know
 * yet. Oldest first. In SQL: each condition is that of an index.
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

/** Gas cost of an attempt that settled nothing. */
export interface LostGas {
  /** Gas of its reverted settlement. */
  reverted?: UsedGas
  /** Gas of the transfer that took its nonce. */
  cancellation?: UsedGas
  /** Block of the transaction; null if none is on chain. */
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
