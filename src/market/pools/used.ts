import { LRUCache } from 'lru-cache'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { PoolPlace } from '../../domain/routing/pool.ts'

/** The pools that are read for quotes and auctions, each at most once an hour. */
export interface UsedPools {
  note(pool: PoolPlace): void
  /** Returns the pools noted since the last call, in order. */
  take(): PoolPlace[]
}

const againMs = 3_600_000
const most = 10_000

export function createUsedPools(now: Clock): UsedPools {
  const noted = new LRUCache<Address, true>({ max: most, ttl: againMs, ttlResolution: 0, perf: { now } })
  let waiting: PoolPlace[] = []
  return {
    note({ address, token0, token1 }) {
      if (waiting.length >= most || noted.has(address)) return
      noted.set(address, true)
      waiting.push({ address, token0, token1 })
    },
    take() {
      const taken = waiting
      waiting = []
      return taken
    },
  }
}
