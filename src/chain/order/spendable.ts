import { LRUCache } from 'lru-cache'
import type { Clock } from '../../domain/log.ts'
import type { Holding, Spendable } from '../chain.ts'

/** Reads what one account could spend of a token. Throws Outage as the chain does. */
export type ReadSpendable = (holding: Holding) => Promise<Spendable>

/** The same, where an answer from a moment ago will do if it covers `enough`. */
export type AskSpendable = (holding: Holding, enough: bigint) => Promise<Spendable>

/** Less than a block lasts on most networks, so that what was just mined is seen. */
const rememberedMs = 250
const maxRemembered = 10_000

/**
 * Remembers answers for a moment: a trader who places many orders is asked about once. An answer is only taken from memory where
 * it is enough: whoever is to be told that it is not has been asked anew, so that an approval mined a moment ago counts.
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
