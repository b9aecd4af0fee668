import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import type { AttemptKey } from './transactions.ts'

/** An attempt whose solver submits the settlement itself. */
export interface DelegatedAttempt extends AttemptKey {
  solver: Address
  startBlock: number
  deadlineBlock: number
  /** The solver's own id of the solution. */
  driverSolution: number
}

/** Before its solver is asked to settle. @returns false if the attempt has ended: it must not be asked */
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

export interface AttemptState {
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
      ...{ chainId, outcome: 'success', driverSolution: { not: null } },
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

/** Settlements of these accounts in a range of blocks, both ends included, that are none of an auction; a bounded number. */
export async function otherSettlements(
  db: Db,
  chainId: number,
  solvers: readonly Address[],
  { from, to }: { from: number; to: number },
): Promise<SettlementRow[]> {
  const rows = await sql(db).settlement.findMany({
    where: {
      ...{ chainId, auctionId: null, solver: { in: solvers.map(bytea) } },
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
