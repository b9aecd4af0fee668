import { setImmediate as nextRound } from 'node:timers/promises'
import { createFairQueue } from './fair-queue.ts'

/** Resolves in a later round of the event loop, in which no other waiter was called: what came meanwhile ran first. */
type Turn = (client: string) => Promise<void>

/** Spreads work that comes all at once over rounds of the event loop, a piece each, the clients in turns. It never refuses. */
export function createTurns(): Turn {
  const unlimited = { most: Number.POSITIVE_INFINITY, perKey: Number.POSITIVE_INFINITY }
  const enqueue = createFairQueue({
    running: { most: 1, perKey: 1 },
    waiting: unlimited,
    refusal: (why) => new Error(why),
  })
  return (client) => enqueue(() => nextRound())(client)
}

const sliceMs = 2

/** For work of many pieces. What it returns is awaited after each one: it lets others run whenever the work took a while. */
export function createRests(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < sliceMs) return undefined
    return nextRound().then(() => {
      began = performance.now()
    })
  }
}
