import type { MirroredCompetition, MirroredSolution } from '../../domain/auction/competition.ts'
import { auctionKey, firstKeySql } from '../../domain/auction/key.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import { lockCheckpoint } from '../chain/indexed-logs.ts'
import { bytea, hexOf, numeric, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { findOrderIds } from '../order/orders.ts'
import { insertPriceChanges, priceTexts } from './competition.ts'

type CompetitionName = Pick<MirroredCompetition, 'chainId' | 'number'>

export async function isCompetitionStored(db: Db, { chainId, number }: CompetitionName): Promise<boolean> {
  const id = auctionKey(chainId, number)
  return id !== undefined && (await sql(db).auction.findUnique({ where: { id } })) !== null
}

/**
 * Stores a competition of an order book that the network follows. Competitions may come in any order. Orders
 * that are not stored are left out of the auction; solutions keep their executions as those of JIT orders.
 * Settlements that name the auction are read again from the chain, which decides whose they are.
 * @returns false if it was stored before
 */
export async function insertMirroredCompetition(tx: Tx, competition: MirroredCompetition): Promise<boolean> {
  const { chainId, number, block, deadlineBlock, nativePrices, solutions } = competition
  const id = auctionKey(chainId, number)
  if (id === undefined) throw new RangeError(`no auction has the number ${number}`)
  // With this lock either the indexer sees the auction, or this transaction sees the indexer's settlements.
  await lockCheckpoint(tx, chainId)
  if (await isCompetitionStored(tx, competition)) return false
  const { before, after } = await neighboursOf(tx, chainId, id)
  const ids = await findOrderIds(tx, chainId, competition.orders)
  const held = new Set(competition.orders.flatMap((uid) => ids.get(uid) ?? []))
  await sql(tx).auction.create({
    data: {
      id,
      chainId,
      block: BigInt(block),
      deadlineBlock: BigInt(deadlineBlock),
      orderIds: isAscending([...held]) ? [] : [...held],
      unknownOrders: new Set(competition.orders).size - held.size,
    },
  })
  await insertIntoSpans(tx, { chainId, id, before, after }, held)
  await insertPriceChanges(tx, { id, chainId, nativePrices }, after)
  await insertSolutions(tx, { id, chainId }, solutions)
  await sql(tx).$executeRaw`UPDATE settlements SET is_unread = true
    WHERE chain_id = ${chainId} AND called_auction = ${number} AND auction_id IS NULL`
  await sql(tx).missingCompetition.deleteMany({ where: { chainId, number } })
  return true
}

const isAscending = (ids: readonly bigint[]) =>
  ids.every((id, index) => index === 0 || id > (ids[index - 1] ?? id))

interface Neighbours {
  before: bigint | null
  after: bigint | null
}

async function neighboursOf(tx: Tx, chainId: number, id: bigint): Promise<Neighbours> {
  const nearest = (where: { lt: bigint } | { gt: bigint }, order: 'asc' | 'desc') =>
    sql(tx).auction.findFirst({ where: { chainId, id: where }, orderBy: { id: order }, select: { id: true } })
  const before = await nearest({ lt: id }, 'desc')
  const after = await nearest({ gt: id }, 'asc')
  return { before: before?.id ?? null, after: after?.id ?? null }
}

interface Span {
  orderId: bigint
  firstAuction: bigint
  /** null: it holds all later auctions too. */
  lastAuction: bigint | null
}

/**
 * Splits the spans that go over an auction without the order, and joins or extends those that the auction
 * continues. In SQL: reads by a range.
 */
async function insertIntoSpans(
  tx: Tx,
  { chainId, id, before, after }: Neighbours & { chainId: number; id: bigint },
  held: ReadonlySet<bigint>,
): Promise<void> {
  const rows = await sql(tx).$queryRaw<{ order_id: bigint; first: bigint; last: bigint | null }[]>`
    SELECT order_id, first_auction AS first, last_auction AS last FROM auction_spans WHERE chain_id = ${chainId}
      AND int8range(first_auction, last_auction, '[]') && int8range(${before ?? id}::bigint, ${after ?? id}::bigint, '[]')`
  const near = rows.map(({ order_id: orderId, first, last }) => ({
    orderId,
    firstAuction: first,
    lastAuction: last,
  }))
  const removed: Span[] = []
  const added: Span[] = []
  const replace = (old: Span, next: readonly Span[]) => {
    removed.push(old)
    added.push(...next)
  }
  const isOver = ({ firstAuction, lastAuction }: Span) =>
    firstAuction <= id && (lastAuction === null || lastAuction >= id)
  for (const span of near.filter((span) => isOver(span) && !held.has(span.orderId)))
    replace(span, splitAround(span, { before, after }))
  const spansOf = (condition: (span: Span) => boolean) =>
    new Map(near.filter(condition).map((span) => [span.orderId, span]))
  const over = spansOf(isOver)
  const lefts = spansOf(({ firstAuction }) => firstAuction < id)
  const rights = spansOf(({ firstAuction }) => firstAuction > id)
  for (const orderId of held) {
    if (over.has(orderId)) continue
    const [left, right] = [lefts.get(orderId), rights.get(orderId)]
    for (const span of [left, right]) if (span) removed.push(span)
    const last = after === null ? null : id
    added.push({
      orderId,
      firstAuction: left?.firstAuction ?? id,
      lastAuction: right ? right.lastAuction : last,
    })
  }
  await sql(tx).$executeRaw`DELETE FROM auction_spans s
    USING unnest(${removed.map(({ orderId }) => orderId)}::bigint[], ${removed.map(({ firstAuction }) => firstAuction)}::bigint[]) AS r(order_id, first)
    WHERE s.order_id = r.order_id AND s.first_auction = r.first`
  await sql(tx).$executeRaw`INSERT INTO auction_spans (chain_id, order_id, first_auction, last_auction)
    SELECT ${chainId}::int, * FROM unnest(${added.map(({ orderId }) => orderId)}::bigint[],
      ${added.map(({ firstAuction }) => firstAuction)}::bigint[], ${added.map(({ lastAuction }) => lastAuction)}::bigint[])`
}

/** The parts of a span before and after an auction; retention may have removed the auctions of one. */
function splitAround(span: Span, { before, after }: Neighbours): Span[] {
  const { firstAuction, lastAuction } = span
  return [
    ...(before !== null && before >= firstAuction ? [{ ...span, lastAuction: before }] : []),
    ...(after !== null && (lastAuction === null || lastAuction >= after)
      ? [{ ...span, firstAuction: after }]
      : []),
  ]
}

/** Inserts solutions with their executions. In SQL: as many as a competition may have. */
async function insertSolutions(
  tx: Tx,
  { id: auctionId, chainId }: { id: bigint; chainId: number },
  solutions: readonly MirroredSolution[],
): Promise<void> {
  await sql(tx).solution.createMany({
    data: solutions.map(({ executions: _, txHash: __, clearingPrices, ...solution }) => ({
      ...solution,
      ...(clearingPrices.size > 0 && { clearingPrices: priceTexts(clearingPrices) }),
      auctionId,
      solver: bytea(solution.solver),
      score: numeric(solution.score),
      referenceScore: solution.referenceScore === null ? null : numeric(solution.referenceScore),
    })),
  })
  const rows = solutions.flatMap(({ uid, executions }) => executions.map((each) => ({ uid, ...each })))
  await sql(tx).$executeRaw`
    WITH executed AS (
      SELECT o.id AS order_id, x.* FROM unnest(${rows.map(({ uid }) => uid)}::int[], ${rows.map((row) => bytea(row.orderUid))}::bytea[],
        ${rows.map((row) => bytea(row.sellToken))}::bytea[], ${rows.map((row) => bytea(row.buyToken))}::bytea[],
        ${rows.map((row) => numeric(row.executedSell))}::numeric[], ${rows.map((row) => numeric(row.executedBuy))}::numeric[]
      ) AS x(solution_uid, order_uid, sell_token, buy_token, sell, buy)
        LEFT JOIN orders o ON o.uid = x.order_uid AND o.chain_id = ${chainId}
    ), unknown AS (
      INSERT INTO jit_executions (auction_id, solution_uid, order_uid, chain_id, sell_token, buy_token, executed_sell, executed_buy)
      SELECT ${auctionId}::bigint, solution_uid, order_uid, ${chainId}::int, sell_token, buy_token, sell, buy FROM executed WHERE order_id IS NULL
    )
    INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy)
    SELECT order_id, ${auctionId}::bigint, solution_uid, sell, buy FROM executed WHERE order_id IS NOT NULL`
}

/** Competitions that wait to be requested, at most. */
const maxWaiting = 1_000
/** Requests for a competition that the order book does not show. */
const maxRequests = 3

/**
 * Notes the number of the newest competition that the order book shows, and those since the last one as
 * missing until they are stored, at most `limit`. In SQL: one statement, which reads what it replaces.
 * @returns how many were left out, because they are too many
 */
export async function noteNewest(
  db: Db,
  { chainId, number }: CompetitionName,
  limit: number,
): Promise<number> {
  const [row] = await sql(db).$queryRaw<{ newest: bigint }[]>`
    WITH old AS (
      SELECT newest_competition AS newest FROM order_books WHERE chain_id = ${chainId} AND newest_competition <> ${number} FOR UPDATE
    ), moved AS (
      UPDATE order_books SET newest_competition = ${number} WHERE chain_id = ${chainId} AND EXISTS (SELECT FROM old)
    ), noted AS (
      INSERT INTO missing_competitions (chain_id, number, asked_at, times)
      SELECT ${chainId}, n, 'epoch', 0 FROM old, generate_series(greatest(old.newest + 1, ${number}::bigint - ${limit}::int + 1), ${number}::bigint) AS n
      WHERE (SELECT count(*) FROM missing_competitions w WHERE w.chain_id = ${chainId} AND w.times = 0 AND w.number <= ${number}) < ${maxWaiting}
        AND NOT EXISTS (SELECT FROM auctions a WHERE a.id = ${raw(firstKeySql(String(chainId)))} + n)
      ON CONFLICT DO NOTHING
    ) SELECT newest FROM old`
  if (!row || row.newest === 0n) return 0
  return Math.max(0, Number(number - row.newest) - limit)
}

/**
 * Notes the competitions that the newest settlements on chain name and that are not stored, up to the newest
 * one: another order book on the same contract may have larger numbers. In SQL: a list from another table.
 */
export async function noteSettled(db: Db, chainId: number): Promise<void> {
  await sql(db).$executeRaw`
    INSERT INTO missing_competitions (chain_id, number, asked_at, times)
    SELECT DISTINCT ${chainId}::int, s.called_auction, 'epoch'::timestamptz, 0 FROM (
      SELECT called_auction FROM settlements WHERE chain_id = ${chainId} AND auction_id IS NULL AND called_auction IS NOT NULL
        AND called_auction <= (SELECT newest_competition FROM order_books WHERE chain_id = ${chainId})
      ORDER BY called_auction DESC LIMIT ${maxWaiting}) s
    WHERE NOT EXISTS (SELECT FROM auctions a WHERE a.id = ${raw(firstKeySql(String(chainId)))} + s.called_auction)
    ON CONFLICT DO NOTHING`
}

/** Notes a competition that a client names, and that the order book shows, as missing until it is stored. */
export async function noteRequested(db: Db, { chainId, number }: CompetitionName): Promise<void> {
  const data = [{ chainId, number, askedAt: new Date(0), times: 0 }]
  await sql(db).missingCompetition.createMany({ data, skipDuplicates: true })
}

/**
 * Missing competitions that may be requested now: first those that never were, of these first those that
 * settlements name, each newest first. Those above the newest that the order book shows are still hidden. In
 * SQL: tables.
 */
export async function dueCompetitions(db: Db, chainId: number, limit: number): Promise<bigint[]> {
  const rows = await sql(db).$queryRaw<{ number: bigint }[]>`
    SELECT m.number FROM missing_competitions m JOIN order_books b ON b.chain_id = m.chain_id
    WHERE m.chain_id = ${chainId} AND m.number <= b.newest_competition AND m.times < ${maxRequests}
      AND m.asked_at + power(4, m.times) * interval '1 second' <= now()
    ORDER BY m.asked_at = 'epoch' AND EXISTS (SELECT FROM settlements s
        WHERE s.chain_id = m.chain_id AND s.called_auction = m.number AND s.auction_id IS NULL) DESC,
      m.asked_at, m.number DESC LIMIT ${limit}`
  return rows.map(({ number }) => number)
}

/**
 * Reports whether the auction of a transaction is still to be read: from its call, or from the order book. In
 * SQL: two tables.
 */
export async function isAuctionUnread(
  db: Db,
  { chainId, txHash }: { chainId: number; txHash: Bytes32 },
): Promise<boolean> {
  const rows = await sql(db).$queryRaw<unknown[]>`
    SELECT 1 FROM settlements s WHERE s.chain_id = ${chainId} AND s.tx_hash = ${bytea(txHash)} AND s.auction_id IS NULL
      AND (s.is_unread OR s.solver_due IS NOT NULL OR EXISTS (SELECT FROM missing_competitions m
        WHERE m.chain_id = s.chain_id AND m.number = s.called_auction AND m.times < ${maxRequests})) LIMIT 1`
  return rows.length > 0
}

/** Counts a request for a competition that the order book does not show. */
export async function noteUnshown(db: Db, { chainId, number }: CompetitionName): Promise<void> {
  const data = { askedAt: new Date(), times: { increment: 1 } }
  await sql(db).missingCompetition.updateMany({ where: { chainId, number }, data })
}

/** Lets the other competitions go first, after a request that failed. */
export async function postponeCompetition(db: Db, { chainId, number }: CompetitionName): Promise<void> {
  await sql(db).missingCompetition.updateMany({ where: { chainId, number }, data: { askedAt: new Date() } })
}

/** Removes competitions that were last requested before, and that no settlement names. In SQL: two tables. */
export async function forgetUnshown(db: Db, chainId: number, before: Date): Promise<void> {
  await sql(db)
    .$executeRaw`DELETE FROM missing_competitions m WHERE m.chain_id = ${chainId} AND m.times >= ${maxRequests}
    AND m.asked_at < ${before} AND NOT EXISTS (SELECT FROM settlements s
      WHERE s.chain_id = m.chain_id AND s.called_auction = m.number AND s.auction_id IS NULL)`
}

/** A settlement by its transaction, its solver, and the auction that it is attributed to or only names. */
export interface SettledBy {
  txHash: Bytes32
  solver: Address
  calledAuction: bigint | null
  auctionId: bigint | null
}

/** Settlements of these transactions, without transactions of which one is not completely read. */
export async function settlementsOf(
  db: Db,
  chainId: number,
  hashes: readonly Bytes32[],
): Promise<SettledBy[]> {
  const rows = await sql(db).settlement.findMany({
    where: { chainId, txHash: { in: hashes.map(bytea) } },
    select: {
      txHash: true,
      solver: true,
      calledAuction: true,
      auctionId: true,
      isUnread: true,
      solverDue: true,
    },
  })
  const all = rows.map((row) => ({ ...row, txHash: hexOf(row.txHash), solver: hexOf(row.solver) }))
  const unread = new Set(all.filter((row) => row.isUnread || row.solverDue).map(({ txHash }) => txHash))
  return all.filter(({ txHash }) => !unread.has(txHash))
}
