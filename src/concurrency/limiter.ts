import pLimit from 'p-limit'
import { Outage } from '../domain/errors/error.ts'

interface Limits {
  /** The name of the unavailable part, for the Outage. */
  what: string
  running: number
  waiting: number
}

type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Creates a limiter that runs `running` pieces of work at a time, first in, first out.
 * @throws Outage at once if the queue is full
 */
export function createLimiter({ what, running, waiting }: Limits): Limiter {
  const limit = pLimit(running)
  return async (work) => {
    if (limit.pendingCount >= waiting && limit.activeCount >= running)
      throw new Outage(what, new Error('too many wait for it'))
    return limit(work)
  }
}
