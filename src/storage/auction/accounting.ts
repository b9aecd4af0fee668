import type { Address } from '../../domain/evm/address.ts'
import type { SolverAccount } from '../../domain/settlement/account.ts'
import { raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import {
  type AccountRange,
  accountRange,
  accountRow,
  accountRows,
  lineRow,
  lineRows,
} from '../models/auction/accounting.ts'
import { rowSql, toRow } from '../query/row.ts'

/** Part of an account, in atoms of a token. Partner fees by recipient have a line each, and the other amounts one for all of them. */
export interface AccountLine {
  solver: Address
  token: Address
  recipient: Address | null
  networkFees: bigint
  protocolFees: bigint
  partnerFees: bigint
  slippage: bigint
}

export interface Accounts {
  /** The last block that is counted; below the first of the range when none is. */
  to: number
  solvers: SolverAccount[]
  /** By solver, token and recipient. */
  lines: AccountLine[]
}

/** Deadlines that one statement reads, so that it stays within its time, however long the range. */
const blocksAtOnce = 5_000

/** In SQL: the first deadlines of two tables. */
export async function accountsOf(db: Db, { chainId, from, to }: AccountRange): Promise<Accounts> {
  const [bounds] = await sql(db).$queryRaw<{ first: bigint | null; last: bigint }[]>`
    SELECT least((SELECT min(deadline_block) FROM settlement_attempts WHERE chain_id = ${chainId} AND deadline_block >= ${from}),
      (SELECT min(deadline_block) FROM settlements WHERE chain_id = ${chainId} AND deadline_block >= ${from})) AS first,
      least(${to}::bigint, block_number - 1) AS last FROM checkpoints WHERE chain_id = ${chainId}`
  if (!bounds) return { to: -1, solvers: [], lines: [] }
  const last = Number(bounds.last)
  const solvers = new Map<string, SolverAccount>()
  const lines = new Map<string, AccountLine>()
  for (let first = Number(bounds.first ?? last + 1); first <= last; first += blocksAtOnce) {
    const part = await partOf(db, { chainId, from: first, to: Math.min(last, first + blocksAtOnce - 1) })
    for (const one of part.solvers) add(solvers, one.solver, one)
    for (const one of part.lines) add(lines, [one.solver, one.token, one.recipient].join(), one)
  }
  const inOrder = <T>(rows: ReadonlyMap<string, T>) =>
    [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  return { to: last, solvers: inOrder(solvers), lines: inOrder(lines) }
}

/** Adds the figures of a row to those under its key. */
function add<T extends object>(rows: Map<string, T>, key: string, row: T): void {
  const sum = rows.get(key) as Record<string, unknown> | undefined
  if (!sum) return void rows.set(key, row)
  for (const [name, figure] of Object.entries(row)) {
    if (typeof figure === 'bigint') sum[name] = (sum[name] as bigint) + figure
    if (typeof figure === 'number') sum[name] = (sum[name] as number) + figure
  }
}

/** In SQL: rows follow from the model. */
async function partOf(db: Db, range: AccountRange): Promise<Omit<Accounts, 'to'>> {
  const rows = await sql(db).$queryRaw<{ accounts: string; lines: string }[]>`
    SELECT (SELECT coalesce(json_agg((${raw(rowSql(accountRow))})::json), '[]') FROM ${raw(accountRows)})::text AS accounts,
      (SELECT coalesce(json_agg((${raw(rowSql(lineRow))})::json), '[]') FROM ${raw(lineRows)})::text AS lines
    FROM ${accountRange(range)}`
  const parsed = (text = '[]'): Record<string, unknown>[] => JSON.parse(text)
  return {
    solvers: parsed(rows[0]?.accounts).map((account) => toRow(accountRow, account)),
    lines: parsed(rows[0]?.lines).map((line) => toRow<AccountLine>(lineRow, line)),
  }
}
