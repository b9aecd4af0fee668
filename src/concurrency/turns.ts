import { createFairQueue } from './fair-queue.ts'

const waiting: (() => void)[] = []
let isGivingWay = false
let roundsGiven = 0
const maxRoundsGiven = 8

/** What waits for a round waits for another one, though not for many: something new came in this one. */
export function giveWay(): void {
  isGivingWay = true
}

/** Of all that waits in the process, one goes on in a round of the event loop: requests come between them. */
function nextRound(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(runOne)
  })
}

function runOne(): void {
  const gives = isGivingWay && roundsGiven < maxRoundsGiven
  isGivingWay = false
  roundsGiven = gives ? roundsGiven + 1 : 0
  if (!gives) waiting.shift()?.()
  if (waiting.length > 0) setImmediate(runOne)
}

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

const sliceMs = 1

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
