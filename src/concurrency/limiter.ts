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
  const queue: (() => void)[] = []
  let active = 0

  function startNext(): void {
    while (active < running) {
      const start = queue.shift()
      if (!start) return
      active++
      start()
    }
  }

  return async (work) => {
    if (queue.length >= waiting && active >= running)
      throw new Outage(what, new Error('too many wait for it'))
    await new Promise<void>((start) => {
      queue.push(start)
      startNext()
    })
    try {
      return await work()
    } finally {
      active--
      startNext()
    }
  }
}
