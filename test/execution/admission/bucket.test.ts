import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Allowance,
  fullAfter,
  fullAfterUse,
  heldDown,
  waitMs,
} from '../../../src/execution/admission/rate-limits.ts'

/** Ten days after the program was started. */
const start = 864_000_000
const allowance: fc.Arbitrary<Allowance> = fc
  .record({ rate: fc.integer({ min: 1, max: 1_000 }), seconds: fc.integer({ min: 1, max: 5 }) })
  .map(({ rate, seconds }) => ({ rate, burst: rate * seconds }))
const steps = fc.array(
  fc.record({ after: fc.integer({ min: 0, max: 3_000 }), amount: fc.integer({ min: 1, max: 60 }) }),
  { maxLength: 60 },
)

/** The amounts that passed, with their times. */
function run(params: { after: number; amount: number }[], by: Allowance): { at: number; amount: number }[] {
  const passed: { at: number; amount: number }[] = []
  let now = start
  let fullAt = Number.NEGATIVE_INFINITY
  for (const { after, amount } of params) {
    now += after
    const next = fullAfter(fullAt, amount, by, now)
    if (waitMs(next, by, now) > 0) continue
    fullAt = next
    passed.push({ at: now, amount })
  }
  return passed
}

test('in any window at most the refill and a full bucket pass', () => {
  fc.assert(
    fc.property(steps, allowance, (params, by) => {
      const passed = run(params, by)
      for (const [index, { at: from }] of passed.entries()) {
        let sum = 0
        for (const { at, amount } of passed.slice(index)) {
          sum += amount
          expect(sum).toBeLessThanOrEqual(by.burst + (by.rate * (at - from)) / 1_000 + 0.1)
        }
      }
    }),
  )
})

test('a full bucket can be used up one by one, and reports how much is left', () => {
  fc.assert(
    fc.property(allowance, (by) => {
      let fullAt = Number.NEGATIVE_INFINITY
      for (let taken = 1; taken <= by.burst; taken++) {
        fullAt = fullAfter(fullAt, 1, by, start)
        expect(waitMs(fullAt, by, start)).toBe(0)
        expect(heldDown(fullAt, by, start)).toBe(by.burst - taken)
      }
      const over = fullAfter(fullAt, 1, by, start)
      expect(waitMs(over, by, start)).toBeCloseTo(1_000 / by.rate, 1)
      // A client that waits for the reported time passes.
      const later = start + Math.ceil(waitMs(over, by, start))
      expect(waitMs(fullAfter(fullAt, 1, by, later), by, later)).toBe(0)
    }),
    { numRuns: 30 },
  )
})

test('a clock that was set back blocks no client', () => {
  fc.assert(
    fc.property(allowance, fc.integer({ min: 1, max: 10 ** 10 }), (by, back) => {
      const used = fullAfter(Number.NEGATIVE_INFINITY, by.burst, by, start)
      const now = start - back
      const next = fullAfter(used, 1, by, now)
      expect(waitMs(next, by, now)).toBeLessThanOrEqual(1_000 / by.rate + 0.1)
    }),
  )
})

test('later charges bring it below empty, at most by its debt', () => {
  fc.assert(
    fc.property(allowance, fc.integer({ min: 1, max: 100_000 }), (by, amount) => {
      const lending = { ...by, debt: by.burst }
      const used = fullAfterUse(Number.NEGATIVE_INFINITY, amount, lending, start)
      expect(heldDown(used, lending, start)).toBe(Math.max(0, by.burst - amount))
      const wait = waitMs(fullAfter(used, 1, lending, start), lending, start)
      const below = Math.min(amount - by.burst, by.burst)
      expect(wait).toBeCloseTo(Math.max(0, ((below + 1) * 1_000) / by.rate), 1)
    }),
  )
})

test('a refund is available again, up to a full bucket', () => {
  fc.assert(
    fc.property(allowance, fc.integer({ min: 0, max: 5_000 }), (by, later) => {
      const taken = fullAfter(Number.NEGATIVE_INFINITY, by.burst, by, start)
      const back = fullAfter(taken, 1 - by.burst, by, start + later)
      // Sums of fractions may be off by a hundredth of a millisecond.
      const refilled = Math.floor((by.rate * (later + 0.01)) / 1_000)
      expect(heldDown(back, by, start + later)).toBe(Math.min(by.burst, by.burst - 1 + refilled))
    }),
  )
})
