import { setTimeout as pause } from 'node:timers/promises'
import type { Auction } from '../domain/auction/auction.ts'
import type { RankedSolution } from '../domain/auction/solution.ts'
import type { Address } from '../domain/evm/address.ts'
import { endOverdueAttempts } from '../storage/auction/competition.ts'
import { findCheckpoint } from '../storage/chain/log.ts'
import { deleteExpiredQuotes } from '../storage/quote/quotes.ts'
import { assembleAuction } from './assemble.ts'
import { recordCompetition } from './compete.ts'
import type { AuctionServices } from './services.ts'
import { settle } from './settle.ts'
import { simulate } from './simulate.ts'

/** Runs one auction after the other until `signal` aborts. One process at a time may run it on a network. A fault ends only its auction. */
export async function runAuctions(services: AuctionServices, signal: AbortSignal): Promise<void> {
  const pollMs = Math.min(1_000, Math.max(50, services.network.blockTimeMs / 4))
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  let last = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    try {
      const head = await services.head()
      // A lower head, after a reorg, starts an auction too.
      if (head.number >= last + services.settings.everyBlocks || head.number < last) {
        last = head.number
        await closeOverdue(services)
        await runAuction(services, signal, stopped)
      }
    } catch (error) {
      services.log.warn('auction abandoned', { network: services.network.name, error: String(error) })
    }
    await pause(pollMs, undefined, { signal }).catch(() => undefined)
  }
}

/** @param stopped resolves when `signal` aborts */
export async function runAuction(
  services: AuctionServices,
  signal: AbortSignal,
  stopped: Promise<unknown>,
): Promise<void> {
  const assembled = await assembleAuction(services)
  if (!assembled) return
  const simulated = await simulate(assembled.auction, assembled.pools, services, signal)
  if (simulated.solutions.length === 0 || signal.aborted) return
  const head = await services.head()
  const auction = { ...simulated.auction, deadlineBlock: head.number + services.settings.deadlineBlocks }
  const winners = await recordCompetition(auction, simulated.solutions, head.number, services)
  const settled = settleAll(auction, winners, services)
  // A shutdown does not wait for settlements: one that was sent stays valid, and the next start records how it ended.
  await Promise.race([settled, stopped])
}

/** Settles winners in parallel, but one by one if they swap through the same pool: each was computed from its reserves at the auction's block. */
async function settleAll(
  auction: Auction,
  winners: readonly RankedSolution[],
  services: AuctionServices,
): Promise<void> {
  const started: { contracts: ReadonlySet<Address>; ended: Promise<unknown> }[] = []
  for (const solution of winners) {
    const contracts = calledContracts(solution)
    const before = started.filter((other) => [...contracts].some((contract) => other.contracts.has(contract)))
    started.push({
      contracts,
      ended: Promise.all(before.map(({ ended }) => ended)).then(() => settle(auction, solution, services)),
    })
  }
  await Promise.all(started.map(({ ended }) => ended))
}

/** Contracts that a solution calls, without its tokens. */
function calledContracts({ proposal }: RankedSolution): Set<Address> {
  const tokens = new Set(proposal.prices.keys())
  return new Set(proposal.interactions.map(({ target }) => target).filter((target) => !tokens.has(target)))
}

/** Ends attempts that were left open, as after a crash, once the indexer has read every block up to their deadline. */
async function closeOverdue({ db, network, now }: AuctionServices): Promise<void> {
  const at = new Date(now())
  const checkpoint = await findCheckpoint(db, network.chainId)
  if (checkpoint) await db.transaction((tx) => endOverdueAttempts(tx, network.chainId, checkpoint.number, at))
  await deleteExpiredQuotes(db, at)
}
