import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { settlementsIn, toUnread, type UnreadRow, type UnreadTransaction } from './log-queries.ts'

/** A change of the list of accounts that may settle. */
export interface SolverChange {
  blockNumber: number
  logIndex: number
  account: Address
  isAllowed: boolean
}

/** Notes, once, the first block from which changes of the list are stored. */
export async function startSolvers(db: Db, chainId: number, first: number): Promise<void> {
  const where = { chainId, solversFrom: null }
  await sql(db).checkpoint.updateMany({ where, data: { solversFrom: BigInt(first) } })
}

export async function insertSolverChanges(
  tx: Tx,
  chainId: number,
  changes: readonly SolverChange[],
): Promise<void> {
  await sql(tx).solverPermission.createMany({
    data: changes.map(({ blockNumber, logIndex, account, isAllowed }) => ({
      chainId,
      blockNumber: BigInt(blockNumber),
      logIndex,
      isAllowed,
      account: bytea(account),
    })),
    skipDuplicates: true,
  })
}

/** The changes of accounts, oldest first, and the block from which they are stored; undefined without any. */
export async function solverChangesOf(
  db: Db,
  chainId: number,
  accounts: readonly Address[],
): Promise<{ from: number | undefined; changes: SolverChange[] }> {
  const checkpoint = await sql(db).checkpoint.findUnique({
    where: { chainId },
    select: { solversFrom: true },
  })
  const rows = await sql(db).solverPermission.findMany({
    where: { chainId, account: { in: accounts.map(bytea) } },
    orderBy: [{ blockNumber: 'asc' }, { logIndex: 'asc' }],
  })
  return {
    from: checkpoint?.solversFrom == null ? undefined : Number(checkpoint.solversFrom),
    changes: rows.map(({ blockNumber, logIndex, account, isAllowed }) => ({
      blockNumber: Number(blockNumber),
      logIndex,
      isAllowed,
      account: hexOf(account),
    })),
  }
}

/** Transactions with settlements whose solver may be looked for again, longest due first. In SQL: a group. */
export async function dueSolvers(db: Db, chainId: number, limit: number): Promise<UnreadTransaction[]> {
  const rows = await sql(db).$queryRaw<UnreadRow[]>`
    SELECT block_number AS block, tx_hash AS tx, ${settlementsIn(chainId)} AS settlements FROM (
      SELECT block_number, tx_hash, min(solver_due) AS due FROM settlements
      WHERE chain_id = ${chainId} AND solver_due <= now() AND NOT is_unread
      GROUP BY block_number, tx_hash ORDER BY due, block_number DESC LIMIT ${limit}) u
    ORDER BY due, block_number DESC`
  return rows.map(toUnread)
}

/** Postpones the search for the solvers of a transaction: by a minute, and then fourfold, up to a day. */
export async function postponeSolvers(db: Db, chainId: number, txHash: Bytes32): Promise<void> {
  await sql(db).$executeRaw`UPDATE settlements SET solver_tries = least(solver_tries + 1, 10),
      solver_due = now() + least(power(4, solver_tries) * interval '1 minute', interval '1 day')
    WHERE chain_id = ${chainId} AND tx_hash = ${bytea(txHash)} AND solver_due IS NOT NULL`
}
