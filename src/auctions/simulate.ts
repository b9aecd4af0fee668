import type { Auction } from '../domain/auction/auction.ts'
import type { Refused } from '../domain/auction/competition.ts'
import type { Proposal, RankedSolution } from '../domain/auction/solution.ts'
import { selectWinners, type Unusable } from '../domain/auction/winner-selection.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Order } from '../domain/order/order.ts'
import type { Pool } from '../domain/routing/pool.ts'
import { type Contest, compete } from './compete.ts'
import {
  delayOwners,
  type FailingOrder,
  findFailureCause,
  pauseFailing,
  pauseOrders,
  refusedFor,
  tokensOf,
} from './failures/failing-orders.ts'
import type { RouteFault } from './failures/route-trials.ts'
import { notify, outsideOf, simulationNotice } from './outside.ts'
import { cancelledOrders, takingWins, withoutOrders } from './record.ts'
import type { AuctionServices } from './services.ts'
import { encodeSolution } from './settlement-calldata.ts'

/** Maximum number of competitions in one auction. */
const maxRounds = 4
/**
 * Maximum number of selections in one competition. What the last of them chose is simulated when it is sent.
 */
const maxSelections = 8

/**
 * Repeats the competition until all winners' settlements pass a dry run, one after the other on the state
 * that those before leave. Where one fails after better ones, the next best wins instead. An order that makes
 * its settlement fail is left out of this auction and of later ones, and solvers compete again with the other
 * orders. So they do without a token or a pool that fails for any order, and without an order of a
 * winner that was cancelled meanwhile: at the last competition, the next best wins instead.
 */
export async function simulate(
  auction: Auction,
  pools: readonly Pool[],
  maxWinners: number,
  services: AuctionServices,
  signal: AbortSignal,
): Promise<Contest> {
  const refused = new Map<bigint, FailingOrder>()
  const contest = await simulateRounds(auction, pools, maxWinners, services, signal, refused, 1)
  const served = new Set(
    contest.solutions.flatMap(({ proposal, executions }) =>
      contest.unusable.has(proposal) ? [] : executions.map(({ orderUid }) => orderUid),
    ),
  )
  // Another way of the same auction is as good.
  const unserved = [...refused.values()].filter(({ order }) => !served.has(order.uid))
  await pauseOrders(unserved, auction.block, services)
  return contest
}

/** @param refused gets the orders whose amounts a token or a pool refuses */
async function simulateRounds(
  auction: Auction,
  pools: readonly Pool[],
  maxWinners: number,
  services: AuctionServices,
  signal: AbortSignal,
  refused: Map<bigint, FailingOrder>,
  round: number,
): Promise<Contest> {
  const competed = await compete(auction, pools, services, signal)
  const isLast = round === maxRounds
  const { contest, failingOrders, faults, cancelled } = await withoutFailing(
    { auction, ...competed, maxWinners },
    services,
    signal,
    isLast,
  )
  if (failingOrders.length + faults.length + cancelled.length === 0) return contest
  await pauseOrders(failingOrders, auction.block, services)
  await pauseFailing(faults, auction, auction.block, services)
  for (const failingOrder of faults.flatMap(refusedFor)) refused.set(failingOrder.order.id, failingOrder)
  delayOwners(cancelled, auction.block, services)
  if (isLast || signal.aborted) return contest
  const excluded = new Set(failingOrders.map(({ order }) => order.id))
  const delayed = new Set(cancelled.map(({ owner }) => owner))
  const failing = new Set(faults.map(({ failing: { address } }) => address))
  const usable = pools.filter(
    ({ address, token0, token1 }) => ![address, token0, token1].some((each) => failing.has(each)),
  )
  const orders = auction.orders.filter(
    ({ order }) =>
      !excluded.has(order.id) &&
      !delayed.has(order.owner) &&
      !tokensOf(order, services.network).some((token) => failing.has(token)),
  )
  if (orders.length === 0) return { ...contest, auction: { ...auction, orders }, solutions: [] }
  return simulateRounds({ ...auction, orders }, usable, maxWinners, services, signal, refused, round + 1)
}

/**
 * Selects winners again without those that fail, until all pass, or one fails because of its own orders or
 * trades a cancelled one.
 */
async function withoutFailing(
  contest: Omit<Contest, 'unusable' | 'reverts'>,
  services: AuctionServices,
  signal: AbortSignal,
  isLast: boolean,
): Promise<{ contest: Contest; failingOrders: FailingOrder[]; faults: RouteFault[]; cancelled: Order[] }> {
  const { auction, solutions, maxWinners } = contest
  let unusable: Unusable = new Map()
  const faulty: Proposal[] = []
  const failingOrders: FailingOrder[] = []
  const faults: RouteFault[] = []
  const reverts = new Map<Proposal, Refused>()
  for (let selection = 0; selection < maxSelections; selection++) {
    if (failingOrders.length + faults.length > 0) break
    if (signal.aborted) break
    const ended = await cancelledOrders(services.db, auction, solutions)
    const cancelled = takingWins({ ...contest, unusable }, ended)
    unusable = withoutOrders(solutions, unusable, ended)
    if (cancelled.length > 0 && !isLast)
      return { contest: { ...contest, reverts, unusable }, failingOrders, faults, cancelled }
    const winners = selectWinners(solutions, maxWinners, unusable).filter(({ isWinner }) => isWinner)
    // Where nothing else can win, an attempt shows why.
    if (winners.length === 0)
      unusable = new Map([...unusable].filter(([proposal]) => !faulty.includes(proposal)))
    const failures = await failuresOf(auction, winners, services)
    if (failures.length === 0) break
    const blames = await Promise.all(
      failures.map(async ({ winner, ...failure }) => {
        const blame = await findFailureCause(auction, winner, services)
        return { winner, ...failure, ...blame }
      }),
    )
    for (const { winner, after, revert, ...blame } of blames) {
      const code = after.size === 0 || blame.fails ? 'reverts' : 'reverts_after_others'
      reverts.set(winner.proposal, { code, message: revert })
      unusable = new Map([...unusable, [winner.proposal, blame.fails ? new Set<Address>() : after]])
      const isKnown = !blame.fails || blame.failingOrders.length + blame.faults.length > 0
      const isOutside = outsideOf(winner.solver, services) !== undefined
      if (!isKnown && !isOutside && (await isFaulty(auction, winner, services))) faulty.push(winner.proposal)
    }
    failingOrders.push(...blames.flatMap((blame) => blame.failingOrders))
    // Two winners may be traded through the same.
    const found = new Map(
      blames.flatMap((blame) => blame.faults.map((fault) => [fault.failing.address, fault])),
    )
    faults.push(...found.values())
  }
  return { contest: { ...contest, reverts, unusable }, failingOrders, faults, cancelled: [] }
}

/** Returns true if the solution also fails by itself in the block that it was computed for. */
async function isFaulty(
  auction: Auction,
  winner: RankedSolution,
  { network, dryRuns }: AuctionServices,
): Promise<boolean> {
  const { calldata, gas } = encodeSolution(auction, winner, network)
  try {
    const { block, gasPrice } = auction
    const revert = await dryRuns.get(winner.solver)?.(calldata, gas, { block, gasPrice })
    return revert !== undefined
  } catch (fault) {
    if (fault instanceof Outage) return false
    throw fault
  }
}

interface Failure {
  winner: RankedSolution
  /** The solvers of the winners before it that pass. */
  after: ReadonlySet<Address>
  revert: string
}

/**
 * The winners that fail after those that are better. None when the node does not answer: they are simulated
 * again when they are sent.
 */
async function failuresOf(
  auction: Auction,
  winners: readonly RankedSolution[],
  services: AuctionServices,
): Promise<Failure[]> {
  const { network, sequence, log } = services
  try {
    const simulations = await sequence.simulate(
      winners.map((winner) => encodeSolution(auction, winner, network)),
      auction.gasPrice,
    )
    const passes = simulations.map((simulation) => 'gas' in simulation)
    return winners.flatMap((winner, index) => {
      const simulation = simulations[index]
      if (!simulation || 'gas' in simulation) return []
      notify(winner, simulationNotice(auction, winner, simulation.revert, services), services)
      const { solver, uid } = winner
      log.info('a winner fails', { auctionId: String(auction.id), solver, uid, ...simulation })
      const before = winners.slice(0, index).filter((_, place) => passes[place])
      return [{ winner, after: new Set(before.map((other) => other.solver)), revert: simulation.revert }]
    })
  } catch (fault) {
    if (fault instanceof Outage) return []
    throw fault
  }
}
