import { setTimeout as pause } from 'node:timers/promises'
import type { Auction } from '../domain/auction/auction.ts'
import { endOverdueAttempts } from '../storage/auction/competition.ts'
import {
  type DelegatedAttempt,
  delegatedAttempts,
  endUnsentAttempts,
  forgetTransaction,
  hasLiveOrders,
  type OpenAttempt,
  openAttempts,
  settledByDelegates,
  storeCancellation,
  storeTransaction,
} from '../storage/auction/settlement-attempts.ts'
import type { LeftOut } from './admission/publish-auction.ts'
import { type AssembledAuction, assembleAuction } from './assemble.ts'
import { createSolverWatch, trackDelegated } from './driver/delegate.ts'
import { backOffOf, delayOwners } from './failures/failing-orders.ts'
import { timed } from './meter.ts'
import { checkSettled } from './mined.ts'
import { outcomeNotice, outsideOf } from './outside.ts'
import { recordCompetition, recordRefusals } from './record.ts'
import { type AuctionServices, maxBackOff } from './services.ts'
import { recordOutcome, settle, untilRecorded } from './settle.ts'
import { simulate } from './simulate.ts'

/**
 * Takes over what an earlier process left: attempts that were not sent have failed, and transactions that
 * were are followed to their end. Their nonces are kept when this returns.
 * @returns the settlements that are under way
 */
async function resumeSettlements(services: AuctionServices, signal: AbortSignal): Promise<Promise<void>[]> {
  const { db, network, now } = services
  const { number: endBlock } = await services.head()
  const end = { outcome: 'driver failed: not sent: the service stopped', endBlock, endedAt: new Date(now()) }
  await db.transaction((tx) => endUnsentAttempts(tx, network.chainId, end))
  const attempts = await openAttempts(db, network.chainId)
  const delegated = await delegatedAttempts(db, network.chainId)
  await checkDelegated(endBlock, services, signal)
  return [
    ...attempts.map((attempt) => resume(attempt, services, signal)),
    ...delegated.map((attempt) => resumeDelegated(attempt, services, signal)),
  ]
}

/** Looks at what solvers settled themselves while no process did: the indexer has ended these attempts. */
async function checkDelegated(head: number, services: AuctionServices, signal: AbortSignal): Promise<void> {
  const settled = await settledByDelegates(services.db, services.network.chainId, head - maxBackOff)
  for (const { solver, txHash, block, ...attempt } of settled)
    await checkSettled(attempt, solver, { txHash, block }, services, signal)
}

/**
 * Its solver was asked to settle, and is not asked again: it may have begun. Nothing is held against it, as
 * it may not have heard.
 */
async function resumeDelegated(
  attempt: DelegatedAttempt,
  services: AuctionServices,
  signal: AbortSignal,
): Promise<void> {
  const { auctionId, solver, driverSolution } = attempt
  await untilRecorded(attempt, signal, services, async () => {
    const outcome = await trackDelegated(attempt, services, signal)
    await recordOutcome(attempt, outcome, solver, services, signal)
    const notice = outcomeNotice(outcome)
    if (notice) outsideOf(solver, services)?.notify({ auctionId, solutionIds: [driverSolution] }, notice)
  })
}

async function resume(attempt: OpenAttempt, services: AuctionServices, signal: AbortSignal): Promise<void> {
  const { solver, deadlineBlock, signedTransaction, submission } = attempt
  const { db, settlers } = services
  await untilRecorded(attempt, signal, services, async () => {
    const settler = settlers.get(solver)
    // The account was exchanged: no key here can replace its transactions.
    if (!settler) return forgetTransaction(db, attempt)
    const isOpen = async (transaction: Parameters<typeof storeTransaction>[2]) =>
      (await storeTransaction(db, attempt, transaction)) ? undefined : 'the attempt has ended'
    const isWanted = () => hasLiveOrders(db, attempt)
    const outcome = await settler.resume(signedTransaction, {
      deadlineBlock,
      submission,
      signal,
      record: isOpen,
      recordCancellation: (hash) => storeCancellation(db, attempt, hash),
      isWanted,
    })
    await recordOutcome(attempt, outcome, solver, services, signal)
  })
}

/**
 * Runs one auction after the other until `signal` aborts; settlements go on meanwhile. One process at a
 * time may run it on a network. A fault ends only its auction. A shutdown does not wait for settlements: the
 * next start takes them over.
 */
export async function runAuctions(services: AuctionServices, signal: AbortSignal): Promise<void> {
  const { network, settings, log } = services
  const pollMs = Math.min(1_000, Math.max(50, network.blockTimeMs / 4))
  const underWay = new Set<Promise<unknown>>()
  let hasResumed = false
  let last = Number.NEGATIVE_INFINITY
  const follow = (settlements: readonly Promise<unknown>[]) => {
    for (const settlement of settlements) {
      underWay.add(settlement)
      void settlement.then((leavesOthers) => {
        underWay.delete(settlement)
        // The others are settled at once, not with the next block.
        if (leavesOthers === true) last = Number.NEGATIVE_INFINITY
      })
    }
  }
  const watch = createSolverWatch(services, signal)
  // Another process may have led before.
  services.book.reset()
  services.standings.reset()
  services.exclusions.reset()
  while (!signal.aborted) {
    try {
      if (!hasResumed) follow(await resumeSettlements(services, signal))
      hasResumed = true
      const head = await services.head()
      // A lower head, after a reorg, starts an auction too.
      if (head.number >= last + settings.everyBlocks || head.number < last) {
        last = head.number
        await services.accounts.refresh(head.number)
        await services.heldTokens.refresh(head)
        await services.failedGas.refresh(head.number)
        await endOverdueAttempts(services.db, network.chainId, new Date(services.now()))
        await watch()
        const places = settings.maxUnderWay - underWay.size
        if (places > 0) follow(await runAuction(services, places, signal))
        else log.warn('no auction: too many settlements are under way', { network: network.name })
        await services.routedPrices.find()
      }
    } catch (error) {
      log.warn('auction abandoned', { network: network.name, error: String(error) })
    }
    await pause(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * @param places the most settlements that it may start
 * @returns its settlements, each until its end is recorded, with whether a cancellation left others that can
 *   be settled at once; none rejects
 */
export async function runAuction(
  services: AuctionServices,
  places: number,
  signal: AbortSignal,
): Promise<Promise<boolean>[]> {
  const { settings } = services
  services.meter.began()
  const assembled = await timed(services, 'assemble', () => assembleAuction(services))
  await services.rounds.note()
  const shown = services.current.show(assembled?.auction)
  if (!assembled) return shown.then(() => [])
  const maxWinners = Math.min(settings.maxWinners, places)
  const contest = await timed(services, 'simulate', () =>
    simulate(assembled.auction, assembled.pools, maxWinners, services, signal),
  )
  await shown
  if (signal.aborted) return []
  if (contest.solutions.length === 0) {
    await recordRefusals(contest, services)
    return []
  }
  const { number: head } = await services.head()
  const auction = { ...contest.auction, deadlineBlock: head + settings.deadlineBlocks }
  const { winners, cancelled } = await timed(services, 'record', () =>
    recordCompetition({ ...contest, auction }, leftOutAt(assembled, auction, services), head, services),
  )
  delayOwners(cancelled, auction.block, services)
  const settlements = winners.map((solution) => settle(auction, solution, services, signal))
  return cancelled.length > 0 ? [...settlements, Promise.resolve(true)] : settlements
}

/** The orders left out at assembly, and those that the competition went on without. */
function leftOutAt(
  assembled: AssembledAuction,
  { orders, block }: Auction,
  services: AuctionServices,
): LeftOut {
  const held = new Set(orders.map(({ order }) => order.id))
  const dropped = assembled.auction.orders.filter(({ order }) => !held.has(order.id))
  return new Map([
    ...assembled.leftOut,
    ...dropped.map(({ order }) => {
      const reason = backOffOf(order, block, services)?.reason ?? 'settlement_failed'
      return [order.id, reason] as const
    }),
  ])
}
