import type { Auction } from '../../domain/auction/auction.ts'
import type { RankedSolution } from '../../domain/auction/solution.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { FeePolicy } from '../../domain/fee/policy.ts'
import type { Order } from '../../domain/order/order.ts'
import { bytea, numeric } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import type { Prisma } from '../generated/client.ts'

/** All networks share one sequence, so that an id alone finds an auction. In SQL: Prisma has no sequences. */
export async function nextAuctionId(db: Db): Promise<bigint> {
  const [row] = await sql(db).$queryRaw<{ id: bigint }[]>`SELECT nextval('auction_ids') AS id`
  if (!row) throw new Error('the auction sequence returned no row')
  return row.id
}

/** Stores a competition: auction, prices, solutions, executions and policies. Amounts as in `Execution`: sell with fees, buy after fees. */
export async function insertCompetition(
  tx: Tx,
  auction: Auction,
  solutions: readonly RankedSolution[],
): Promise<void> {
  const orderIds = new Map(auction.orders.map(({ order }) => [order.uid, order.id]))
  const auctionId = auction.id
  await sql(tx).auction.create({
    data: {
      id: auctionId,
      chainId: auction.chainId,
      block: BigInt(auction.block),
      deadlineBlock: BigInt(auction.deadlineBlock),
    },
  })
  await sql(tx).auctionOrder.createMany({
    data: auction.orders.map(({ order }) => ({ auctionId, orderId: order.id })),
  })
  await sql(tx).auctionPrice.createMany({
    data: [...auction.nativePrices].map(([token, price]) => ({
      auctionId,
      token: bytea(token),
      price: numeric(price),
    })),
  })
  await sql(tx).solution.createMany({
    data: solutions.map((solution) => toSolutionColumns(auctionId, solution)),
  })
  await sql(tx).solutionExecution.createMany({
    data: solutions.flatMap(({ uid, executions }) =>
      executions.flatMap((execution) => {
        const orderId = orderIds.get(execution.orderUid)
        if (orderId === undefined) return []
        const amounts = { executedSell: numeric(execution.sell), executedBuy: numeric(execution.buy) }
        return [{ orderId, auctionId, solutionUid: uid, ...amounts }]
      }),
    ),
  })
  await sql(tx).feePolicy.createMany({ data: proposedPolicies(auction, solutions) })
}

export interface NewAttempt {
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
}

/**
 * Ends a running attempt. An attempt that has ended keeps its outcome, except that `success` always overwrites it: only a caller that
 * saw the settlement on chain writes `success`.
 */
export async function endAttempt(tx: Tx, end: AttemptEnd): Promise<void> {
  const condition = end.outcome === 'success' ? {} : { outcome: null }
  await sql(tx).settlementAttempt.updateMany({
    where: { auctionId: end.auctionId, solutionUid: end.solutionUid, ...condition },
    data: {
      endedAt: end.endedAt,
      endBlock: BigInt(end.endBlock),
      outcome: end.outcome,
      ...(end.txHash && { txHash: bytea(end.txHash) }),
    },
  })
}

/**
 * Orders of winning solutions that may still settle: the attempt is running or succeeded, its deadline has not passed, and its
 * settlement is not indexed. In SQL: one statement over tables that Prisma would read one after the other.
 */
export async function ordersInFlight(db: Db, chainId: number, block: number): Promise<Set<bigint>> {
  const rows = await sql(db).$queryRaw<{ id: bigint }[]>`
    SELECT DISTINCT x.order_id AS id
    FROM settlement_attempts a
    JOIN solution_executions x ON x.auction_id = a.auction_id AND x.solution_uid = a.solution_uid
    WHERE a.chain_id = ${chainId} AND a.deadline_block > ${block} AND (a.outcome IS NULL OR a.outcome = 'success')
      AND NOT EXISTS (SELECT 1 FROM settlements s WHERE s.auction_id = a.auction_id AND s.solution_uid = a.solution_uid)`
  return new Set(rows.map(({ id }) => id))
}

/** Whether any solution of the network's newest `auctions` competitions trades the order. In SQL: one statement over two tables. */
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

/** Ends attempts whose deadline passed while no process watched them, such as after a crash. */
export async function endOverdueAttempts(tx: Tx, chainId: number, block: number, at: Date): Promise<number> {
  const { count } = await sql(tx).settlementAttempt.updateMany({
    where: { chainId, outcome: null, deadlineBlock: { lt: BigInt(block) } },
    data: { outcome: 'timeout', endedAt: at, endBlock: BigInt(block) },
  })
  return count
}

function toSolutionColumns(auctionId: bigint, solution: RankedSolution): Prisma.SolutionCreateManyInput {
  return {
    auctionId,
    uid: solution.uid,
    ranking: solution.ranking,
    solver: bytea(solution.solver),
    isWinner: solution.isWinner,
    filteredOut: solution.filteredOut,
    score: numeric(solution.score),
    referenceScore: solution.referenceScore === null ? null : numeric(solution.referenceScore),
  }
}

/** Fee policies of the orders that some solution trades. */
function proposedPolicies(
  auction: Auction,
  solutions: readonly RankedSolution[],
): Prisma.FeePolicyCreateManyInput[] {
  const proposed = new Set(solutions.flatMap(({ executions }) => executions.map(({ orderUid }) => orderUid)))
  return auction.orders
    .filter(({ order }) => proposed.has(order.uid))
    .flatMap(({ order, feePolicies }) =>
      feePolicies.map((policy, position) => ({
        orderId: order.id,
        auctionId: auction.id,
        position,
        ...toPolicyColumns(policy),
      })),
    )
}

function toPolicyColumns(policy: FeePolicy): {
  kind: string
  factor: number
  maxVolumeFactor: number | null
} {
  const maxVolumeFactor = policy.kind === 'volume' ? null : Number(policy.maxVolumeFactor)
  return { kind: policy.kind, factor: Number(policy.factor), maxVolumeFactor }
}
