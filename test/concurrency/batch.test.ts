import { expect, test } from 'vitest'
import { batch } from '../../src/concurrency/batch.ts'

/** A run that the test ends; `runs` holds the input of each. */
function heldRuns() {
  const runs: { items: readonly number[]; end(): void }[] = []
  const run = (items: readonly number[]) =>
    new Promise<number[]>((resolve) => {
      runs.push({ items, end: () => resolve(items.map((item) => item * 10)) })
    })
  return { run, runs }
}

const turn = () => new Promise((done) => setImmediate(() => setImmediate(done)))

test('items of one tick form a batch, and a single item does not wait', async () => {
  const { run, runs } = heldRuns()
  const ask = batch(run, { maxBatch: 100, concurrency: 1 })
  const answers = Promise.all([ask(1), ask(2), ask(1)])
  await turn()
  expect(runs.map(({ items }) => items)).toEqual([[1, 2, 1]])
  runs[0]?.end()
  expect(await answers).toEqual([10, 20, 10])
})

test('items that arrive while the runs are under way form the next batch', async () => {
  const { run, runs } = heldRuns()
  const ask = batch(run, { maxBatch: 100, concurrency: 2 })
  const answers: Promise<number>[] = []
  for (const item of [1, 2, 3, 4, 5]) {
    answers.push(ask(item))
    await turn()
  }
  expect(runs.map(({ items }) => items)).toEqual([[1], [2]])
  runs[1]?.end()
  await turn()
  expect(runs[2]?.items).toEqual([3, 4, 5])
  runs[0]?.end()
  runs[2]?.end()
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50])
})

test('a run has a bounded number of items; the others follow', async () => {
  const { run, runs } = heldRuns()
  const ask = batch(run, { maxBatch: 2, concurrency: 1 })
  const answers = Promise.all([1, 2, 3, 4, 5].map(ask))
  for (const index of [0, 1, 2]) {
    await turn()
    expect(runs).toHaveLength(index + 1)
    runs[index]?.end()
  }
  expect(await answers).toEqual([10, 20, 30, 40, 50])
  expect(runs.map(({ items }) => items)).toEqual([[1, 2], [3, 4], [5]])
})

test('an error in an item’s place is its own, a throw is that of all items, and later batches go on', async () => {
  const ask = batch(
    async (items: readonly number[]) => {
      if (items.includes(13)) throw new Error('all of it')
      return items.map((item) => (item === 2 ? new Error('only this') : item))
    },
    { maxBatch: 100, concurrency: 1 },
  )
  const settled = await Promise.allSettled([ask(1), ask(2), ask(3)])
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  const failed = await Promise.allSettled([ask(13), ask(4)])
  expect(failed.map((result) => result.status === 'rejected' && result.reason.message)).toEqual([
    'all of it',
    'all of it',
  ])
  expect(await ask(5)).toBe(5)
})
