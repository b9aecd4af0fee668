import { expect, test } from 'vitest'
import { createWake } from '../../src/concurrency/wake.ts'

const long = 60_000
const { signal } = new AbortController()

test('a pause ends when it is woken, and one before it counts once', async () => {
  const wake = createWake()
  const waiting = wake.pause(long, signal)
  wake.wake()
  expect(await waiting).toBe(true)
  wake.wake()
  expect(await wake.pause(long, signal)).toBe(true)
  expect(await wake.pause(1, signal)).toBe(false)
})

test('a pause ends when its signal aborts', async () => {
  const stopping = new AbortController()
  const waiting = createWake().pause(long, stopping.signal)
  stopping.abort()
  expect(await waiting).toBe(false)
  expect(await createWake().pause(long, stopping.signal)).toBe(false)
})
