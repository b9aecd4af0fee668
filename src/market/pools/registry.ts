import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'

/**
 * Where the pools of pairs are, by the pair's key: for ever when there is one, for a minute when there is
 * none.
 */
export interface PairBook {
  /** `undefined` when it has to be looked up: now, or within `aheadMs`. */
  find(key: string, aheadMs?: number): Place | undefined
  note(key: string, pool: Address | undefined): void
}

export interface Place {
  pool: Address | undefined
  /** Milliseconds since 1970. */
  knownUntil: number
}

const absentForMs = 60_000
const mostPairs = 50_000

export function createPairBook(now: Clock): PairBook {
  const places = new LRUCache<string, Place>({ max: mostPairs })
  return {
    find(key, aheadMs = 0) {
      const place = places.get(key)
      return place && place.knownUntil > now() + aheadMs ? place : undefined
    },
    note(key, pool) {
      places.set(key, { pool, knownUntil: pool ? Number.POSITIVE_INFINITY : now() + absentForMs })
    },
  }
}
