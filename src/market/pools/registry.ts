import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'

/**
 * Where the pools of pairs are, by the pair's key: for ever when there is one, for a minute when there is
 * none.
 */
export interface PoolRegistry {
  /** `undefined` when it has to be looked up: now, or within `aheadMs`. */
  find(key: string, aheadMs?: number): PoolEntry | undefined
  note(key: string, pool: Address | undefined): void
}

export interface PoolEntry {
  pool: Address | undefined
  /** Milliseconds since 1970. */
  knownUntil: number
}

const absentForMs = 60_000
const maxPairs = 50_000

export function createPoolRegistry(now: Clock): PoolRegistry {
  const entries = new LRUCache<string, PoolEntry>({ max: maxPairs })
  return {
    find(key, aheadMs = 0) {
      const entry = entries.get(key)
      return entry && entry.knownUntil > now() + aheadMs ? entry : undefined
    },
    note(key, pool) {
      entries.set(key, { pool, knownUntil: pool ? Number.POSITIVE_INFINITY : now() + absentForMs })
    },
  }
}
