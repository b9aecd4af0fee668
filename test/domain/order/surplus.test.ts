import fc from 'fast-check'
import { expect, test } from 'vitest'
import { surplusToken, surplusValueDown, tradedSurplusDown } from '../../../src/domain/order/surplus.ts'
import { dollar, sampleOrder, wrapped } from '../../fakes/order.ts'

const limits = { kind: 'sell' as const, sellAmount: 10n, buyAmount: 7n }

test('a sell order’s surplus is what it bought beyond its limit, in the buy token, rounded down', () => {
  expect(surplusToken(sampleOrder({ kind: 'sell' }))).toBe(dollar)
  expect(tradedSurplusDown(limits, { sell: 10n, buy: 9n })).toBe(2n)
  // Three at 10:7 have to buy 2.1.
  expect(tradedSurplusDown(limits, { sell: 3n, buy: 5n })).toBe(2n)
})

test('a buy order’s surplus is what it did not have to sell, in the sell token, rounded down', () => {
  expect(surplusToken(sampleOrder({ kind: 'buy' }))).toBe(wrapped)
  const buying = { ...limits, kind: 'buy' as const }
  expect(tradedSurplusDown(buying, { sell: 8n, buy: 7n })).toBe(2n)
  // Two at 10:7 may cost 2.86.
  expect(tradedSurplusDown(buying, { sell: 1n, buy: 2n })).toBe(1n)
})

test('nothing traded, or traded at the limit, is no surplus; below the limit neither', () => {
  for (const kind of ['sell', 'buy'] as const) {
    expect(tradedSurplusDown({ ...limits, kind }, { sell: 0n, buy: 0n })).toBe(0n)
    expect(tradedSurplusDown({ ...limits, kind }, { sell: 10n, buy: 7n })).toBe(0n)
    expect(tradedSurplusDown({ ...limits, kind }, { sell: 10n, buy: 6n })).toBe(0n)
  }
})

test('trades told one by one never have more surplus than together', () => {
  const amount = fc.bigInt(1n, 10n ** 30n)
  const fill = fc.record({ sell: amount, buy: amount })
  fc.assert(
    fc.property(
      fc.constantFrom('sell' as const, 'buy' as const),
      amount,
      amount,
      fill,
      fill,
      (kind, sellAmount, buyAmount, one, other) => {
        const order = { kind, sellAmount, buyAmount }
        const both = { sell: one.sell + other.sell, buy: one.buy + other.buy }
        const apart = [one, other].map((part) => tradedSurplusDown(order, part))
        fc.pre(apart.every((part) => part > 0n))
        expect(tradedSurplusDown(order, both)).toBeGreaterThanOrEqual((apart[0] ?? 0n) + (apart[1] ?? 0n))
      },
    ),
  )
})

test('its value is in native atoms, rounded down', () => {
  expect(surplusValueDown(3n * 10n ** 6n, 10n ** 30n / 3_000n)).toBe(999_999_999_999_999n)
  expect(surplusValueDown(1n, 10n ** 18n - 1n)).toBe(0n)
})
