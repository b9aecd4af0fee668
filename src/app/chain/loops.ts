import { setMaxListeners } from 'node:events'
import { runAuctions } from '../../auctions/run.ts'
import { surveyOrders } from '../../auctions/survey.ts'
import type { Log } from '../../domain/log.ts'
import { createIndexerMoves, createPoll, repeat } from '../../indexer/chain-stream.ts'
import { readHooks } from '../../indexer/late/hooks.ts'
import { followProgrammaticOrders } from '../../indexer/late/programmatic.ts'
import { refunding } from '../../indexer/refunder.ts'
import { runIndexer } from '../../indexer/run.ts'
import { runHoldingsIndex } from '../../indexer/settlement-holdings.ts'
import { runWatchTower } from '../../indexer/watch-tower.ts'
import type { Loop } from '../../server/measures/loop-metrics.ts'
import { whileLeading } from '../../storage/database/leadership.ts'
import { rankTokens } from '../../storage/token/tokens.ts'
import type { NetworkParts } from '../network.ts'
import type { LoopStates } from '../observing/monitoring.ts'

/**
 * Roles of a process. Any number may serve; on each network one leads the indexer, one the auctions, one the
 * watch tower.
 */
export const roles = ['serve', 'index', 'auction', 'tower', 'deliver'] as const
export type Role = (typeof roles)[number]

interface LoopOptions {
  databaseUrl: string
  roles: readonly Role[]
  log: Log
}

/** The time between two rounds of ranks. */
const rankMs = 30_000
/** The pause of work that follows the index of a followed chain: nothing waits for it. */
const lateMs = 10_000

/**
 * Runs the indexes in one process: pools, holdings of the settlement contract, outcomes of hooks and
 * programmatic orders are read up to the indexer's checkpoint. On a network that follows an order book, its
 * orders are mirrored and surveyed instead; the holdings are another's, and the database has the first
 * block.
 */
async function runIndexers(parts: NetworkParts, signal: AbortSignal): Promise<void> {
  const {
    indexerOptions,
    poolCounts,
    holdingsOptions,
    hookOptions,
    programmaticOptions,
    mirror,
    auctionServices,
  } = parts
  // A signal warns of more than ten listeners.
  setMaxListeners(0, signal)
  const first = await mirror?.firstBlocks()
  const network = { ...parts.network, ...(first && { firstBlock: first.indexedFrom }) }
  const rules = first && { notifiedFrom: first.notifiedFrom }
  if (mirror) parts.nameOwnTokens()
  const maxWaitMs = Math.min(5_000, Math.max(250, network.blockTimeMs / 2))
  const { moved: onMoved, follow } = createIndexerMoves(maxWaitMs)
  const late = mirror && { poll: createPoll(lateMs) }
  await Promise.all([
    runIndexer({ ...indexerOptions, ...rules, network, onMoved }, signal),
    poolCounts.count(follow(), signal),
    readHooks({ ...hookOptions, ...follow(), ...late }, signal),
    followProgrammaticOrders({ ...programmaticOptions, ...rules, ...follow(), ...late }, signal),
    mirror ? mirror.follow(signal) : runHoldingsIndex({ ...holdingsOptions, ...follow() }, signal),
    mirror && surveyOrders(auctionServices, signal),
    repeat(
      () => rankTokens(indexerOptions.db, network.chainId).then(() => false),
      {
        poll: createPoll(rankMs),
        log: indexerOptions.log,
        what: 'tokens cannot be ranked for the moment',
        network: network.name,
      },
      signal,
    ),
  ])
}

/** Starts the loops that serve requests; they run until requests have ended. */
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

/** Starts the loops that one process runs for all: the process gives up its lead at once when it stops. */
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
  if (roles.includes('auction') && parts.mirror)
    log.info('no auctions are held: the network follows an order book', { network })
  if (roles.includes('tower') && parts.mirror)
    log.info('no parts are placed: the network follows an order book', { network })
  return [
    ...(roles.includes('index') ? [lead('indexer', (leading) => runIndexers(parts, leading))] : []),
    ...(roles.includes('index') ? refunding(parts.refunderOptions, { url, log, signal }) : []),
    ...(roles.includes('auction') && !parts.mirror
      ? [lead('auctions', (leading) => runAuctions(parts.auctionServices, leading))]
      : []),
    ...(roles.includes('tower') && parts.network.conditionalOrders && !parts.mirror
      ? [lead('tower', (leading) => runWatchTower(parts.towerOptions, leading))]
      : []),
  ]
}
