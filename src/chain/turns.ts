import { Refusal } from '../domain/error.ts'

export interface TurnLimits {
  /** Of different keys. One key has one turn at a time. */
  running: number
  waiting: number
  waitingPerKey: number
}

export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Turns for the code of orders, which strangers can make slow: one of them holds up himself, and all of them together a bounded
 * part.
 * @throws Refusal Unavailable, when too many wait already
 */
export function createTurns({ running, waiting, waitingPerKey }: TurnLimits): Turns {
  const active = new Set<string>()
  const queue: { key: string; start: () => void }[] = []

  function startNext(): void {
    while (active.size < running) {
      const index = queue.findIndex(({ key }) => !active.has(key))
      const turn = queue[index]
      if (!turn) return
      queue.splice(index, 1)
      active.add(turn.key)
      turn.start()
    }
  }

  return async (key, work) => {
    const own = queue.filter((turn) => turn.key === key).length
    if (queue.length >= waiting || own >= waitingPerKey) {
      throw new Refusal('Unavailable', 'too many wait for their wallets or hooks: try again later')
    }
    await new Promise<void>((start) => {
      queue.push({ key, start })
      startNext()
    })
    try {
      return await work()
    } finally {
      active.delete(key)
      startNext()
    }
  }
}
