import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createFairQueue, type FairQueueLimits, shareQueuedWork } from '../../src/concurrency/fair-queue.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const usual: FairQueueLimits = {
  running: { max: 2, perKey: 1 },
  waiting: { max: 9, perKey: 9 },
  refusal: (why) => new Error(why),
}

/** Work that the test ends, and that records the order in which it began. Its key is its first letter. */
function start(limits: Partial<FairQueueLimits> = {}) {
  const inTurn = createFairQueue({ ...usual, ...limits })
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name)
      ends.set(name, () => resolve(name))
    })
  return {
    begun,
    inTurn,
    work,
    ask: (name: string) => inTurn(work(name))(name.slice(0, 1)),
    async end(name: string) {
      ends.get(name)?.()
      await new Promise(setImmediate)
    },
  }
}

test('a bounded number runs at a time, a bounded number of each key, and slots go round the keys', async () => {
  const { ask, begun, end } = start({ running: { max: 3, perKey: 2 } })
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'].map(ask)
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'a4', 'b3']) await end(name)
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'c1', 'a4', 'b3'])
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'c1'])
})

test('a task is refused at once if too many wait, in all or of its key', async () => {
  const { ask, end } = start({ running: { max: 1, perKey: 1 }, waiting: { max: 3, perKey: 2 } })
  const all = ['a1', 'a2', 'a3'].map(ask)
  await expect(ask('a4')).rejects.toThrow('too many wait for it')
  all.push(ask('b1'))
  await expect(ask('c1')).rejects.toThrow('too many wait for it')
  for (const name of ['a1', 'a2', 'b1', 'a3']) await end(name)
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1'])
  const later = ask('c1')
  await end('c1')
  expect(await later).toBe('c1')
})

test('work that fails frees its slot', async () => {
  const inTurn = createFairQueue({ ...usual, running: { max: 1, perKey: 1 } })
  await expect(inTurn(() => Promise.reject(new Error('no')))('a')).rejects.toThrow('no')
  expect(await inTurn(async () => 'next')('a')).toBe('next')
})

test('no task waits longer than the limit, and one that gave up holds no place', async () => {
  const { ask, begun, end } = start({ waiting: { max: 1, perKey: 1 }, waitMs: 100 })
  const first = ask('a1')
  const tired = ask('a2').catch(String)
  vi.advanceTimersByTime(100)
  expect(await tired).toBe('Error: no slot was free in time')
  const patient = ask('a3')
  vi.advanceTimersByTime(99)
  await end('a1')
  vi.advanceTimersByTime(1)
  await end('a3')
  expect(await Promise.all([first, patient])).toEqual(['a1', 'a3'])
  expect(begun).toEqual(['a1', 'a3'])
})

describe('shared work', () => {
  const waitMs = 100

  test('begins in the first slot of any waiting caller, and is done once for all', async () => {
    const { ask, begun, inTurn, work, end } = start({ waitMs })
    const once = shareQueuedWork<string>(inTurn)
    const busy = [ask('a1'), ask('a2'), ask('b1')]
    const shared = ['a', 'c', 'c'].map((key) => once('it', key, work('it')))
    expect(begun).toEqual(['a1', 'b1'])
    await end('b1')
    expect(begun).toEqual(['a1', 'b1', 'it'])
    shared.push(once('it', 'd', work('another')))
    await end('it')
    expect(await Promise.all(shared)).toEqual(['it', 'it', 'it', 'it'])
    const again = once('it', 'd', work('again'))
    for (const name of ['again', 'a1', 'a2']) await end(name)
    expect(await again).toBe('again')
    expect(await Promise.all(busy)).toEqual(['a1', 'a2', 'b1'])
    expect(begun).toEqual(['a1', 'b1', 'it', 'again', 'a2'])
  })

  test('is waited for by each caller up to the limit, and is dropped when all gave up', async () => {
    const { ask, begun, inTurn, work, end } = start({ running: { max: 1, perKey: 1 }, waitMs })
    const since: number[] = []
    const once = shareQueuedWork<string>(inTurn)
    const wait = (key: string, name: string) =>
      once('it', key, (at) => {
        since.push(at)
        return work(name)()
      })
    const busy = ask('z1')
    const early = wait('a', 'early').catch(String)
    vi.advanceTimersByTime(60)
    const late = wait('b', 'late')
    const lateSince = performance.now()
    vi.advanceTimersByTime(40)
    expect(await early).toMatch('no slot was free in time')
    await end('z1')
    await end('early')
    expect([await busy, await late]).toEqual(['z1', 'early'])
    expect(since).toEqual([lateSince])

    const busyAgain = ask('z2')
    const forgotten = wait('a', 'forgotten').catch(String)
    vi.advanceTimersByTime(waitMs)
    expect(await forgotten).toMatch('no slot was free in time')
    const anew = wait('a', 'anew')
    await end('z2')
    await end('anew')
    expect([await busyAgain, await anew]).toEqual(['z2', 'anew'])
    expect(begun).toEqual(['z1', 'early', 'z2', 'anew'])
  })
})
