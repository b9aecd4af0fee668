import { expect, test } from 'vitest'
import { fairBatch } from '../../src/concurrency/batch.ts'

/** A run whose batches wait until they are let go, one by one. */
function open(maxWaiting = 100) {
  const batches: (readonly string[])[] = []
  const held: (() => void)[] = []
  const ask = fairBatch<string, string>(
    (items) => {
      batches.push(items)
      return new Promise((resolve, reject) => {
        held.push(() =>
          items.includes('throws')
            ? reject(new Error('the run failed'))
            : resolve(items.map((item) => (item === 'bad' ? new Error('this one') : item.toUpperCase()))),
        )
      })
    },
    { maxBatch: 4, concurrency: 1, maxWaiting, refusal: () => new Error('too many wait') },
  )
  const cycle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    batches,
    ask,
    cycle,
    async letGo() {
      held.shift()?.()
      await cycle()
      await cycle()
    },
  }
}

test('what comes together shares a run, clients in turns: who asks for much waits for it alone', async () => {
  const { batches, ask, cycle, letGo } = open()
  const many = Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'a6'].map((item) => ask('a', item)))
  const few = ask('b', 'b1')
  await cycle()
  const late = ask('c', 'c1')
  expect(batches).toEqual([['a1', 'b1', 'a2', 'a3']])
  await letGo()
  expect(await few).toBe('B1')
  expect(batches[1]).toEqual(['a4', 'c1', 'a5', 'a6'])
  await letGo()
  expect([await late, ...(await many)]).toEqual(['C1', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6'])
})

test('an error is that of its item, a throw that of its run', async () => {
  const { ask, cycle, letGo } = open()
  const first = Promise.allSettled([ask('a', 'good'), ask('a', 'bad')])
  await cycle()
  const second = Promise.allSettled([ask('a', 'good'), ask('b', 'throws')])
  await letGo()
  await letGo()
  const ended = [...(await first), ...(await second)]
  expect(ended.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    'GOOD',
    'Error: this one',
    'Error: the run failed',
    'Error: the run failed',
  ])
})

test('what is too much to wait is refused at once, and room comes back', async () => {
  const { ask, cycle, letGo } = open(2)
  const waiting = [ask('a', 'a1'), ask('a', 'a2')]
  await expect(ask('b', 'b1')).rejects.toThrow('too many wait')
  await cycle()
  const next = ask('b', 'b1')
  await letGo()
  await letGo()
  expect(await Promise.all([...waiting, next])).toEqual(['A1', 'A2', 'B1'])
})
