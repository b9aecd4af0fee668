import {
  type DelegatedAttempt,
  delegatedAttempts,
  settledByDelegates,
} from '../storage/auction/delegations.ts'
import {
  endUnsentAttempts,
  forgetTransaction,
  hasLiveOrders,
  type OpenAttempt,
  openAttempts,
  storeCancellation,
  storeTransaction,
} from '../storage/auction/transactions.ts'
import { followDelegated } from './driver/delegate.ts'
import { checkSettled } from './mined.ts'
import { outcomeNotice, outsideOf } from './outside.ts'
import { type AuctionServices, longestBackOff } from './services.ts'
import { recordOutcome, untilRecorded } from './settle.ts'

/**
 * Takes over what an earlier process left: attempts that were not sent have failed, and transactions that were are followed to their end.
 * Their nonces are kept when this returns.
 * @returns the settlements that are under way
 */
export async function resumeSettlements(
  services: AuctionServices,
  signal: AbortSignal,
): Promise<Promise<void>[]> {
  const { db, network, now } = services
  const { number: endBlock } = await services.head()
  const end = { outcome: 'driver failed: not sent: the service stopped', endBlock, endedAt: new Date(now()) }
  await db.transaction((tx) => endUnsentAttempts(tx, network.chainId, end))
  const attempts = await openAttempts(db, network.chainId)
  const delegated = await delegatedAttempts(db, network.chainId)
  await checkDelegated(endBlock, services)
  return [
    ...attempts.map((attempt) => resume(attempt, services, signal)),
    ...delegated.map((attempt) => resumeDelegated(attempt, services, signal)),
  ]
}

/** Looks at what solvers settled themselves while no process did: the indexer has ended these attempts. */
async function checkDelegated(head: number, services: AuctionServices): Promise<void> {
  const settled = await settledByDelegates(services.db, services.network.chainId, head - longestBackOff)
  for (const { solver, txHash, block, ...attempt } of settled)
    await checkSettled(attempt, solver, { txHash, block }, services)
}

/** Its solver was asked to settle, and is not asked again: it may have begun. Nothing is held against it, as it may not have heard. */
async function resumeDelegated(
  attempt: DelegatedAttempt,
  services: AuctionServices,
  signal: AbortSignal,
): Promise<void> {
  const { auctionId, solver, driverSolution } = attempt
  await untilRecorded(attempt, signal, services, async () => {
    const outcome = await followDelegated(attempt, services, signal)
    await recordOutcome(attempt, outcome, solver, services)
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
      ...{ deadlineBlock, submission, signal },
      record: isOpen,
      recordCancellation: (hash) => storeCancellation(db, attempt, hash),
      isWanted,
    })
    await recordOutcome(attempt, outcome, solver, services)
  })
}
