import { LRUCache } from 'lru-cache'
import { effectiveGasPrice, type Head } from '../../chain/transaction/fees.ts'
import type { Clock } from '../../domain/log.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import type { BlockPools, FoundPools } from './block-pools.ts'
import type { PairsAround, TokenPair } from './pairs.ts'

/** One block as looks see it. What was answered once is answered again with the same array. */
export interface View {
  block: number
  gasPrice: bigint
  pools: BlockPools
  /** When the node last said that this is the newest block, in milliseconds since 1970. */
  checkedAt: number
  /** @throws Outage */
  around(pairs: readonly TokenPair[]): Promise<readonly Pool[]>
}

export interface ViewOptions {
  head: Head
  pools: BlockPools
  now: Clock
  pairsAround: PairsAround
  /** Told now and then which pools are in use, and which pairs are asked about in vain. */
  onUse: (found: Pick<FoundPools, 'placed' | 'absent'>) => void
}

const maxAnswers = 1_000
/** Answers to larger questions are not kept. */
const maxPairs = 16
const keptForMs = 60_000

export function createView({ head, pools, now, pairsAround, onUse }: ViewOptions): View {
  const answers = new LRUCache<string, { pools: readonly Pool[]; until: number }>({ max: maxAnswers })
  return {
    block: head.number,
    gasPrice: effectiveGasPrice(head.fees),
    pools,
    checkedAt: now(),
    async around(wanted) {
      const key = wanted.length <= maxPairs ? wanted.join() : undefined
      const answer = key === undefined ? undefined : answers.get(key)
      if (answer && answer.until > now()) return answer.pools
      const found = await pools.find(pairsAround(wanted))
      onUse(found)
      if (key !== undefined)
        answers.set(key, { pools: found.pools, until: Math.min(found.knownUntil, now() + keptForMs) })
      return found.pools
    },
  }
}
