import { LRUCache } from 'lru-cache'
import type { Clock } from '../domain/log.ts'

export interface AnswerLimits<V> {
  /** The least used ones are forgotten first. */
  most: number
  now: Clock
  /** How long an answer holds, in milliseconds. */
  lastsMs(answer: V): number
}

/**
 * Asks once for each key, however many wait for it, and remembers the answer for a while. A fault is not
 * remembered.
 */
export type Answers<V> = (key: string, ask: () => Promise<V>) => Promise<V>

export function createAnswers<V>({ most, now, lastsMs }: AnswerLimits<V>): Answers<V> {
  const remembered = new LRUCache<string, { answer: Promise<V>; until: number }>({ max: most })
  return (key, ask) => {
    const known = remembered.get(key)
    if (known && now() < known.until) return known.answer
    const asked = { answer: ask(), until: Number.POSITIVE_INFINITY }
    remembered.set(key, asked)
    asked.answer.then(
      (answer) => {
        asked.until = now() + lastsMs(answer)
      },
      () => {
        if (remembered.peek(key) === asked) remembered.delete(key)
      },
    )
    return asked.answer
  }
}
