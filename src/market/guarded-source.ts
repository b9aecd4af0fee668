import { LRUCache } from 'lru-cache'
import type { Address } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import { createHealth, type HealthLimits } from '../outside/health.ts'
import type { TokenSource } from './token-source.ts'

export interface GuardOptions {
  now: Clock
  log: Log
}

const limits: HealthLimits = {
  failures: 5,
  pauseMs: { least: 1_000, most: 60_000 },
  backOffMs: { least: 1_000, most: 60_000 },
  atOnce: 64,
}

/** How long a source is not asked again about a token that it does not know: such requests cost as much as others. */
export const unknownMs = 1_800_000
const maxUnknownTokens = 10_000

/** The same source with a circuit breaker, a back-off after 429, and a cache of the tokens that it does not know. */
export function guardedSource<Value>(
  source: TokenSource<Value>,
  { now, log }: GuardOptions,
): TokenSource<Value> {
  const { name } = source
  const health = createHealth({ name, limits, now, log })
  const unknownTokens = new LRUCache<Address, true>({
    max: maxUnknownTokens,
    ttl: unknownMs,
    ttlResolution: 0,
    perf: { now },
  })
  return {
    name,
    isGuarded: true,
    async find(token, signal) {
      if (source.knows?.(token) === false || unknownTokens.has(token)) return undefined
      const value = await health.ask(() => source.find(token, signal))
      if (value === undefined) unknownTokens.set(token, true)
      return value
    },
  }
}
