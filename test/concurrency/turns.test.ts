import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from '../../src/concurrency/turns.ts'

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
