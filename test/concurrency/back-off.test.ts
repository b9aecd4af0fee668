import { expect, test } from 'vitest'
import { createBackOff } from '../../src/concurrency/back-off.ts'

test('each failure doubles the wait, up to the longest', () => {
  const patience = createBackOff<string>(16)
  const waits = Array.from({ length: 6 }, (_, index) => {
    const block = index * 100
    patience.fail('a', block, `reason ${index}`)
    let wait = 0
    while (patience.waiting('a', block + wait) !== undefined) wait++
    return wait
  })
  expect(waits).toEqual([2, 4, 8, 16, 16, 16])
  expect(patience.waiting('a', 500)).toBe('reason 5')
  expect(patience.waiting('b', 500)).toBeUndefined()
})

test('who is forgiven begins anew', () => {
  const patience = createBackOff<true>(64)
  for (const _ of [1, 2, 3]) patience.fail('a', 10, true)
  patience.forgive('a')
  expect(patience.waiting('a', 10)).toBeUndefined()
  patience.fail('a', 20, true)
  expect(patience.waiting('a', 21)).toBe(true)
  expect(patience.waiting('a', 22)).toBeUndefined()
})

test('a part of the wait is never less than one auction', () => {
  const patience = createBackOff<true>(64)
  for (const _ of [1, 2, 3, 4]) patience.fail('a', 0, true, 0.5)
  expect(patience.waiting('a', 7)).toBe(true)
  expect(patience.waiting('a', 8)).toBeUndefined()
  patience.fail('b', 0, true, 0)
  expect(patience.waiting('b', 1)).toBe(true)
  expect(patience.waiting('b', 2)).toBeUndefined()
})

test('a chain that lost its end does not make anybody wait longer', () => {
  const patience = createBackOff<true>(4)
  patience.fail('a', 1_000, true)
  expect(patience.waiting('a', 1_001)).toBe(true)
  expect(patience.waiting('a', 10)).toBeUndefined()
})

test('it remembers a bounded number', () => {
  const patience = createBackOff<true>(64)
  for (let index = 0; index <= 10_000; index++) patience.fail(`key ${index}`, 0, true)
  expect(patience.waiting('key 0', 1)).toBeUndefined()
  expect(patience.waiting('key 1', 1)).toBe(true)
})
