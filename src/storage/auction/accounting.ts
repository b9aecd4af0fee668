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

/** In SQL: rows follow from the model. */
export async function accountsOf(db: Db, range: AccountRange): Promise<Accounts> {
  const rows = await sql(db).$queryRaw<{ to: bigint; accounts: string; lines: string }[]>`
    SELECT ag.to_block AS to,
      (SELECT coalesce(json_agg((${raw(rowSql(accountRow))})::json), '[]') FROM ${raw(accountRows)})::text AS accounts,
      (SELECT coalesce(json_agg((${raw(rowSql(lineRow))})::json), '[]') FROM ${raw(lineRows)})::text AS lines
    FROM ${accountRange(range)}`
  const [row] = rows
  if (!row) return { to: -1, solvers: [], lines: [] }
  const parsed = (text: string): Record<string, unknown>[] => JSON.parse(text)
  return {
    to: Number(row.to),
    solvers: parsed(row.accounts).map((account) => toRow(accountRow, account)),
    lines: parsed(row.lines).map((line) => toRow<AccountLine>(lineRow, line)),
  }
}
