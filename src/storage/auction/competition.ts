import type { Auction, AuctionOrder } from '../../domain/auction/auction.ts'
import type { Refused } from '../../domain/auction/competition.ts'
import type { RankedSolution } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Order } from '../../domain/order/order.ts'
import { bytea, hexOf, numeric } from '../database/columns.ts'
import { type Database, type Db, sql, type Tx } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'
import { maxRefusalMessage } from './solver-messages.ts'

/** All networks share one sequence, so that an id alone finds an auction. In SQL: Prisma has no sequences. */
export async function nextAuctionId(db: Db): Promise<bigint> {
  const [row] = await sql(db).$queryRaw<{ id: bigint }[]>`SELECT nextval('auction_ids') AS id`
  if (!row) throw new Error('the auction sequence returned no row')
  return row.id
}

/**
 * Stores a competition: auction, spans, prices, solutions, executions and policies. Amounts as in
 * `Execution`: sell with fees, buy after fees.
 * @param refusals why solutions could not win, by uid
 * @param pricesOf the clearing prices of a solution; they are unknown without it
 */
export async function insertCompetition(
  tx: Tx,
  auction: Auction,
  solutions: readonly RankedSolution[],
  {
    refusals = new Map(),
    pricesOf,
  }: {
    refusals?: ReadonlyMap<number, Refused>
    pricesOf?: (solution: RankedSolution) => ReadonlyMap<Address, bigint>
  } = {},
): Promise<void> {
  const { id, chainId, block, deadlineBlock } = auction
  const newer = await sql(tx).auction.findFirst({ where: { chainId, id: { gt: id } } })
  // Spans and prices continue those of the previous auction. Only a process that has lost its lead can come
  // late.
  if (newer) throw new Error(`auction ${newer.id} is stored already, so ${id} comes too late`)
  await sql(tx).auction.create({
    data: { id, chainId, block: BigInt(block), deadlineBlock: BigInt(deadlineBlock) },
  })
  await continueSpans(tx, auction)
  await insertPriceChanges(tx, auction)
  await sql(tx).solution.createMany({
    data: solutions.map((solution) => ({
      ...toSolutionColumns(id, solution, refusals.get(solution.uid)),
      ...(pricesOf && { clearingPrices: priceTexts(pricesOf(solution)) }),
    })),
  })
  await insertExecutions(tx, auction, solutions)
}

/** Ends the spans of orders that left the auctions, and begins those of orders new to this auction. */
async function continueSpans(tx: Tx, { id, chainId, orders }: Auction): Promise<void> {
  const held = orders.map(({ order }) => order.id)
  await sql(tx).$executeRaw`
    UPDATE auction_spans s SET last_auction = (SELECT max(a.id) FROM auctions a WHERE a.chain_id = ${chainId} AND a.id < ${id})
    WHERE s.chain_id = ${chainId} AND s.last_auction IS NULL
      AND NOT EXISTS (SELECT FROM unnest(${held}::bigint[]) AS held WHERE held = s.order_id)`
  await sql(tx).$executeRaw`
    INSERT INTO auction_spans (chain_id, order_id, first_auction)
    SELECT ${chainId}::int, held, ${id}::bigint FROM unnest(${held}::bigint[]) AS held
    WHERE NOT EXISTS (SELECT FROM auction_spans s WHERE s.chain_id = ${chainId} AND s.order_id = held AND s.last_auction IS NULL)`
}

type Prices = ReadonlyMap<Address, bigint>

/** Prices of a moment, as `market_prices`. In SQL: values of two tables. */
export async function insertMarketPrices(
  db: Database,
  chainId: number,
  prices: Prices,
  at: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    const tokens = await insertSeries(tx, chainId, prices)
    await sql(tx).$executeRaw`
      INSERT INTO market_prices (series_id, at, price)
      SELECT s.id, ${at}::timestamptz, g.price FROM unnest(${tokens}::bytea[], ${[...prices.values()].map(numeric)}::numeric[]) AS g(token, price)
        JOIN price_series s ON s.chain_id = ${chainId} AND s.token = g.token ON CONFLICT DO NOTHING`
  })
}

/** @returns the tokens as columns */
async function insertSeries(tx: Tx, chainId: number, prices: Prices): Promise<Uint8Array[]> {
  const tokens = [...prices.keys()].map(bytea)
  await sql(tx).$executeRaw`
    INSERT INTO price_series (chain_id, token) SELECT ${chainId}::int, g.token FROM unnest(${tokens}::bytea[]) AS g(token)
    WHERE NOT EXISTS (SELECT FROM price_series s WHERE s.chain_id = ${chainId} AND s.token = g.token) ON CONFLICT DO NOTHING`
  return tokens
}

/**
 * Inserts only prices that differ from the auction before; null for a token that had a price. The prices of
 * the auction after it, if there is one, stay as they are.
 */
export async function insertPriceChanges(
  tx: Tx,
  { id, chainId, nativePrices }: Pick<Auction, 'id' | 'chainId' | 'nativePrices'>,
  after: bigint | null = null,
): Promise<void> {
  const tokens = await insertSeries(tx, chainId, nativePrices)
  await sql(tx).$executeRaw`
    WITH changed AS (
      SELECT s.id, g.price, newest.price AS before FROM price_series s
        LEFT JOIN unnest(${tokens}::bytea[], ${[...nativePrices.values()].map(numeric)}::numeric[]) AS g(token, price) ON g.token = s.token
        LEFT JOIN LATERAL (SELECT c.price FROM price_changes c WHERE c.series_id = s.id AND c.auction_id <= ${id}
          ORDER BY c.auction_id DESC LIMIT 1) newest ON true
      WHERE s.chain_id = ${chainId} AND g.price IS DISTINCT FROM newest.price
    ), kept AS (
      INSERT INTO price_changes (series_id, auction_id, price)
      SELECT d.id, ${after}::bigint, d.before FROM changed d WHERE ${after}::bigint IS NOT NULL AND NOT EXISTS (
        SELECT FROM price_changes c WHERE c.series_id = d.id AND c.auction_id > ${id} AND c.auction_id <= ${after}::bigint)
    )
    INSERT INTO price_changes (series_id, auction_id, price) SELECT id, ${id}::bigint, price FROM changed
    ON CONFLICT (series_id, auction_id) DO UPDATE SET price = excluded.price`
}

/**
 * The prices of the network's newest stored auction, by token; none if it was stored before `since`. In SQL:
 * each token has a row only where its price changed.
 * @param tokens all if left out
 */
export async function newestPrices(
  db: Db,
  chainId: number,
  since: Date,
  tokens?: readonly Address[],
): Promise<Map<Address, bigint>> {
  const newest = await sql(db).auction.findFirst({ where: { chainId }, orderBy: { id: 'desc' } })
  if (!newest || newest.createdAt < since) return new Map()
  const rows = await sql(db).$queryRaw<{ token: Uint8Array; price: string }[]>`
    SELECT s.token, c.price::text FROM price_series s JOIN LATERAL (
      SELECT price FROM price_changes c WHERE c.series_id = s.id ORDER BY c.auction_id DESC LIMIT 1
    ) c ON c.price IS NOT NULL
    WHERE s.chain_id = ${chainId} AND (${tokens === undefined} OR s.token = ANY(${(tokens ?? []).map(bytea)}::bytea[]))`
  return new Map(rows.map(({ token, price }) => [hexOf(token), BigInt(price)]))
}

/** Inserts executions, and the policies of all orders that a solution trades. */
async function insertExecutions(
  tx: Tx,
  auction: Auction,
  solutions: readonly RankedSolution[],
): Promise<void> {
  const entries = new Map(auction.orders.map((entry) => [entry.order.uid, entry]))
  const rows = solutions.flatMap(({ uid, executions }) =>
    executions.flatMap((execution) => {
      const entry = entries.get(execution.orderUid)
      return entry ? [{ uid, execution, orderId: entry.order.id, policies: policiesJson(entry) }] : []
    }),
  )
  const sets = [...new Set(rows.flatMap(({ policies }) => policies ?? []))]
  if (sets.length > 0)
    await sql(tx).$executeRaw`
      INSERT INTO fee_policy_sets (policies) SELECT text::jsonb FROM unnest(${sets}::text[]) AS text
      WHERE NOT EXISTS (SELECT FROM fee_policy_sets s WHERE s.policies = text::jsonb) ON CONFLICT DO NOTHING`
  await sql(tx).$executeRaw`
    INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy, policy_set_id)
    SELECT x.order_id, ${auction.id}::bigint, x.solution_uid, x.sell, x.buy, s.id
    FROM unnest(${rows.map(({ orderId }) => orderId)}::bigint[], ${rows.map(({ uid }) => uid)}::int[],
      ${rows.map(({ execution }) => numeric(execution.sell))}::numeric[],
      ${rows.map(({ execution }) => numeric(execution.buy))}::numeric[],
      ${rows.map(({ policies }) => policies)}::text[]) AS x(order_id, solution_uid, sell, buy, policies)
      LEFT JOIN fee_policy_sets s ON s.policies = x.policies::jsonb`
}

interface NewAttempt {
  auctionId: bigint
  solutionUid: number
  chainId: number
  solver: Address
  startedAt: Date
  startBlock: number
  deadlineBlock: number
}

export async function startAttempt(tx: Tx, attempt: NewAttempt): Promise<void> {
  await sql(tx).settlementAttempt.create({
    data: {
      ...attempt,
      solver: bytea(attempt.solver),
      startBlock: BigInt(attempt.startBlock),
      deadlineBlock: BigInt(attempt.deadlineBlock),
    },
  })
}

export interface AttemptEnd {
  auctionId: bigint
  solutionUid: number
  endedAt: Date
  endBlock: number
  outcome: string
  /** null when the caller does not know the hash. */
  txHash: `0x${string}` | null
  /** State of its transaction; without it, the stored state stays. */
  submission?: string | null
}

/**
 * Ends a running attempt. An attempt that has ended keeps its outcome, except that `success` overwrites any
 * other: only a caller that saw the settlement on chain writes `success`. A further settlement of the same
 * solution changes nothing.
 */
export async function endAttempt(tx: Tx, end: AttemptEnd): Promise<void> {
  const { auctionId, solutionUid } = end
  const overwrites = end.outcome === 'success' ? [{ outcome: { not: 'success' } }] : []
  await sql(tx).settlementAttempt.updateMany({
    where: { auctionId, solutionUid, OR: [{ outcome: null }, ...overwrites] },
    data: {
      endedAt: end.endedAt,
      endBlock: BigInt(end.endBlock),
      outcome: end.outcome,
      signedTransaction: null,
      ...(end.txHash && { txHash: bytea(end.txHash) }),
      ...(end.submission && { submission: end.submission }),
    },
  })
}

/** Credits a success to the first settlement of its solution if a later settlement had the success before. */
export async function creditFirstSettlement(tx: Tx, auctionId: bigint, solutionUid: number): Promise<void> {
  await sql(tx).$executeRaw`
    UPDATE settlement_attempts t SET tx_hash = f.tx_hash, end_block = f.block_number
    FROM (SELECT tx_hash, block_number FROM settlements WHERE auction_id = ${auctionId} AND solution_uid = ${solutionUid}
      ORDER BY block_number, log_index LIMIT 1) f
    WHERE t.auction_id = ${auctionId} AND t.solution_uid = ${solutionUid} AND t.outcome = 'success'`
}

/**
 * Orders of winning solutions that may still settle: the attempt's transaction is sent or its solver was
 * requested to send it, or it runs or succeeded and its deadline has not passed; its settlement is not
 * indexed. In SQL: one statement over tables that Prisma would read one after the other.
 */
export async function ordersInFlight(db: Db, chainId: number, block: number): Promise<Set<bigint>> {
  const rows = await sql(db).$queryRaw<{ id: bigint }[]>`
    SELECT DISTINCT x.order_id AS id
    FROM settlement_attempts a
    JOIN solution_executions x ON x.auction_id = a.auction_id AND x.solution_uid = a.solution_uid
    WHERE a.chain_id = ${chainId} AND (a.outcome IS NULL OR a.outcome = 'success')
      AND (a.deadline_block > ${block} OR (a.outcome IS NULL AND (a.signed_transaction IS NOT NULL OR a.driver_solution IS NOT NULL)))
      AND NOT EXISTS (SELECT 1 FROM settlements s WHERE s.auction_id = a.auction_id AND s.solution_uid = a.solution_uid)`
  return new Set(rows.map(({ id }) => id))
}

/**
 * Checks whether a solution of the network's newest `auctions` competitions trades the order. In SQL: one
 * statement over two tables.
 */
export async function wasBidOn(
  db: Db,
  { id, chainId }: Pick<Order, 'id' | 'chainId'>,
  auctions: number,
): Promise<boolean> {
  const rows = await sql(db).$queryRaw<unknown[]>`
    SELECT 1 FROM solution_executions WHERE order_id = ${id} AND auction_id IN (
      SELECT id FROM auctions WHERE chain_id = ${chainId} ORDER BY id DESC LIMIT ${auctions}
    ) LIMIT 1`
  return rows.length > 0
}

/**
 * Ends attempts whose deadline passed while no process watched them, for example after a crash, once the
 * indexer has stored every block up to it. Skips those that can still be mined. In SQL: one statement that
 * reads the checkpoint too, at each block.
 */
export async function endOverdueAttempts(db: Db, chainId: number, at: Date): Promise<number> {
  return sql(db).$executeRaw`
    UPDATE settlement_attempts a SET outcome = 'timeout', ended_at = ${at}, end_block = c.block_number
    FROM checkpoints c
    WHERE c.chain_id = ${chainId} AND a.chain_id = ${chainId} AND a.outcome IS NULL AND a.signed_transaction IS NULL
      AND a.deadline_block < c.block_number`
}

function toSolutionColumns(
  auctionId: bigint,
  solution: RankedSolution,
  refused: Refused | undefined,
): Prisma.SolutionCreateManyInput {
  return {
    auctionId,
    uid: solution.uid,
    ranking: solution.ranking,
    solver: bytea(solution.solver),
    isWinner: solution.isWinner,
    filteredOut: solution.filteredOut,
    score: numeric(solution.score),
    referenceScore: solution.referenceScore === null ? null : numeric(solution.referenceScore),
    refusal: refused?.code ?? null,
    refusalMessage: refused?.message.slice(0, maxRefusalMessage) ?? null,
  }
}

/** Prices by token as a column has them. */
export const priceTexts = (prices: Prices) =>
  Object.fromEntries([...prices].map(([token, price]) => [token, String(price)]))

/** `null` without policies. */
export function policiesJson({ feePolicies }: AuctionOrder): string | null {
  if (feePolicies.length === 0) return null
  return JSON.stringify(feePolicies, (_, value) => (typeof value === 'bigint' ? Number(value) : value))
}

/** Inserts the executions of JIT orders. */
export async function insertJitExecutions(
  tx: Tx,
  { id: auctionId, chainId }: Auction,
  solutions: readonly RankedSolution[],
): Promise<void> {
  const data = solutions.flatMap(({ uid: solutionUid, executions, proposal }) => {
    const own = new Map(proposal.jitOrders?.map(({ order }) => [order.uid, order]))
    return executions.flatMap(({ orderUid, sell, buy }) => {
      const order = own.get(orderUid)
      if (!order) return []
      const { sellToken, buyToken } = order
      return [
        {
          auctionId,
          solutionUid,
          chainId,
          orderUid: bytea(orderUid),
          sellToken: bytea(sellToken),
          buyToken: bytea(buyToken),
          executedSell: numeric(sell),
          executedBuy: numeric(buy),
        },
      ]
    })
  })
  if (data.length > 0) await sql(tx).jitExecution.createMany({ data })
}

/**
 * Owners of orders in winning solutions that may still settle, also of orders that solvers brought; as
 * `ordersInFlight`. In SQL: one statement over several tables. The owner of an order is in its UID.
 */
export async function ownersInFlight(db: Db, chainId: number, block: number): Promise<Set<Address>> {
  const rows = await sql(db).$queryRaw<{ owner: Uint8Array }[]>`
    WITH flying AS (
      SELECT a.auction_id, a.solution_uid FROM settlement_attempts a
      WHERE a.chain_id = ${chainId} AND (a.outcome IS NULL OR a.outcome = 'success')
        AND (a.deadline_block > ${block} OR (a.outcome IS NULL AND a.signed_transaction IS NOT NULL))
        AND NOT EXISTS (SELECT 1 FROM settlements s WHERE s.auction_id = a.auction_id AND s.solution_uid = a.solution_uid)
    )
    SELECT o.owner FROM flying f JOIN solution_executions x USING (auction_id, solution_uid) JOIN orders o ON o.id = x.order_id
    UNION SELECT substring(j.order_uid FROM 33 FOR 20) FROM flying f JOIN jit_executions j USING (auction_id, solution_uid)`
  return new Set(rows.map(({ owner }) => hexOf(owner)))
}
