import type { Address } from '../../domain/evm/address.ts'
import type { Booking, Slippage } from '../../domain/settlement/booking.ts'
import { bytea, hexOf, numeric } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import type { AttemptKey } from './transactions.ts'

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
 * Stores what the settlement contract has more or less of each token after the settlement. A token without a booking gets a row.
 * @returns each token with its booking; what is not in `changes` has not changed
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
 * What settlements of a solver paid by permission since a time, or may still pay, by token. In SQL: a sum over two tables.
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
