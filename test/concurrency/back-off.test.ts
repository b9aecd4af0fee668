import { expect, test } from 'vitest'
import { createBackOff } from '../../src/concurrency/back-off.ts'

test('each failure doubles the wait, up to the maximum', () => {
  const backOff = createBackOff<string>(16)
  const waits = Array.from({ length: 6 }, (_, index) => {
    const block = index * 100
    backOff.fail('a', block, `reason ${index}`)
    let wait = 0
    while (backOff.waiting('a', block + wait) !== undefined) wait++
    return wait
  })
  expect(waits).toEqual([2, 4, 8, 16, 16, 16])
  expect(backOff.waiting('a', 500)).toBe('reason 5')
  expect(backOff.waiting('b', 500)).toBeUndefined()
})

test('after forgive the wait starts anew', () => {
  const backOff = createBackOff<true>(64)
  for (const _ of [1, 2, 3]) backOff.fail('a', 10, true)
  backOff.forgive('a')
  expect(backOff.waiting('a', 10)).toBeUndefined()
  backOff.fail('a', 20, true)
  expect(backOff.waiting('a', 21)).toBe(true)
  expect(backOff.waiting('a', 22)).toBeUndefined()
})

test('a part of the wait is never less than one auction', () => {
  const backOff = createBackOff<true>(64)
  for (const _ of [1, 2, 3, 4]) backOff.fail('a', 0, true, 0.5)
  expect(backOff.waiting('a', 7)).toBe(true)
  expect(backOff.waiting('a', 8)).toBeUndefined()
  backOff.fail('b', 0, true, 0)
  expect(backOff.waiting('b', 1)).toBe(true)
  expect(backOff.waiting('b', 2)).toBeUndefined()
})

test('a chain that lost its newest blocks does not extend the wait', () => {
  const backOff = createBackOff<true>(4)
  backOff.fail('a', 1_000, true)
  expect(backOff.waiting('a', 1_001)).toBe(true)
  expect(backOff.waiting('a', 10)).toBeUndefined()
})

test('the number of keys is bounded', () => {
  const backOff = createBackOff<true>(64)
  for (let index = 0; index <= 10_000; index++) backOff.fail(`key ${index}`, 0, true)
  expect(backOff.waiting('key 0', 1)).toBeUndefined()
  expect(backOff.waiting('key 1', 1)).toBe(true)
})
