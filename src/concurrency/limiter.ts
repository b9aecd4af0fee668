import pLimit from 'p-limit'
import { Outage } from '../domain/errors/error.ts'

export interface Limits {
  /** What an Outage says is not to be had. */
  what: string
  running: number
  waiting: number
}

export type Limiter = <T>(work: () => Promise<T>) => Promise<T>

/** So much work at a time, in the order it came. @throws Outage at once, when too much waits already */
export function createLimiter({ what, running, waiting }: Limits): Limiter {
  const limit = pLimit(running)
  return async (work) => {
    if (limit.pendingCount >= waiting && limit.activeCount >= running)
      throw new Outage(what, new Error('too many wait for it'))
    return limit(work)
  }
}
