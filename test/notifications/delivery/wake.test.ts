import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createInterruptibleWait } from '../../../src/notifications/delivery/deliver.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Whether it has ended. */
function watch(waiting: Promise<void>) {
  const seen = { hasEnded: false }
  void waiting.then(() => {
    seen.hasEnded = true
  })
  return seen
}

test('a wait ends with its time', async () => {
  const wake = createInterruptibleWait(new AbortController().signal)
  const seen = watch(wake.wait(1_000))
  await vi.advanceTimersByTimeAsync(999)
  expect(seen.hasEnded).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(seen.hasEnded).toBe(true)
})

test('a signal ends a wait, and leaves no timer', async () => {
  const wake = createInterruptibleWait(new AbortController().signal)
  const seen = watch(wake.wait(1_000))
  wake.now()
  await vi.advanceTimersByTimeAsync(0)
  expect(seen.hasEnded).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})

test('a signal without a waiter ends the next wait, and only that', async () => {
  const wake = createInterruptibleWait(new AbortController().signal)
  wake.now()
  wake.now()
  const first = watch(wake.wait(1_000))
  await vi.advanceTimersByTimeAsync(0)
  expect(first.hasEnded).toBe(true)
  const second = watch(wake.wait(1_000))
  await vi.advanceTimersByTimeAsync(999)
  expect(second.hasEnded).toBe(false)
})

test('the end of the process ends a wait', async () => {
  const stopping = new AbortController()
  const wake = createInterruptibleWait(stopping.signal)
  const seen = watch(wake.wait(1_000))
  stopping.abort()
  await vi.advanceTimersByTimeAsync(0)
  expect(seen.hasEnded).toBe(true)
})
