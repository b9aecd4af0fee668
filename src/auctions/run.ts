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

/** One auction after the other until `signal` aborts; one process at a time may run it on a network. A fault costs one auction. */
export async function runAuctions(services: AuctionServices, signal: AbortSignal): Promise<void> {
  const lookMs = Math.min(1_000, Math.max(50, services.network.blockTimeMs / 4))
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  let last = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    try {
      const block = (await services.head()).number
      // A chain that lost its end counts as a new block too.
      if (block >= last + services.settings.everyBlocks || block < last) {
        last = block
        await closeOverdue(services)
        await runAuction(services, signal, stopped)
      }
    } catch (error) {
      services.log.warn('auction abandoned', { network: services.network.name, error: String(error) })
    }
    await pause(lookMs, undefined, { signal }).catch(() => undefined)
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
  const { auction: simulated, ranking } = await simulate(assembled.auction, assembled.pools, services, signal)
  if (ranking.length === 0 || signal.aborted) return
  const startBlock = (await services.head()).number
  const auction = { ...simulated, deadlineBlock: startBlock + services.settings.deadlineBlocks }
  const winners = await recordCompetition(auction, ranking, startBlock, services)
  const settled = settleAll(auction, winners, services)
  // A settlement on its way stays valid without us: shutting down does not wait for it, the next start finds how it ended.
  await Promise.race([settled, stopped])
}

/** Side by side, but for winners that swap through the same pool: each was computed on the pool as the auction saw it. */
async function settleAll(
  auction: Auction,
  winners: readonly RankedSolution[],
  services: AuctionServices,
): Promise<void> {
  const started: { pools: ReadonlySet<Address>; ended: Promise<unknown> }[] = []
  for (const solution of winners) {
    const pools = calledContracts(solution)
    const before = started.filter((other) => [...pools].some((pool) => other.pools.has(pool)))
    started.push({
      pools,
      ended: Promise.all(before.map(({ ended }) => ended)).then(() => settle(auction, solution, services)),
    })
  }
  await Promise.all(started.map(({ ended }) => ended))
}

/** What a solution calls beside its tokens. */
function calledContracts({ proposal }: RankedSolution): Set<Address> {
  const tokens = new Set(proposal.prices.keys())
  return new Set(proposal.interactions.map(({ target }) => target).filter((target) => !tokens.has(target)))
}

/** Attempts that nobody ended, as after a crash: over once the indexer has seen every block up to their deadline. */
async function closeOverdue({ db, network, now }: AuctionServices): Promise<void> {
  const at = new Date(now())
  const checkpoint = await findCheckpoint(db, network.chainId)
  if (checkpoint) await db.transaction((tx) => endOverdueAttempts(tx, network.chainId, checkpoint.number, at))
  await deleteExpiredQuotes(db, at)
}
