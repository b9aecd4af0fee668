import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'

/**
 * The addresses of pools by the pair's key. An address never expires; the absence of a pool expires after a
 * minute.
 */
export interface PoolRegistry {
  /** Returns the entry; undefined if the pair must be looked up now, or within `aheadMs`. */
  find(key: string, aheadMs?: number): PoolEntry | undefined
  note(key: string, pool: Address | undefined): void
}

export interface PoolEntry {
  pool: Address | undefined
  /** The expiry in milliseconds since 1970. */
  validUntil: number
}

const absentForMs = 60_000
const maxPairs = 50_000

export function createPoolRegistry(now: Clock): PoolRegistry {
  const entries = new LRUCache<string, PoolEntry>({ max: maxPairs })
  return {
    find(key, aheadMs = 0) {
      const entry = entries.get(key)
      return entry && entry.validUntil > now() + aheadMs ? entry : undefined
    },
    note(key, pool) {
      entries.set(key, { pool, validUntil: pool ? Number.POSITIVE_INFINITY : now() + absentForMs })
    },
  }
}
