import { createFairQueue } from './fair-queue.ts'

const waiting: (() => void)[] = []
let isYielding = false
let roundsYielded = 0
const maxRoundsYielded = 8

/** Makes the waiting work wait for another round, though not for many: new work arrived in this round. */
export function yieldRound(): void {
  isYielding = true
}

/**
 * Waits for a round. In each round of the event loop one waiter of the process continues, so that requests
 * run between them.
 */
function nextRound(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(runOne)
  })
}

function runOne(): void {
  const gives = isYielding && roundsYielded < maxRoundsYielded
  isYielding = false
  roundsYielded = gives ? roundsYielded + 1 : 0
  if (!gives) waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runOne)
}

/**
 * Resolves in a later round of the event loop in which no other waiter was called, so that work that arrived
 * meanwhile runs first.
 */
type Turn = (client: string) => Promise<void>

/**
 * Spreads simultaneous work over rounds of the event loop, one piece each, with clients in turn. It never
 * refuses.
 */
export function createTurns(): Turn {
  const unlimited = { max: Number.POSITIVE_INFINITY, perKey: Number.POSITIVE_INFINITY }
  const enqueue = createFairQueue({
    running: { max: 1, perKey: 1 },
    waiting: unlimited,
    refusal: (why) => new Error(why),
  })
  return (client) => enqueue(() => nextRound())(client)
}

const sliceMs = 1

/**
 * Creates a function for work of many pieces. Await its result after each piece: the function yields to other
 * work whenever the work took a while.
 */
export function createTimeSlices(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < sliceMs) return undefined
    return nextRound().then(() => {
      began = performance.now()
    })
  }
}
