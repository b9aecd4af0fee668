import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { effectiveGasPrice, type Head } from '../../chain/transaction/fees.ts'
import { createLruCache } from '../../domain/derived.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import type { BlockPools, FoundPools } from './block-pools.ts'
import type { PairsAround, TokenPair } from './pairs.ts'

/** The market at one block. Repeated requests get the same array. */
interface View {
  block: number
  gasPrice: bigint
  pools: BlockPools
  /** The time when the node last returned this block as the newest, in milliseconds since 1970. */
  checkedAt: number
  /** Returns the pools around the pairs. @throws Outage */
  around(pairs: readonly TokenPair[]): Promise<readonly Pool[]>
}

interface ViewOptions {
  head: Head
  pools: BlockPools
  now: Clock
  pairsAround: PairsAround
  /** Reports the pairs in use, with and without a pool. Requests answered from the cache are not reported. */
  onUse: (found: Pick<FoundPools, 'placed' | 'absent'>) => void
}

const maxAnswers = 1_000
/** The maximum number of pairs of a cached answer. */
const maxPairs = 16
const cachedForMs = 60_000

export function createView({ head, pools, now, pairsAround, onUse }: ViewOptions): View {
  const cache = createLruCache<string, { pools: readonly Pool[]; validUntil: number }>({ max: maxAnswers })
  return {
    block: head.number,
    gasPrice: effectiveGasPrice(head.fees),
    pools,
    checkedAt: now(),
    async around(pairs) {
      const key = pairs.length <= maxPairs ? pairs.join() : undefined
      const cached = key === undefined ? undefined : cache.get(key)
      if (cached && cached.validUntil > now()) return cached.pools
      const found = await pools.find(pairsAround(pairs))
      onUse(found)
      if (key !== undefined)
        cache.set(key, { pools: found.pools, validUntil: Math.min(found.validUntil, now() + cachedForMs) })
      return found.pools
    },
  }
}

/** The view of the newest block, replaced atomically. */
export interface ChainHead {
  /** Returns the view from memory while the last check is fresh, otherwise like `check`. @throws Outage */
  view(): Promise<View>
  /**
   * Reads the head and returns its view. Concurrent callers share the read.
   * @param unreadable a view whose block could not be read: a lower block may replace it at once
   * @throws Outage
   */
  check(unreadable?: View): Promise<View>
  /** Reads the head, and prepares the view of a new block before serving it. @throws Outage */
  advance(prepare: (view: View) => Promise<unknown>): Promise<void>
  /** The served view, and the view in preparation. */
  views(): View[]
}

interface ChainHeadOptions {
  readHead: () => Promise<Head>
  createView: (head: Head) => View
  now: Clock
  /**
   * The age from which a view is checked before it is served. Until then a lower block counts as that of a
   * lagging node.
   */
  staleMs: number
}

export function createChainHead({ readHead, createView, now, staleMs }: ChainHeadOptions): ChainHead {
  let latest: View | undefined
  let served: View | undefined
  let prepared: View | undefined
  let unreadableView: View | undefined
  let pendingHead: Promise<View> | undefined

  async function loadHead(): Promise<View> {
    const head = await readHead()
    if (latest && head.number < latest.block && latest !== unreadableView && isFresh(latest)) return latest
    unreadableView = undefined
    if (latest?.pools.blockHash !== head.hash) latest = createView(head)
    latest.checkedAt = now()
    return latest
  }

  function readSharedHead(): Promise<View> {
    pendingHead ??= loadHead().finally(() => {
      pendingHead = undefined
    })
    return pendingHead
  }

  /**
   * Reports whether a view is fresh. After the clock was set back a view is stale; otherwise it could stay
   * fresh for a long time.
   */
  function isFresh({ checkedAt }: View): boolean {
    const age = now() - checkedAt
    return age >= 0 && age < staleMs
  }

  async function check(unreadable?: View): Promise<View> {
    unreadableView = unreadable ?? unreadableView
    served = await readSharedHead()
    return served
  }

  return {
    view: async () => (served && isFresh(served) ? served : check()),
    check,
    async advance(prepare) {
      const view = await readSharedHead()
      if (view === prepared) return
      await prepare(view)
      // A concurrent `check` may have found a newer block meanwhile.
      if (view === latest) served = prepared = view
    },
    views: () => [latest, served].filter((view) => view !== undefined),
  }
}

export interface PollOptions {
  /** Reads the pools of the newest block. */
  advance: () => Promise<void>
  /** Reports whether no client has requested pools lately, so that the node is not polled. */
  isIdle: () => boolean
  pollMs: number
  log: Log
}

const maxPauseMs = 5_000

/**
 * Polls until `signal` aborts, and then ends at once. Logs faults, with a back-off. The timers do not keep
 * the process alive.
 */
export async function pollPools(options: PollOptions, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await Promise.race([run(options, signal), once(signal, 'abort')])
}

async function run({ advance, isIdle, pollMs, log }: PollOptions, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      if (!isIdle()) {
        await advance()
        if (failures > 0) log.info('the pools are read again', { failures })
        failures = 0
      }
    } catch (fault) {
      if (failures++ === 0) log.warn('the pools could not be read', { fault: String(fault) })
    }
    const pauseMs = Math.min(Math.max(pollMs, maxPauseMs), pollMs * 2 ** failures)
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
