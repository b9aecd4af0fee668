import { NotOffered } from '../chain/bundle/simulate-v1.ts'
import type { FollowingLimits, SettlementOutcome } from '../chain/settlement/settler.ts'
import type { Auction, AuctionOrder } from '../domain/auction/auction.ts'
import type { RankedSolution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Order } from '../domain/order/order.ts'
import { hopsOf } from '../domain/routing/route.ts'
import type { OwnSubmission } from '../solvers/solver.ts'
import { endAttempt } from '../storage/auction/competition.ts'
import { storeFailureCause } from '../storage/auction/failed-gas.ts'
import {
  type AttemptKey,
  forgetTransaction,
  hasLiveOrders,
  storeCancellation,
  storeDelegation,
  storeTransaction,
} from '../storage/auction/settlement-attempts.ts'
import type { Tx } from '../storage/database/database.ts'
import { cancelledAmong } from '../storage/order/orders.ts'
import { lockOrders } from '../storage/order/progress.ts'
import { delegate } from './driver/delegate.ts'
import {
  delayOwners,
  endBackOffs,
  type FailingOrder,
  findFailureCause,
  type MinedFailure,
  pauseFailing,
  pauseOrders,
  refusedFor,
  tokensOf,
} from './failures/failing-orders.ts'
import type { RouteFault } from './failures/route-trials.ts'
import { touchedBy } from './guards.ts'
import { dangerOf, spoiltBy } from './inspection.ts'
import { timed } from './meter.ts'
import { checkSettled } from './mined.ts'
import { endSolverPause, notify, outcomeNotice, outsideOf, pauseSolver } from './outside.ts'
import type { AuctionServices } from './services.ts'
import { encodeSolution } from './settlement-calldata.ts'

/**
 * Sends a winner's settlement and records how the attempt ended. Settlements are sent in the order of the
 * calls.
 * @returns whether it was not sent because of a cancellation, so that its other orders can be settled at once
 */
export async function settle(
  auction: Auction,
  solution: RankedSolution,
  services: AuctionServices,
  signal: AbortSignal,
): Promise<boolean> {
  const attempt = { auctionId: auction.id, solutionUid: solution.uid }
  const cancelled: Order[] = []
  await untilRecorded(attempt, signal, services, async () => {
    notify(solution, { kind: 'settlementStarted', reason: 'won' }, services)
    const outcome = await timed(services, 'settle', () =>
      submit(auction, solution, cancelled, services, signal),
    )
    const notice = outcomeNotice(outcome)
    if (notice) notify(solution, notice, services)
    await recordOutcome(attempt, outcome, solution.solver, services, signal)
    if (cancelled.length > 0) delayOwners(cancelled, auction.block, services)
    else await updateBackOffs(auction, solution, outcome, services)
  })
  return cancelled.length > 0
}

/** Logs a fault of `work`. A process that stops leaves the rest to the next one. */
export async function untilRecorded(
  { auctionId, solutionUid }: AttemptKey,
  signal: AbortSignal,
  { log }: AuctionServices,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (signal.aborted) return
    log.error('the end of a settlement attempt is not recorded', {
      auctionId: String(auctionId),
      solutionUid,
      error: String(error),
    })
  }
}

/**
 * The indexer alone records a success, because it sees the settlement on chain and sees a reorg remove it.
 * Here the attempt stays open, without the transaction, which no process needs any more.
 */
export async function recordOutcome(
  attempt: AttemptKey,
  result: SettlementOutcome,
  solver: Address,
  services: AuctionServices,
  signal: AbortSignal,
): Promise<void> {
  const { db, log, now, meter } = services
  const { auctionId, solutionUid } = attempt
  // Successes are of every trade: the database has them, and the metrics their number.
  const level = result.outcome === 'success' ? 'debug' : 'info'
  log[level]('settlement attempt ended', { auctionId: String(auctionId), solutionUid, ...result })
  if (result.outcome === 'left') return
  meter.settled(result.outcome)
  const { submission = null } = result
  if (result.outcome === 'success') {
    await forgetTransaction(db, attempt, submission)
    return checkSettled(attempt, solver, result, services, signal)
  }
  const end = { endedAt: new Date(now()), endBlock: result.block, txHash: result.txHash ?? null, submission }
  await db.transaction((tx) => endAttempt(tx, { ...attempt, ...end, outcome: storedOutcome(result) }))
}

function storedOutcome(result: Exclude<SettlementOutcome, { outcome: 'left' }>): string {
  if (result.outcome === 'failed') return `driver failed: ${result.reason}`
  if (result.outcome === 'withdrawn') return 'driver failed: withdrawn: its orders were cancelled'
  return result.outcome
}

/** @param cancelled gets the orders whose cancellation prevents it */
async function submit(
  auction: Auction,
  solution: RankedSolution,
  cancelled: Order[],
  services: AuctionServices,
  signal: AbortSignal,
): Promise<SettlementOutcome> {
  const failed = (reason: string) => ({ outcome: 'failed', reason, block: auction.block }) as const
  const submits = outsideOf(solution.solver, services)?.submits
  if (submits) return assign(auction, solution, submits, cancelled, services, signal)
  const settler = services.settlers.get(solution.solver)
  if (!settler) return failed('no account for this solver')
  const danger = outsideOf(solution.solver, services) && (await dangerOf(auction, solution, services))
  // What cannot be seen now is not held against the solver.
  if (danger) return failed(danger.code === 'unsupported' ? `not sent: ${danger.reason}` : danger.reason)
  const traded = tradedIn(auction, solution)
  const attempt = { auctionId: auction.id, solutionUid: solution.uid }
  const { calldata, gas } = encodeSolution(auction, solution, services.network)
  try {
    return await settler.submit(calldata, {
      deadlineBlock: auction.deadlineBlock,
      signal,
      record: recorder(auction, solution, traded, cancelled, services),
      recordCancellation: (hash) => storeCancellation(services.db, attempt, hash),
      isWanted: () => hasLiveOrders(services.db, attempt),
      gas,
      extraGas: traded.reduce((sum, entry) => sum + entry.extraGas, 0n),
    })
  } catch (error) {
    if (error instanceof Outage) return failed(error.message)
    throw error
  }
}

/** Does the work of `submit` for a solver that submits its settlements itself. */
async function assign(
  auction: Auction,
  solution: RankedSolution,
  submits: OwnSubmission,
  cancelled: Order[],
  services: AuctionServices,
  signal: AbortSignal,
): Promise<SettlementOutcome> {
  const { solver, proposal, uid: solutionUid } = solution
  const { id: auctionId, deadlineBlock } = auction
  const { number: startBlock } = await services.head()
  const refuse = (reason: string) => ({ outcome: 'failed', reason, block: startBlock }) as const
  const solutionId = proposal.origin?.solutionIds[0]
  if (solutionId === undefined) return refuse('not sent: its solver does not know it')
  if (startBlock >= deadlineBlock - 1 || signal.aborted) return refuse('not sent: its time was over')
  const refusal = await services.db.transaction((tx) =>
    storeUnlessCancelled(tx, tradedIn(auction, solution), cancelled, () =>
      storeDelegation(tx, { auctionId, solutionUid }, solutionId),
    ),
  )
  if (refusal !== undefined) return refuse(refusal)
  const assignment = { auctionId, solutionId, deadlineBlock }
  return delegate({ auctionId, solutionUid, solver, startBlock, assignment }, submits, services, signal)
}

/**
 * Stores the transaction first under the locks of its orders: a cancellation before that prevents it, and one
 * after that comes too late.
 */
function recorder(
  { id: auctionId }: Auction,
  { uid: solutionUid }: RankedSolution,
  traded: readonly AuctionOrder[],
  cancelled: Order[],
  { db }: AuctionServices,
): FollowingLimits['record'] {
  let isSent = false
  return async (transaction) => {
    const refusal = await db.transaction((tx) =>
      storeUnlessCancelled(tx, isSent ? [] : traded, cancelled, () =>
        storeTransaction(tx, { auctionId, solutionUid }, transaction),
      ),
    )
    isSent = true
    return refusal
  }
}

/** @returns why it may not be sent */
async function storeUnlessCancelled(
  tx: Tx,
  traded: readonly AuctionOrder[],
  cancelled: Order[],
  store: () => Promise<boolean>,
): Promise<string | undefined> {
  const orders = traded.map(({ order }) => order)
  await lockOrders(
    tx,
    orders.map(({ uid }) => uid),
  )
  const ended = await cancelledAmong(
    tx,
    orders.map(({ id }) => id),
  )
  cancelled.push(...orders.filter(({ id }) => ended.has(id)))
  if (cancelled.length > 0) return refusalOf(cancelled)
  return (await store()) ? undefined : 'not sent: the attempt has ended'
}

const maxNamed = 3

function refusalOf(cancelled: readonly Order[]): string {
  const uids = cancelled.slice(0, maxNamed).map(({ uid }) => uid)
  const more = cancelled.length > maxNamed ? ` and ${cancelled.length - maxNamed} more` : ''
  return `not sent: cancelled: ${uids.join(', ')}${more}`
}

/**
 * A success ends the back-offs of what it trades; a failure starts those of its failing orders, or else of
 * its orders.
 */
async function updateBackOffs(
  auction: Auction,
  solution: RankedSolution,
  result: SettlementOutcome,
  services: AuctionServices,
): Promise<void> {
  const attempt = { auctionId: auction.id, solutionUid: solution.uid }
  const orders = tradedIn(auction, solution).map(({ order }) => order)
  if (result.outcome === 'success') {
    endBackOffs(orders, solution, services)
    endSolverPause(solution.solver, services)
  } else if (result.outcome === 'failed' && (await isSpoilt(auction, solution, result, services))) {
    // No order and no solver is the cause.
  } else if (result.outcome === 'failed' || isMissed(result)) {
    const mined = minedOf(result)
    const blame = await findFailureCause(auction, solution, services, mined)
    const isOutside = outsideOf(solution.solver, services) !== undefined
    const isKnown = blame.failingOrders.length + blame.faults.length > 0
    // What fails on chain costs gas each time: without a cause, its orders wait.
    const isUnexplained =
      !isOutside && (blame.unexplained !== undefined || (mined && !isKnown && !blame.isSolvers))
    const isOne = orders.length === 1
    const revert = isOne ? blame.unexplained : undefined
    const suspects = orders.map((order) => ({ order, certain: isOne, reason: null, revert }))
    const failing = [...blame.failingOrders, ...blame.faults.flatMap(refusedFor)]
    await pauseOrders(isUnexplained ? suspects : failing, result.block, services)
    await pauseFailing(blame.faults, auction, result.block, services)
    if (mined) {
      const isCause = isKnown || blame.isSolvers
      const cause = isCause ? causeOf(failing, blame.faults) : unknownCauseOf(orders, solution, services)
      await storeFailureCause(services.db, attempt, cause)
    }
    const isOwn = !isKnown && !result.reason?.startsWith('not sent: ')
    if (isOwn && (isOutside || blame.isSolvers)) pauseSolver(solution.solver, result.block, services)
  }
}

/** Returns true if a token that the settlement does not touch made it fail, and nothing of its solver did. */
async function isSpoilt(
  auction: Auction,
  solution: RankedSolution,
  { reason, txHash, block }: Extract<SettlementOutcome, { outcome: 'failed' }>,
  services: AuctionServices,
): Promise<boolean> {
  const { network, log } = services
  const call = encodeSolution(auction, solution, network)
  const touched = touchedBy(solution.proposal, auction, network.wrappedNative)
  try {
    const mined = txHash && { txHash, block }
    const spoilt = await spoiltBy({ call, reason, touched, mined }, services)
    if (typeof spoilt === 'object')
      log.warn('a solution reverts with the words of the guard contract', {
        solver: solution.solver,
        ...spoilt,
      })
    return spoilt === 'token'
  } catch (fault) {
    if (!(fault instanceof Outage || fault instanceof NotOffered)) throw fault
    return false
  }
}

/** Returns the cause that the gas of a failed transaction counts for: none, if its solver made it fail. */
function causeOf(failing: readonly FailingOrder[], faults: readonly RouteFault[]) {
  const lasting = faults.filter(({ isOfAmount }) => !isOfAmount)
  const orders = [...failing.map(({ order }) => order), ...lasting.flatMap((fault) => fault.orders)]
  const tokens = lasting.flatMap(({ failing: { kind, address } }) => (kind === 'token' ? [address] : []))
  return { orders: [...new Set(orders.map(({ id }) => id))], tokens }
}

/** Returns what it counts for without a known cause: the orders, and tokens of their routes alone. */
function unknownCauseOf(
  orders: readonly Order[],
  { proposal }: RankedSolution,
  { network }: Pick<AuctionServices, 'network'>,
) {
  const ends = new Set([network.wrappedNative, ...orders.flatMap((order) => tokensOf(order, network))])
  const between = hopsOf({ paths: proposal.paths ?? [] }).map(({ tokenOut }) => tokenOut)
  return {
    orders: orders.map(({ id }) => id),
    tokens: [...new Set(between)].filter((token) => !ends.has(token)),
  }
}

/** Its failure on chain; undefined if it is not there. */
function minedOf(result: Exclude<SettlementOutcome, { outcome: 'left' }>): MinedFailure | undefined {
  if (result.outcome !== 'failed' || result.txHash === undefined) return undefined
  return { block: result.block, gasPrice: result.gasPrice }
}

/** Returns true if its solver had to send it, and did not in time. */
function isMissed(
  result: SettlementOutcome,
): result is Extract<SettlementOutcome, { outcome: 'timeout' | 'withdrawn' }> {
  return result.outcome === 'timeout' && result.txHash === undefined
}

function tradedIn({ orders }: Auction, { executions }: RankedSolution): AuctionOrder[] {
  const traded = new Set(executions.map(({ orderUid }) => orderUid))
  return orders.filter(({ order }) => traded.has(order.uid))
}
