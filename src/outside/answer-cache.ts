import { createLruCache } from '../domain/derived.ts'
import type { Clock } from '../domain/log.ts'

interface AnswerCacheOptions<V> {
  /** The maximum number of entries; the least recently used ones are dropped first. */
  maxEntries: number
  now: Clock
  ttlMs(answer: V): number
}

/**
 * A cache of answers. Concurrent calls with one key share one `ask`. Answers are cached for their TTL,
 * failures are not.
 * @param isFresh asks again even if an answer is cached
 */
type AnswerCache<V> = (key: string, ask: () => Promise<V>, isFresh?: boolean) => Promise<V>

export function createAnswerCache<V>({ maxEntries, now, ttlMs }: AnswerCacheOptions<V>): AnswerCache<V> {
  const cache = createLruCache<string, { answer: Promise<V>; until: number }>({ max: maxEntries })
  return (key, ask, isFresh = false) => {
    const cached = cache.get(key)
    const isRunning = cached?.until === Number.POSITIVE_INFINITY
    if (cached && (isFresh ? isRunning : now() < cached.until)) return cached.answer
    const entry = { answer: ask(), until: Number.POSITIVE_INFINITY }
    cache.set(key, entry)
    entry.answer.then(
      (answer) => {
        entry.until = now() + ttlMs(answer)
      },
      () => {
        if (cache.peek(key) === entry) cache.delete(key)
      },
    )
    return entry.answer
  }
}
