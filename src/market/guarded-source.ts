import { batch } from '../concurrency/batch.ts'
import { createLruCache } from '../domain/derived.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { createHealth, type HealthLimits } from '../outside/health.ts'
import type { TokenSource } from './token-source.ts'

interface GuardOptions {
  now: Clock
  log: Log
}

const limits: HealthLimits = {
  failures: 5,
  pauseMs: { min: 1_000, max: 60_000 },
  backOffMs: { min: 1_000, max: 60_000 },
  atOnce: 64,
}

/**
 * The time for which a source is not asked again about an unknown token: such requests cost as much as
 * others.
 */
export const unknownMs = 1_800_000
const maxUnknownTokens = 10_000

/**
 * The concurrent calls to a source that takes several tokens at a time. Tokens that arrive meanwhile share
 * the next call.
 */
const callsAtOnce = 8

interface PendingRequest {
  token: Address
  signal: AbortSignal
}

/**
 * Wraps a source with a circuit breaker, a back-off after 429, and a cache of tokens that it does not know.
 * If the source takes several tokens in a call, simultaneous requests share one: a failed call counts once.
 */
export function guardedSource<Value>(
  source: TokenSource<Value>,
  { now, log }: GuardOptions,
): TokenSource<Value> {
  const { name } = source
  const health = createHealth({ name, limits, now, log })
  const unknownTokens = createLruCache<Address, true>({
    max: maxUnknownTokens,
    ttl: unknownMs,
    ttlResolution: 0,
    perf: { now },
  })
  const { several } = source
  const findOne = ({ token, signal }: PendingRequest) => health.ask(() => source.find(token, signal))
  const find = several
    ? batch(
        (asked: readonly PendingRequest[]) => {
          const signal = whenAllAbort(asked.map((one) => one.signal))
          return health.ask(() =>
            several.find(
              asked.map(({ token }) => token),
              signal,
            ),
          )
        },
        { maxBatch: several.max, concurrency: callsAtOnce },
      )
    : findOne
  return {
    name,
    isGuarded: true,
    async find(token, signal) {
      if (source.knows?.(token) === false || unknownTokens.has(token)) return undefined
      const value = await find({ token, signal })
      if (value === undefined) unknownTokens.set(token, true)
      return value
    },
  }
}

/** Returns a signal that aborts when no caller waits any more. */
function whenAllAbort(signals: readonly AbortSignal[]): AbortSignal {
  const controller = new AbortController()
  let waiting = signals.length
  const onAbort = () => {
    if (--waiting === 0) controller.abort()
  }
  for (const signal of signals) {
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  }
  return controller.signal
}
