import fc from 'fast-check'
import { expect, test } from 'vitest'
import { surplusToken } from '../../../src/domain/order/surplus.ts'
import { dollar, sampleOrder, wrapped } from '../../fakes/order.ts'
import { surplusValueDown, tradedSurplusDown } from '../../fakes/order-value.ts'

const limits = { kind: 'sell' as const, sellAmount: 10n, buyAmount: 7n }

test('a sell order’s surplus is the amount bought beyond its limit, in the buy token, rounded down', () => {
  expect(surplusToken(sampleOrder({ kind: 'sell' }))).toBe(dollar)
  expect(tradedSurplusDown(limits, { sell: 10n, buy: 9n })).toBe(2n)
  // The limit 10:7 requires 2.1 for three.
  expect(tradedSurplusDown(limits, { sell: 3n, buy: 5n })).toBe(2n)
})

test('a buy order’s surplus is the amount it did not need to sell, in the sell token, rounded down', () => {
  expect(surplusToken(sampleOrder({ kind: 'buy' }))).toBe(wrapped)
  const buying = { ...limits, kind: 'buy' as const }
  expect(tradedSurplusDown(buying, { sell: 8n, buy: 7n })).toBe(2n)
  // The limit 10:7 allows a cost of 2.86 for two.
  expect(tradedSurplusDown(buying, { sell: 1n, buy: 2n })).toBe(1n)
})

test('there is no surplus without a trade, at the limit or below it', () => {
  for (const kind of ['sell', 'buy'] as const) {
    expect(tradedSurplusDown({ ...limits, kind }, { sell: 0n, buy: 0n })).toBe(0n)
    expect(tradedSurplusDown({ ...limits, kind }, { sell: 10n, buy: 7n })).toBe(0n)
    expect(tradedSurplusDown({ ...limits, kind }, { sell: 10n, buy: 6n })).toBe(0n)
  }
})

test('the surplus of single trades never adds up to more than that of all together', () => {
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

test('the value of surplus is in native atoms, rounded down', () => {
  expect(surplusValueDown(3n * 10n ** 6n, 10n ** 30n / 3_000n)).toBe(999_999_999_999_999n)
  expect(surplusValueDown(1n, 10n ** 18n - 1n)).toBe(0n)
})
