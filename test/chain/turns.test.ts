import { expect, test } from 'vitest'
import { createTurns } from '../../src/chain/turns.ts'

/** Work that ends when it is told to, and says in which order it began. */
function createWork() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

test('some run at a time, one of each key, in the order they came', async () => {
  const turn = createTurns({ running: 2, waiting: 9, waitingPerKey: 9 })
  const { begun, work, end } = createWork()
  const all = ['a1', 'a2', 'b1', 'c1'].map((name) => turn(name.slice(0, 1), work(name)))
  await Promise.resolve()
  expect(begun).toEqual(['a1', 'b1'])
  end('b1')
  await all[2]
  await Promise.resolve()
  expect(begun).toEqual(['a1', 'b1', 'c1'])
  end('a1')
  await all[0]
  await Promise.resolve()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2'])
  end('a2')
  end('c1')
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'b1', 'c1'])
})

test('who comes when too many wait, or too many of his own, is told to come later', async () => {
  const turn = createTurns({ running: 1, waiting: 3, waitingPerKey: 2 })
  const { work, end } = createWork()
  const first = turn('a', work('a1'))
  const waiting = [turn('a', work('a2')), turn('a', work('a3'))]
  await expect(turn('a', work('a4'))).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'too many wait for their wallets or hooks: try again later',
  })
  waiting.push(turn('b', work('b1')))
  await expect(turn('c', work('c1'))).rejects.toMatchObject({ code: 'Unavailable' })
  for (const name of ['a1', 'a2', 'a3', 'b1']) {
    end(name)
    await Promise.race([first, ...waiting])
    await new Promise(setImmediate)
  }
  expect(await Promise.all(waiting)).toEqual(['a2', 'a3', 'b1'])
})

test('work that fails ends its turn', async () => {
  const turn = createTurns({ running: 1, waiting: 1, waitingPerKey: 1 })
  await expect(turn('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await turn('a', async () => 'next')).toBe('next')
})
