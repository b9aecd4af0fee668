import { abortable } from '../concurrency/abortable.ts'
import { createFairQueue, shareQueuedWork } from '../concurrency/fair-queue.ts'
import { createThrottledLog } from '../concurrency/throttled-log.ts'
import { createLruCache } from '../domain/derived.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { absentMs, type Sourced } from '../domain/token/sourced.ts'
import type { TokenSource } from '../market/token-source.ts'
import { OutsideFault } from '../outside/fault.ts'

/** Times in milliseconds. */
export interface FallbackLimits {
  /** How long the result of the first source is fresh. */
  freshMs: number
  /**
   * The same for a later source, used because an earlier one failed: short, so that the earlier one is soon
   * tried again.
   */
  secondBestMs: number
  /**
   * How long "no source has a value" is fresh: short, because a token can get its first pool or holder at any
   * time.
   */
  absentMs: number
  /** Maximum age of a result that is returned as stale while all sources fail. */
  staleMs: number
  /** Pause before the sources are tried again after such a failure. */
  retryMs: number
  /**
   * How long after that pause stale results are returned at once, while the sources are tried in the
   * background.
   */
  behindMs: number
  /** Time limit for all sources together, the wait for a slot included. */
  roundMs: number
  /** Minimum time limit of each source, so that none fails because this process was slow. */
  minMs: number
  /** Tokens in the cache; the least recently used are dropped first. */
  maxKnown: number
  /** Tokens requested in parallel; for one client, half of them. */
  atOnce: number
  /** Tokens in the queue; for one client, half of them. */
  maxWaiting: number
}

export const fallbackLimits: FallbackLimits = {
  freshMs: 120_000,
  secondBestMs: 10_000,
  absentMs,
  staleMs: 86_400_000,
  retryMs: 1_500,
  behindMs: 120_000,
  roundMs: 4_500,
  minMs: 250,
  maxKnown: 10_000,
  atOnce: 64,
  maxWaiting: 2_000,
}

interface FallbackOptions<Value> {
  /** Names the value in outages and log messages. */
  what: string
  /** The preferred source first. */
  sources: readonly TokenSource<Value>[]
  now: Clock
  log: Log
  limits?: Partial<FallbackLimits>
}

/** Combines several sources, for one network. */
export interface FallbackSource<Value> {
  /**
   * The value of the first source that has one. `undefined` only when all sources answered that they have
   * none. Each client has its own slots in the queue, so that a busy client does not delay others; all
   * clients share one request for a token.
   * @throws Outage when no source has a value, at least one failed, and no earlier result is left; and
   *   without any source
   */
  find(token: Address, client: string): Promise<Sourced<Value> | undefined>
  /** A fresh result from the cache, without a request. */
  peek(token: Address): Sourced<Value> | undefined
}

interface Entry<Value> {
  result: Sourced<Value> | Outage | undefined
  /** Until then it is returned without a request. */
  until: number
  /** The last value; `undefined` once all sources have none. */
  last: Sourced<Value> | undefined
}

export function createFallbackSource<Value>(options: FallbackOptions<Value>): FallbackSource<Value> {
  const { what, sources, now } = options
  const limits = { ...fallbackLimits, ...options.limits }
  const { freshMs, secondBestMs, absentMs, staleMs, retryMs, behindMs, roundMs, minMs } = limits
  const noSource = new Outage(what, 'no source is set up for this network')
  const cache = createLruCache<Address, Entry<Value>>({ max: limits.maxKnown })
  const queued = shareQueuedWork<Entry<Value>>(
    createFairQueue({
      running: shared(limits.atOnce),
      waiting: shared(limits.maxWaiting),
      waitMs: roundMs,
      refusal: (why) => new Outage(what, why),
    }),
  )
  const reasonOf = createReasons(options)

  /**
   * Tries the sources in order. Each gets an equal share of the remaining time, so that a slow source leaves
   * time for the others.
   */
  async function findInSources(token: Address, deadline: number): Promise<Entry<Value>> {
    const faults: string[] = []
    for (const [index, source] of sources.entries()) {
      try {
        const at = now()
        const share = (deadline - performance.now()) / (sources.length - index)
        const value = await findInTime(source, token, Math.max(share, minMs))
        if (value === undefined) continue
        const keepMs = faults.length === 0 ? freshMs : secondBestMs
        const last = { value, source: source.name, at, keepMs, isStale: false }
        return { result: last, last, until: at + keepMs }
      } catch (fault) {
        faults.push(`${source.name}: ${reasonOf(source.name, fault)}`)
      }
    }
    if (faults.length === 0) return { result: undefined, last: undefined, until: now() + absentMs }
    return failedEntry(token, new Outage(what, faults.join(', ')))
  }

  function failedEntry(token: Address, outage: Outage): Entry<Value> {
    const last = cache.peek(token)?.last
    return { result: asStale(last) ?? outage, last, until: now() + retryMs }
  }

  /** `undefined` when it is too old. */
  function asStale(last: Sourced<Value> | undefined): Sourced<Value> | undefined {
    return last && now() - last.at < staleMs ? { ...last, keepMs: 0, isStale: true } : undefined
  }

  /** A stale value to return without waiting, while all sources failed a moment ago. */
  function staleMeanwhile({ result, last, until }: Entry<Value>): Sourced<Value> | undefined {
    const wasStale = result !== undefined && !(result instanceof Outage) && result.isStale
    return wasStale && now() < until + behindMs ? asStale(last) : undefined
  }

  async function refresh(token: Address, since: number): Promise<Entry<Value>> {
    const entry = await findInSources(token, since + roundMs)
    cache.set(token, entry)
    return entry
  }

  /** Never rejects, because the caller may not wait for it. */
  async function queuedRefresh(token: Address, client: string): Promise<Entry<Value>> {
    try {
      return await queued(token, client, (since) => refresh(token, since))
    } catch (fault) {
      // No slot was free: that is no fact about the token, so it is not cached.
      return failedEntry(token, fault instanceof Outage ? fault : new Outage(what, reasonOf(what, fault)))
    }
  }

  return {
    async find(token, client) {
      if (sources.length === 0) throw noSource
      const cached = cache.get(token)
      if (cached && now() < cached.until) return valueOrOutage(cached)
      const refreshed = queuedRefresh(token, client)
      const stale = cached && staleMeanwhile(cached)
      return stale ?? valueOrOutage(await refreshed)
    },
    peek(token) {
      const { result, until = 0 } = cache.get(token) ?? {}
      return result && now() < until && !(result instanceof Outage) && !result.isStale ? result : undefined
    },
  }
}

function valueOrOutage<Value>({ result }: Entry<Value>): Sourced<Value> | undefined {
  if (result instanceof Outage) throw result
  return result
}

/** @throws Outage when the time is over, even if the source still runs; errors of the source */
async function findInTime<Value>(
  source: TokenSource<Value>,
  token: Address,
  ms: number,
): Promise<Value | undefined> {
  const Fault = source.isGuarded ? OutsideFault : Outage
  const late = () => new Fault(source.name, 'did not answer in time')
  const signal = AbortSignal.timeout(Math.ceil(ms))
  return abortable(source.find(token, signal), signal, late)
}

/** One client may use half of the limit, and at least one. */
function shared(max: number) {
  return { max, perKey: Math.ceil(max / 2) }
}

/** Returns the reason of a fault, without any received text, and logs the fault. */
function createReasons({ what, now, log }: Pick<FallbackOptions<unknown>, 'what' | 'now' | 'log'>) {
  const warn = createThrottledLog({ now, log })
  return (source: string, fault: unknown): string => {
    // The guard of the source has logged it.
    if (fault instanceof OutsideFault) return fault.reason
    if (fault instanceof Outage) {
      const reason = typeof fault.cause === 'string' ? fault.cause : fault.message
      warn('a token source could not say', { source, what, reason })
      return reason
    }
    log.error('a token source failed', {
      source,
      what,
      fault: fault instanceof Error ? fault.stack : fault,
    })
    return 'failed'
  }
}
