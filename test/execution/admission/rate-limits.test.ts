import { expect, test } from 'vitest'
import { createRateLimits, noCharge, oneRead } from '../../../src/execution/admission/rate-limits.ts'
import { refusalHeaders } from '../../../src/execution/http/error-response.ts'

const rates = { reads: 50, quotes: 10, orders: 5 }
const anOrder = { ...noCharge, orders: 1 }

test('the idlest client is evicted, never the one of the request', () => {
  const limits = createRateLimits({ ...rates, reads: 1 }, () => 0, { clientLimit: 2 })
  const take = (client: string) => limits.take(client, oneRead)?.exceededKind
  expect([take('a'), take('b'), take('a'), take('a')]).toEqual([undefined, undefined, undefined, 'reads'])
  // A third client takes the place of b, the idlest.
  expect(take('c')).toBeUndefined()
  expect(take('a')).toBe('reads')
  expect([take('b'), take('b'), take('b')]).toEqual([undefined, undefined, 'reads'])
})

test('a request of several kinds is counted in all of them or in none', () => {
  const limits = createRateLimits(rates, () => 0)
  const both = { ...noCharge, quotes: 1, orders: 1 }
  for (let count = 0; count < 10; count++) limits.take('a', anOrder)
  expect(limits.take('a', both)).toMatchObject({
    exceededKind: 'orders',
    policy: '"quotes";q=20;w=2, "orders";q=10;w=2',
    state: '"quotes";r=20;t=0, "orders";r=0;t=2',
  })
})

test('a stream waits while less than half of the burst is left, and requests have that half', () => {
  let at = 0
  const limits = createRateLimits({ ...rates, reads: 10 }, () => at)
  expect(limits.spend('a', 10)).toBe(0)
  expect(limits.spend('a', 1)).toBeCloseTo(100)
  for (let count = 0; count < 9; count++) expect(limits.take('a', oneRead)?.refusal).toBeUndefined()
  expect(limits.take('a', oneRead)?.exceededKind).toBe('reads')
  // However much it used, it waits for a bounded time.
  expect(limits.spend('a', 1_000)).toBeCloseTo(3_000)
  at += 3_000
  expect(limits.spend('a', 0)).toBe(0)
  expect(createRateLimits({ ...rates, reads: 0 }, () => at).spend('a', 1_000)).toBe(0)
})

test('an unlimited kind is not counted', () => {
  const limits = createRateLimits({ reads: 0, quotes: 10, orders: 0 }, () => 0)
  expect(limits.take('a', { ...noCharge, reads: 1_000, orders: 1_000 })).toBeUndefined()
})

test.each([
  [undefined, '1'],
  [1, '1'],
  [1_000, '1'],
  [1_001, '2'],
])('Retry-After for a wait of %d ms is in whole seconds, rounded up: %s', (retryAfterMs, retryAfter) => {
  const extensions = { retryable: true, data: { retryAfterMs } }
  expect(refusalHeaders(429, extensions)).toEqual({ 'Retry-After': retryAfter })
})
