import { LRUCache } from 'lru-cache'
import { effectiveGasPrice, type Head } from '../../chain/transaction/fees.ts'
import type { Clock } from '../../domain/log.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import type { BlockPools, FoundPools } from './block-pools.ts'
import type { PairsAround, TokenPair } from './pairs.ts'

/** The market at one block. Repeated requests get the same array. */
export interface View {
  block: number
  gasPrice: bigint
  pools: BlockPools
  /** The time when the node last returned this block as the newest, in milliseconds since 1970. */
  checkedAt: number
  /** Returns the pools around the pairs. @throws Outage */
  around(pairs: readonly TokenPair[]): Promise<readonly Pool[]>
}

export interface ViewOptions {
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
  const cache = new LRUCache<string, { pools: readonly Pool[]; validUntil: number }>({ max: maxAnswers })
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
