import type { Address } from '../../domain/evm/address.ts'
import type { Booking, Slippage, SolverAccount } from '../../domain/settlement/accounting.ts'
import { bytea, hexOf, numeric, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import {
  type AccountRange,
  accountRange,
  accountRow,
  accountRows,
  isAccountingComplete,
  lineRow,
  lineRows,
} from '../models/auction/accounting.ts'
import { rowSql, toRow } from '../query/json.ts'
import type { AttemptKey } from './settlement-attempts.ts'

/**
 * Part of an account, in atoms of a token. Partner fees by recipient have a line each, and the other amounts
 * one for all of them.
 */
export interface AccountLine {
  solver: Address
  token: Address
  recipient: Address | null
  networkFees: bigint
  protocolFees: bigint
  partnerFees: bigint
  slippage: bigint
}

interface Accounts {
  /** The last block that is counted; below the first of the range when none is. */
  to: number
  /** False if sums lack what is not known. */
  isComplete: boolean
  solvers: SolverAccount[]
  /** Sorted by solver, token and recipient. */
  lines: AccountLine[]
}

/** Deadlines that one statement reads, so that it stays within its time, however long the range. */
const blocksAtOnce = 5_000

/** Sums the accounts of a range. In SQL: the first deadlines of two tables. */
export async function accountsOf(db: Db, { chainId, from, to }: AccountRange): Promise<Accounts> {
  const [bounds] = await sql(db).$queryRaw<{ first: bigint | null; last: bigint; is_complete: boolean }[]>`
    SELECT least((SELECT min(deadline_block) FROM settlement_attempts WHERE chain_id = ${chainId} AND deadline_block >= ${from}),
      (SELECT min(deadline_block) FROM settlements WHERE chain_id = ${chainId} AND deadline_block >= ${from})) AS first,
      least(${to}::bigint, block_number - 1) AS last, (SELECT ${raw(isAccountingComplete)}
        FROM (SELECT ${chainId}::int AS chain_id, ${from}::bigint AS from_block) ag) AS is_complete
    FROM checkpoints WHERE chain_id = ${chainId}`
  if (!bounds) return { to: -1, isComplete: false, solvers: [], lines: [] }
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
  return { to: last, isComplete: bounds.is_complete, solvers: inOrder(solvers), lines: inOrder(lines) }
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

/** Reads the accounts of a part of the range. In SQL: rows follow from the model. */
async function partOf(db: Db, range: AccountRange): Promise<Pick<Accounts, 'solvers' | 'lines'>> {
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

/** Stored with the attempt. */
export async function insertBookings(
  tx: Tx,
  { auctionId, solutionUid }: AttemptKey,
  bookings: readonly Booking[],
): Promise<void> {
  await sql(tx).settlementBooking.createMany({
    data: bookings.map(({ token, networkFee, protocolFee, internalized, least }) => ({
      auctionId,
      solutionUid,
      token: bytea(token),
      networkFee: numeric(networkFee),
      protocolFee: numeric(protocolFee),
      internalized: numeric(internalized),
      least: numeric(least),
    })),
  })
}

/**
 * Stores by how much the settlement contract's balance of each token changed. A token without a booking gets
 * a row.
 * @returns each token with its booking; tokens outside `changes` have not changed
 */
export async function storeChanges(
  db: Db,
  { auctionId, solutionUid }: AttemptKey,
  changes: ReadonlyMap<Address, bigint>,
): Promise<Slippage[]> {
  const rows = await sql(db).$queryRaw<SlippageRow[]>`
    WITH seen AS (SELECT * FROM unnest(${[...changes.keys()].map(bytea)}::bytea[], ${[...changes.values()].map(numeric)}::numeric[]) AS s(token, change)),
    known AS (UPDATE settlement_bookings b SET change = coalesce((SELECT s.change FROM seen s WHERE s.token = b.token), 0)
      WHERE b.auction_id = ${auctionId} AND b.solution_uid = ${solutionUid} RETURNING b.*),
    added AS (INSERT INTO settlement_bookings (auction_id, solution_uid, token, network_fee, protocol_fee, internalized, least, change)
      SELECT ${auctionId}::bigint, ${solutionUid}::int, s.token, 0, 0, 0, 0, s.change FROM seen s
      WHERE s.change <> 0 AND NOT EXISTS (SELECT FROM settlement_bookings b
        WHERE b.auction_id = ${auctionId} AND b.solution_uid = ${solutionUid} AND b.token = s.token) RETURNING *)
    SELECT token, network_fee::text, protocol_fee::text, internalized::text, least::text, change::text FROM known
    UNION ALL SELECT token, network_fee::text, protocol_fee::text, internalized::text, least::text, change::text FROM added`
  return rows.map((row) => ({
    token: hexOf(row.token),
    networkFee: BigInt(row.network_fee),
    protocolFee: BigInt(row.protocol_fee),
    internalized: BigInt(row.internalized),
    least: BigInt(row.least),
    change: BigInt(row.change),
  }))
}

interface SlippageRow {
  token: Uint8Array
  network_fee: string
  protocol_fee: string
  internalized: string
  least: string
  change: string
}

/**
 * Sums by token what a solver's settlements since a time paid by permission, or may pay. In SQL: two tables.
 */
export async function paidByPermission(
  db: Db,
  { chainId, solver, since }: { chainId: number; solver: Address; since: Date },
): Promise<Map<Address, bigint>> {
  const rows = await sql(db).$queryRaw<{ token: Uint8Array; paid: string }[]>`
    SELECT b.token, (-sum(b.internalized))::text AS paid FROM settlement_attempts t
      JOIN settlement_bookings b ON b.auction_id = t.auction_id AND b.solution_uid = t.solution_uid
    WHERE t.chain_id = ${chainId} AND t.solver = ${bytea(solver)} AND t.started_at > ${since}
      AND (t.outcome IS NULL OR t.outcome = 'success') AND b.internalized < 0 GROUP BY b.token`
  return new Map(rows.map(({ token, paid }) => [hexOf(token), BigInt(paid)]))
}
