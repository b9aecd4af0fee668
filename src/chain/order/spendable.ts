import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/log.ts'
import type { Holding, Spendable } from '../chain.ts'

/** Reads balance and allowance of an account. @throws Outage */
export type ReadSpendable = (holding: Holding) => Promise<Spendable>

/** Reads balance and allowance like `ReadSpendable`, but returns a cached value if it covers `enough`. */
export type AskSpendable = (holding: Holding, enough: bigint) => Promise<Spendable>

/**
 * The time for which a value is cached. It is shorter than the block time of most networks, so that a new
 * block is seen.
 */
const rememberedMs = 250
const maxRemembered = 10_000

/**
 * Caches values briefly, so that many orders of one trader need one read. A value below `enough` is always
 * read again before an order is refused, so that an approval that was just mined counts.
 */
export function rememberSpendable(read: ReadSpendable, now: Clock): AskSpendable {
  const remembered = new LRUCache<string, { until: number; answer: Promise<Spendable> }>({
    max: maxRemembered,
  })

  function readAnew(key: string, holding: Holding): Promise<Spendable> {
    const answer = read(holding)
    remembered.set(key, { until: now() + rememberedMs, answer })
    answer.catch(() => remembered.delete(key))
    return answer
  }

  return async (holding, enough) => {
    const key = `${holding.owner}:${holding.token}`
    const known = remembered.get(key)
    if (!known || known.until <= now()) return readAnew(key, holding)
    const { balance, allowance } = await known.answer
    return balance >= enough && allowance >= enough ? { balance, allowance } : readAnew(key, holding)
  }
}
