import { setTimeout as pause } from 'node:timers/promises'
import type { Auction } from '../domain/auction/auction.ts'
import { endOverdueAttempts } from '../storage/auction/competition.ts'
import { findCheckpoint } from '../storage/chain/log.ts'
import type { LeftOut } from './admission/exclusions.ts'
import { type AssembledAuction, assembleAuction } from './assemble.ts'
import { createSolverWatch } from './driver/watch.ts'
import { backOffOf, delayOwners } from './failures/culprits.ts'
import { timed } from './meter.ts'
import { recordCompetition, recordRefusals } from './record.ts'
import { resumeSettlements } from './resume.ts'
import type { AuctionServices } from './services.ts'
import { settle } from './settle.ts'
import { simulate } from './simulate.ts'

/**
 * Runs one auction after the other until `signal` aborts; settlements go on beside them. One process at a time may run it on a network.
 * A fault ends only its auction. A shutdown does not wait for settlements: the next start takes them over.
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
  const watch = createSolverWatch(services)
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
        await closeOverdue(services)
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
 * @returns its settlements, each until its end is recorded, with whether a cancellation left others that can be settled at once; none
 * rejects
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

/** With the orders that the competition went on without. */
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

/** Ends attempts that were left open, as after a crash, once the indexer has read every block up to their deadline. */
async function closeOverdue({ db, network, now }: AuctionServices): Promise<void> {
  const at = new Date(now())
  const checkpoint = await findCheckpoint(db, network.chainId)
  if (checkpoint) await db.transaction((tx) => endOverdueAttempts(tx, network.chainId, checkpoint.number, at))
}
