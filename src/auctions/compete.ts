import type { Auction } from '../domain/auction/auction.ts'
import type { RankedSolution, Solution } from '../domain/auction/solution.ts'
import { selectWinners } from '../domain/auction/winner-selection.ts'
import type { Pool } from '../domain/routing/pool.ts'
import type { Solver } from '../solvers/solver.ts'
import { insertCompetition, startAttempt } from '../storage/auction/competition.ts'
import type { Tx } from '../storage/database/database.ts'
import { appendEvents, type NewOrderEvent } from '../storage/order/events.ts'
import { cancelledAmong } from '../storage/order/orders.ts'
import { lockOrders } from '../storage/order/progress.ts'
import { checkProposal } from './check-proposal.ts'
import type { AuctionServices } from './services.ts'

/** Collects solutions from all solvers until the deadline, and ranks the valid ones. A solver that fails or hangs affects no other. */
export async function compete(
  auction: Auction,
  pools: readonly Pool[],
  services: AuctionServices,
  signal: AbortSignal,
): Promise<RankedSolution[]> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(services.settings.solveMs)])
  const solutions = await Promise.all(
    services.solvers.map((solver) => solutionsOf(solver, auction, pools, services, deadline)),
  )
  return selectWinners(shuffle(solutions.flat(), services.random), services.settings.maxWinners)
}

/**
 * Stores the competition and events of its orders, and opens a settlement attempt for every winner. A solution with an order that was
 * cancelled meanwhile does not win: the order may have been replaced, and both would be filled.
 * @returns the winners
 */
export async function recordCompetition(
  auction: Auction,
  ranked: readonly RankedSolution[],
  startBlock: number,
  services: AuctionServices,
): Promise<RankedSolution[]> {
  const at = new Date(services.now())
  return services.db.transaction(async (tx) => {
    const solutions = await withoutCancelled(tx, auction, ranked)
    const winners = solutions.filter(({ isWinner }) => isWinner)
    await insertCompetition(tx, auction, solutions)
    await appendEvents(tx, eventsOf(auction, solutions, at))
    for (const solution of winners) {
      await startAttempt(tx, {
        auctionId: auction.id,
        solutionUid: solution.uid,
        chainId: auction.chainId,
        solver: solution.solver,
        startedAt: at,
        startBlock,
        deadlineBlock: auction.deadlineBlock,
      })
    }
    return winners
  })
}

/** A replacement holds the replaced order's lock and reads its bids, so one of the two transactions sees the other. */
async function withoutCancelled(
  tx: Tx,
  auction: Auction,
  solutions: readonly RankedSolution[],
): Promise<RankedSolution[]> {
  const proposed = new Set(solutions.flatMap(orderUids))
  const orders = auction.orders.map(({ order }) => order).filter(({ uid }) => proposed.has(uid))
  await lockOrders(
    tx,
    orders.map(({ uid }) => uid),
  )
  const ended = await cancelledAmong(
    tx,
    orders.map(({ id }) => id),
  )
  const cancelled = new Set<string>(orders.filter(({ id }) => ended.has(id)).map(({ uid }) => uid))
  return solutions.map((solution) =>
    orderUids(solution).some((uid) => cancelled.has(uid)) ? { ...solution, isWinner: false } : solution,
  )
}

function eventsOf(auction: Auction, solutions: readonly RankedSolution[], timestamp: Date): NewOrderEvent[] {
  const winning = new Set(solutions.filter(({ isWinner }) => isWinner).flatMap(orderUids))
  const proposed = new Set(solutions.flatMap(orderUids))
  return auction.orders
    .filter(({ order }) => proposed.has(order.uid))
    .map(({ order }) => {
      const label = winning.has(order.uid) ? 'executing' : 'considered'
      return { orderId: order.id, label, reason: null, timestamp }
    })
}

async function solutionsOf(
  solver: Solver,
  auction: Auction,
  pools: readonly Pool[],
  { network, log }: AuctionServices,
  deadline: AbortSignal,
): Promise<Solution[]> {
  try {
    const proposals = await Promise.race([solver.solve(auction, { pools }, deadline), aborted(deadline)])
    return proposals.flatMap((proposal) => {
      const solution = checkProposal(auction, solver.address, proposal, network.wrappedNative)
      if (!('fault' in solution)) return [solution]
      log.warn('solution refused', {
        auctionId: String(auction.id),
        solver: solver.name,
        fault: solution.fault,
      })
      return []
    })
  } catch (error) {
    log.warn('solver failed', {
      auctionId: String(auction.id),
      solver: solver.name,
      error: String(error),
    })
    return []
  }
}

/** Rejects a moment after the signal: a solver has that long to return what it has. */
function aborted(signal: AbortSignal): Promise<never> {
  const graceMs = 100
  return new Promise((_, reject) => {
    const late = () => setTimeout(() => reject(new Error('over the deadline')), graceMs).unref()
    if (signal.aborted) late()
    else signal.addEventListener('abort', late, { once: true })
  })
}

function orderUids({ executions }: Solution): string[] {
  return executions.map(({ orderUid }) => orderUid)
}

/** Breaks ties at random, not by the order of solvers. */
function shuffle<T>(items: readonly T[], random: () => number): T[] {
  const shuffled: T[] = []
  for (const item of items) shuffled.splice(Math.floor(random() * (shuffled.length + 1)), 0, item)
  return shuffled
}
