import { setTimeout as pause } from 'node:timers/promises'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { PoolIdentity } from '../../domain/routing/pool.ts'
import { blockHash, type Checkpoint } from '../../storage/chain/indexed-logs.ts'
import type { Database } from '../../storage/database/database.ts'
import {
  findPoolIndex,
  findPoolsToRead,
  forgetUnusedPools,
  noteUsedPools,
  type PoolIndex,
} from '../../storage/token/pools.ts'
import { createRange, isChainFault } from '../block-range.ts'
import { type IndexerView, repeat } from '../chain-stream.ts'
import { advance, begin, isDayLater, type PoolReading, readBack, readUnknown, spanOf } from './volumes.ts'

interface PoolIndexOptions extends Omit<PoolReading, 'span'>, IndexerView {
  /** Reads the pools between base tokens, so that they count as used. @throws Outage */
  lookAround(blockHash: Bytes32): Promise<unknown>
  /** Limit of followed pools. */
  max: number
  log: Log
}

const unusedMs = 7 * 86_400_000
/** Maximum number of blocks in one read of logs. */
const maxRange = 1_000
/** While the indexer is further behind the head than this, pools wait. */
const maxBehind = 100
const maxPauseMs = 30_000

/**
 * Counts the logs of pools up to the indexer's checkpoint, until `signal` aborts. One process at a time may
 * run it. Never throws.
 */
export async function runPoolIndex(options: PoolIndexOptions, signal: AbortSignal): Promise<void> {
  const { network, poll, log } = options
  const what = 'the pools cannot be followed for the moment'
  await repeat(createStep(options), { poll, log, what, network: network.name }, signal)
}

/** Takes the next step. Returns whether there may be another. */
function createStep(options: PoolIndexOptions): () => Promise<boolean> {
  const { network, db, now, log, lookAround, max } = options
  const { chainId } = network
  const reading = { ...options, span: spanOf(network) }
  const ahead = createRange(maxRange)
  const back = createRange(maxRange)
  let quiet = { until: 0, failures: 0 }

  /** Follows pools between base tokens, even without requests, and stops following unused ones. */
  async function chooseAgain(at: Checkpoint): Promise<void> {
    await lookAround(at.hash)
    await forgetUnusedPools(db, chainId, { since: new Date(now() - unusedMs), max })
  }

  async function isTooOld(index: PoolIndex, at: Checkpoint): Promise<boolean> {
    if (index.block < index.fromBlock) return true
    if (at.number - index.block <= maxRange) return false
    const block = await options.chain.block(at.number)
    return block !== undefined && isDayLater(index.blockTime, block)
  }

  async function readOlder(index: PoolIndex, at: Checkpoint): Promise<boolean> {
    const pools = await findPoolsToRead(db, chainId, index.fromBlock)
    const unknown = pools.filter(({ hasReserves }) => !hasReserves)
    if (unknown.length > 0) {
      await readUnknown(reading, unknown, at)
      return true
    }
    if (pools.length === 0 || now() < quiet.until) return false
    try {
      const { fromBlock } = index
      await back.use((range) => readBack(reading, pools, { fromBlock, newest: at.number, range }))
      quiet = { until: 0, failures: 0 }
      return true
    } catch (fault) {
      if (!isChainFault(fault)) throw fault
      const failures = quiet.failures + 1
      quiet = { until: now() + Math.min(maxPauseMs, 500 * 2 ** failures), failures }
      if (failures === 1)
        log.warn('older logs of pools cannot be read for the moment', { fault: String(fault) })
      return false
    }
  }

  return async () => {
    const at = await options.indexed()
    if (!at || at.head - at.number > maxBehind) return false
    const index = await findPoolIndex(db, chainId)
    if (!index || (await isTooOld(index, at))) {
      await begin(reading, at)
      await chooseAgain(at)
      return true
    }
    if (index.block >= at.number) return readOlder(index, at)
    const newest = at.number
    await ahead.use(async (range) => {
      const to = Math.min(newest, index.block + range)
      const hash = to === newest ? at.hash : await blockHash(db, chainId, to)
      return advance(reading, index, { to, hash, newest })
    })
    const { fromBlock } = (await findPoolIndex(db, chainId)) ?? index
    if (fromBlock !== index.fromBlock) await chooseAgain(at)
    return true
  }
}

interface NoteOptions {
  db: Database
  chainId: number
  takeUsed(): readonly PoolIdentity[]
  /** Limit of followed pools. */
  max: number
  now: Clock
  log: Log
}

const intervalMs = 1_000

/** Stores which pools quotes and auctions of this process use, until `signal` aborts. Never throws. */
export async function recordUsedPools(
  { db, chainId, takeUsed, max, now, log }: NoteOptions,
  signal: AbortSignal,
): Promise<void> {
  let used: readonly PoolIdentity[] = []
  while (!signal.aborted) {
    used = used.length > 0 ? used : takeUsed()
    try {
      if (used.length > 0) await noteUsedPools(db, chainId, used, { at: new Date(now()), max })
      used = []
    } catch (fault) {
      log.warn('used pools were not stored', { chainId, fault: String(fault) })
    }
    await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
