import { expect, test } from 'vitest'
import { createLimiter } from '../../src/concurrency/limiter.ts'
import { Outage } from '../../src/domain/errors/error.ts'

test('a bounded number runs at a time, in order; the excess is refused at once, by its name', async () => {
  const inTurn = createLimiter({ what: 'the cook', running: 2, waiting: 2 })
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (name: string) =>
    inTurn(
      () =>
        new Promise<string>((resolve) => {
          begun.push(name)
          ends.push(() => resolve(name))
        }),
    )
  const all = ['a', 'b', 'c', 'd'].map(ask)
  const refusal = await ask('e').catch((fault: unknown) => fault)
  expect(refusal).toBeInstanceOf(Outage)
  expect(refusal).toMatchObject({
    message: 'the cook is unavailable',
    cause: { message: 'too many wait for it' },
  })
  expect(begun).toEqual(['a', 'b'])
  ends[1]?.()
  await all[1]
  await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
  all.push(ask('f'))
  for (const index of [0, 2, 3, 4]) {
    await expect.poll(() => ends.length).toBeGreaterThan(index)
    ends[index]?.()
  }
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'f'])
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'f'])
})

test('work that fails makes room', async () => {
  const inTurn = createLimiter({ what: 'the cook', running: 1, waiting: 0 })
  await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await inTurn(async () => 'next')).toBe('next')
})
