import { raw } from '../database/columns.ts'
import { type Database, sql, type Tx } from '../database/database.ts'
import { type RemovalBatch, removedUpTo, setRemovedUpTo, shortTransaction } from './batch.ts'
import { leaveMarks } from './events.ts'

interface CompetitionAge {
  chainId: number
  /** Blocks that may be reorganised: removed competitions have deadlines before them. */
  finalityBlocks: number
  before: Date
  /** Limit of auctions in one transaction. */
  limit: number
}

/** The auctions after `after` up to `last`. */
interface Window {
  chainId: number
  after: bigint
  last: bigint
}

/**
 * Removes the next old competitions of a network that no settlement refers to, with their solutions,
 * proposals and attempts, then the spans and prices that no stored auction needs any more. A trade settles an
 * auction, so the data that values the trade stays. The newest auction always stays: it marks where spans
 * end. Never waits for a lock, and never returns to auctions that it passed.
 */
export function removeCompetitions(db: Database, age: CompetitionAge): Promise<RemovalBatch> {
  const name = `competitions:${age.chainId}`
  return shortTransaction(db, async (tx) => {
    const after = await removedUpTo(tx, name)
    const old = await oldAuctions(tx, age, after)
    const last = old.at(-1)?.id
    if (last === undefined) return { removed: {}, isLast: true }
    const window = { chainId: age.chainId, after, last }
    const auctions = old.flatMap(({ id, settled }) => (settled ? [] : [id]))
    const removed = {
      ...(await removeAuctions(tx, auctions)),
      auction_spans: await removeSpans(tx, 'auction_spans', window),
      exclusion_spans: await removeSpans(tx, 'exclusion_spans', window),
      price_changes: await removePrices(tx, window),
    }
    await setRemovedUpTo(tx, name, last)
    return { removed, isLast: old.length < age.limit }
  })
}

/** The auctions before the first that is not old or has a running attempt. In SQL: several tables. */
async function oldAuctions(tx: Tx, age: CompetitionAge, after: bigint) {
  const { chainId, finalityBlocks, before, limit } = age
  const rows = await sql(tx).$queryRaw<{ id: bigint; old: boolean | null; settled: boolean }[]>`
    SELECT a.id, a.created_at < ${before} AND a.deadline_block <= c.block_number - ${finalityBlocks}::int
      AND a.id < (SELECT max(n.id) FROM auctions n WHERE n.chain_id = ${chainId})
      AND NOT EXISTS (SELECT FROM settlement_attempts t WHERE t.auction_id = a.id AND t.outcome IS NULL) AS old,
      EXISTS (SELECT FROM settlements s WHERE s.auction_id = a.id) AS settled
    FROM (SELECT * FROM auctions WHERE chain_id = ${chainId} AND id > ${after} ORDER BY id LIMIT ${limit}) a
      LEFT JOIN checkpoints c ON c.chain_id = a.chain_id ORDER BY a.id`
  const end = rows.findIndex(({ old }) => !old)
  return end < 0 ? rows : rows.slice(0, end)
}

async function removeAuctions(tx: Tx, ids: bigint[]): Promise<Record<string, number>> {
  const client = sql(tx)
  const ofAuctions = { where: { auctionId: { in: ids } } }
  const proposals = await client.solutionExecution.deleteMany(ofAuctions)
  const jitProposals = await client.jitExecution.deleteMany(ofAuctions)
  const bookings = await client.settlementBooking.deleteMany(ofAuctions)
  const attempts = await client.settlementAttempt.deleteMany(ofAuctions)
  const answers = await client.solverAnswer.deleteMany(ofAuctions)
  const solutions = await client.solution.deleteMany(ofAuctions)
  const auctions = await client.auction.deleteMany({ where: { id: { in: ids } } })
  const entries = await client.$executeRaw`
    WITH entries AS (DELETE FROM auction_feed WHERE auction_id = ANY(${ids}::bigint[]) RETURNING *), marked AS (
      ${raw(leaveMarks('auction_feed', 'entries'))}) SELECT FROM entries`
  return {
    solution_executions: proposals.count,
    jit_executions: jitProposals.count,
    settlement_bookings: bookings.count,
    settlement_attempts: attempts.count,
    solver_answers: answers.count,
    solutions: solutions.count,
    auctions: auctions.count,
    auction_feed: entries,
  }
}

/** Spans that end in the window and hold no stored auction. In SQL: ranges. */
function removeSpans(
  tx: Tx,
  table: 'auction_spans' | 'exclusion_spans',
  { chainId, after, last }: Window,
): Promise<number> {
  return sql(tx).$executeRaw`
    DELETE FROM ${raw(table)} s WHERE s.chain_id = ${chainId}
      AND int8range(s.first_auction, s.last_auction, '[]') && int8range(${after}::bigint, ${last}::bigint, '(]')
      AND s.last_auction <= ${last} AND NOT EXISTS (
        SELECT FROM auctions a WHERE a.chain_id = s.chain_id AND a.id >= s.first_auction AND a.id <= s.last_auction)`
}

/**
 * Removes prices that another price followed in the window, if no stored auction lies between the two. The
 * newest price of a token stays even if only its end followed. In SQL: neighbours of a row.
 */
function removePrices(tx: Tx, { chainId, after, last }: Window): Promise<number> {
  return sql(tx).$executeRaw`
    DELETE FROM price_changes WHERE ctid = ANY(ARRAY(
      SELECT passed.ctid FROM (
        SELECT p.*, lead(p.auction_id) OVER (PARTITION BY p.series_id ORDER BY p.auction_id) AS next
        FROM price_series s CROSS JOIN LATERAL (
          SELECT w.ctid, w.* FROM price_changes w WHERE w.series_id = s.id AND w.auction_id <= ${last} AND w.auction_id >= coalesce(
            (SELECT max(b.auction_id) FROM price_changes b WHERE b.series_id = s.id AND b.auction_id <= ${after}), 0)) p
        WHERE s.chain_id = ${chainId}
      ) passed
      WHERE passed.next IS NOT NULL
        AND NOT EXISTS (SELECT FROM auctions a
          WHERE a.chain_id = ${chainId} AND a.id >= passed.auction_id AND a.id < passed.next)
        AND (passed.price IS NULL OR EXISTS (SELECT FROM price_changes l
          WHERE l.series_id = passed.series_id AND l.auction_id > passed.auction_id AND l.price IS NOT NULL))))`
}
