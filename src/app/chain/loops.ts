import { runAuctions } from '../../auctions/run.ts'
import type { Log } from '../../domain/log.ts'
import { readHooks } from '../../indexer/late/hooks.ts'
import { refunding } from '../../indexer/refunder.ts'
import { runIndexer } from '../../indexer/run.ts'
import { runHoldingsIndex } from '../../indexer/settlement-holdings.ts'
import type { Loop } from '../../server/measures/loop-metrics.ts'
import { whileLeading } from '../../storage/database/leadership.ts'
import type { NetworkParts } from '../network.ts'
import type { LoopStates } from '../observing/monitoring.ts'

/**
 * What a process does. Any number may serve; on each network one process leads the indexer, and one the
 * auctions.
 */
export const roles = ['serve', 'index', 'auction', 'deliver'] as const
export type Role = (typeof roles)[number]

interface LoopOptions {
  databaseUrl: string
  roles: readonly Role[]
  log: Log
}

/**
 * In one process: pools, holdings of the settlement contract, and outcomes of hooks are read up to the
 * indexer's checkpoint.
 */
async function runIndexers(parts: NetworkParts, signal: AbortSignal): Promise<void> {
  const { indexerOptions, poolCounts, holdingsOptions, hookOptions } = parts
  await Promise.all([
    runIndexer(indexerOptions, signal),
    poolCounts.count(signal),
    runHoldingsIndex(holdingsOptions, signal),
    readHooks(hookOptions, signal),
  ])
}

/** What requests need: it goes on until they have ended. */
export function startServingLoops(
  parts: NetworkParts,
  { roles }: LoopOptions,
  signal: AbortSignal,
): Promise<void>[] {
  return [
    ...(roles.includes('serve') ? [parts.pools.follow(signal), parts.market.recorder.run(signal)] : []),
    parts.poolCounts.note(signal),
  ]
}

/** What one process does for all: when it stops, it lets go at once, so that another takes over. */
export function startLeaderLoops(
  parts: NetworkParts,
  states: LoopStates,
  { databaseUrl: url, roles, log }: LoopOptions,
  signal: AbortSignal,
): Promise<void>[] {
  const { chainId, name: network } = parts.network
  const lead = (loop: Loop, run: (signal: AbortSignal) => Promise<void>) => {
    const onState = states.follow(loop, network)
    return whileLeading({ url, name: `${loop}:${chainId}`, log, signal, onState }, run)
  }
  return [
    ...(roles.includes('index') ? [lead('indexer', (leading) => runIndexers(parts, leading))] : []),
    ...(roles.includes('index') ? refunding(parts.refunderOptions, { url, log, signal }) : []),
    ...(roles.includes('auction')
      ? [lead('auctions', (leading) => runAuctions(parts.auctionServices, leading))]
      : []),
  ]
}
