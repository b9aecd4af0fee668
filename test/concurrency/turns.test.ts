import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTimeSlices, createTurns, yieldRound } from '../../src/concurrency/event-loop.ts'

test('work that comes at once is done in a round of the loop each, and clients take turns', async () => {
  const turn = createTurns()
  const done: string[] = []
  let round = 0
  const rounds: number[] = []
  const pending = ['many', 'many', 'many', 'one'].map(async (client) => {
    await turn(client)
    done.push(client)
    rounds.push(round)
  })
  for (; done.length < pending.length; round++) await nextRound()
  await Promise.all(pending)
  expect(done.indexOf('one')).toBeLessThan(done.lastIndexOf('many'))
  expect(new Set(rounds).size).toBe(pending.length)
})

test('of all that waits in the process one goes on in a round', async () => {
  const [one, other] = [createTurns(), createTurns()]
  let done = 0
  const pending = [one('a'), other('a'), one('b'), busyUntilItRests()].map((work) => work.then(() => done++))
  for (let before = 0; done < pending.length; before = done) {
    await nextRound()
    expect(done - before).toBeLessThanOrEqual(1)
  }
})

async function busyUntilItRests(): Promise<void> {
  const rest = createTimeSlices()
  for (let pending = rest(); ; pending = rest()) if (pending) return pending
}

test('what waits gives way to what is new, for eight rounds at most', async () => {
  let isDone = false
  const waiting = createTurns()('a').then(() => {
    isDone = true
  })
  let rounds = 0
  for (; !isDone && rounds < 100; rounds++) {
    yieldRound()
    await nextRound()
  }
  await waiting
  expect(rounds).toBeGreaterThanOrEqual(8)
  expect(rounds).toBeLessThanOrEqual(11)
})
