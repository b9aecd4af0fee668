import type { Auction } from '../domain/auction/auction.ts'
import type { Refused } from '../domain/auction/competition.ts'
import type { RankedSolution, Solution } from '../domain/auction/solution.ts'
import { selectWinners, type Unusable } from '../domain/auction/winner-selection.ts'
import type { Order } from '../domain/order/order.ts'
import { insertBookings } from '../storage/auction/accounting.ts'
import { insertCompetition, insertJitExecutions, startAttempt } from '../storage/auction/competition.ts'
import { insertAnswers, insertRefusals, type NewRefusal } from '../storage/auction/solver-messages.ts'
import type { Db } from '../storage/database/database.ts'
import { appendEvents, type NewOrderEvent } from '../storage/order/events.ts'
import { cancelledAmong } from '../storage/order/orders.ts'
import { lockOrders } from '../storage/order/progress.ts'
import type { LeftOut } from './admission/publish-auction.ts'
import { solutionBookings } from './check-proposal.ts'
import type { Contest } from './compete.ts'
import type { AuctionServices } from './services.ts'
import { settledPrices } from './settlement-calldata.ts'

/**
 * Stores the competition and events of its orders, and opens a settlement attempt for every winner. A
 * solution with an order that was cancelled meanwhile does not win: the next best does, and is simulated when
 * it is sent.
 * @returns the winners, best first, and the cancelled orders that kept others from winning
 */
export async function recordCompetition(
  contest: Contest,
  leftOut: LeftOut,
  startBlock: number,
  services: Pick<AuctionServices, 'db' | 'now' | 'standings' | 'exclusions' | 'network' | 'log'>,
): Promise<{ winners: RankedSolution[]; cancelled: Order[] }> {
  const { auction, solutions, unusable, maxWinners } = contest
  const at = new Date(services.now())
  const recorded = await services.db.transaction(async (tx) => {
    // A replacement holds the replaced order's lock and reads its bids, so one of the two transactions sees
    // the other.
    await lockOrders(tx, [...new Set(solutions.flatMap(orderUids))])
    const ended = await cancelledOrders(tx, auction, solutions)
    const cancelled = takingWins(contest, ended)
    const dropped = withoutOrders(solutions, unusable, ended)
    const ranked = selectWinners(solutions, maxWinners, dropped)
    const winners = ranked.filter(({ isWinner }) => isWinner)
    await insertCompetition(tx, auction, ranked, {
      refusals: refusalsOf(contest, ranked, dropped),
      pricesOf: (solution) => settledPrices(auction, solution, services.network),
    })
    await insertAnswers(tx, auction.id, contest.answers)
    await insertRefusals(tx, toRefusals(contest), at)
    const exclusions = await services.exclusions.record(tx, auction, leftOut)
    await insertJitExecutions(tx, auction, ranked)
    await appendEvents(tx, eventsOf(auction, ranked, at))
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
      const key = { auctionId: auction.id, solutionUid: solution.uid }
      await insertBookings(tx, key, solutionBookings(auction, solution, services.network))
    }
    return { winners, cancelled, dropped, exclusions }
  })
  recorded.exclusions.keep()
  logDropped(auction, solutions, recorded.dropped, services)
  services.standings.forget(ordersOf(auction, recorded.winners).map(({ id }) => id))
  return recorded
}

/** Stores the refused solutions of an auction without a valid one, which is not stored itself. */
export async function recordRefusals(
  contest: Contest,
  { db, now, log }: Pick<AuctionServices, 'db' | 'now' | 'log'>,
): Promise<void> {
  try {
    await insertRefusals(db, toRefusals(contest), new Date(now()))
  } catch (error) {
    log.warn('refused solutions are not stored', {
      auctionId: String(contest.auction.id),
      error: String(error),
    })
  }
}

function toRefusals({ auction, answers }: Contest): NewRefusal[] {
  const { id: auctionId, chainId, deadlineBlock } = auction
  const ids = new Map(auction.orders.map(({ order }) => [order.uid, order.id]))
  return answers.flatMap(({ solver, refused }) =>
    refused.map(({ orderUids, ...one }) => {
      const orderIds = orderUids.flatMap((uid) => ids.get(uid) ?? [])
      return { ...one, auctionId, chainId, deadlineBlock, solver, orderIds: [...new Set(orderIds)] }
    }),
  )
}

/** Why those of the ranked solutions could not win that were better than a winner, or were not compared. */
function refusalsOf(
  { reverts }: Contest,
  ranked: readonly RankedSolution[],
  dropped: Unusable,
): ReadonlyMap<number, Refused> {
  return new Map(
    ranked.flatMap(({ uid, proposal, filteredOut }): [number, Refused][] => {
      if (dropped.has(proposal)) return [[uid, reverts.get(proposal) ?? cancelledOrder]]
      return filteredOut ? [[uid, unfair]] : []
    }),
  )
}

const cancelledOrder: Refused = { code: 'order_cancelled', message: 'an order that it trades was cancelled' }
const unfair: Refused = {
  code: 'unfair',
  message: 'a pair that it trades scores less in it than in a solution for that pair alone',
}

/** Logs at once why a better solution has not won. */
function logDropped(
  { id }: Auction,
  solutions: readonly Solution[],
  dropped: Unusable,
  { log }: Pick<AuctionServices, 'log'>,
): void {
  const refused = solutions.flatMap(({ proposal, solver, score }) => {
    const after = dropped.get(proposal)
    return after ? [{ solver, score: String(score), after: [...after] }] : []
  })
  if (refused.length > 0)
    log.info('solutions cannot be settled', { auctionId: String(id), solutions: refused })
}

/** The cancelled orders that a winner trades: without them, its other orders could be settled. */
export function takingWins(
  { solutions, maxWinners, unusable }: Pick<Contest, 'solutions' | 'maxWinners' | 'unusable'>,
  cancelled: readonly Order[],
): Order[] {
  if (cancelled.length === 0) return []
  const winners = selectWinners(solutions, maxWinners, unusable).filter(({ isWinner }) => isWinner)
  return cancelled.filter((order) => winners.some((winner) => trades(winner, [order])))
}

/** Adds the solutions that trade any of the orders to the unusable ones. */
export function withoutOrders(
  solutions: readonly Solution[],
  unusable: Unusable,
  orders: readonly Order[],
): Unusable {
  const none = new Set<never>()
  const dropped = solutions.filter((solution) => trades(solution, orders))
  return new Map([...unusable, ...dropped.map(({ proposal }) => [proposal, none] as const)])
}

/** The traded orders of solutions that were cancelled, through the service or on chain. */
export async function cancelledOrders(
  db: Db,
  auction: Auction,
  solutions: readonly Solution[],
): Promise<Order[]> {
  const orders = ordersOf(auction, solutions)
  const cancelled = await cancelledAmong(
    db,
    orders.map(({ id }) => id),
  )
  return orders.filter(({ id }) => cancelled.has(id))
}

/** The orders that solutions trade, each once. */
function ordersOf({ orders }: Auction, solutions: readonly Solution[]): Order[] {
  const traded = new Set(solutions.flatMap(orderUids))
  return orders.map(({ order }) => order).filter(({ uid }) => traded.has(uid))
}

function trades(solution: Solution, orders: readonly Order[]): boolean {
  return orderUids(solution).some((traded) => orders.some(({ uid }) => uid === traded))
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

function orderUids({ executions }: Solution) {
  return executions.map(({ orderUid }) => orderUid)
}
