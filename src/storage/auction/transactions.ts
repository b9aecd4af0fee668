import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Order } from '../../domain/order/order.ts'
import { bytea, hexOf } from '../database/columns.ts'
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

/** The transaction is on chain, or no process can follow it. The indexer ends the attempt, or its deadline does. */
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

/** Whether any order of the settlement is not cancelled; also one that trades orders of its solver only. In SQL: one statement over two tables. */
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

/** Ends running attempts that never had a transaction, and whose solver was not asked to send one. @returns their number */
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

/** Whether a transaction that fills the order may be pending. In SQL: one statement over two tables. */
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
