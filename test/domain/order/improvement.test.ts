import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { improvementDown } from '../../../src/domain/order/improvement.ts'

const quote = { sellAmount: 100n, buyAmount: 1_000n, feeAmount: 0n }
const sell = { kind: 'sell' as const, sellAmount: 100n, buyAmount: 980n, quote }
const buy = { kind: 'buy' as const, sellAmount: 102n, buyAmount: 1_000n, quote }

describe('a trade is compared', () => {
  test.each([
    ['a sell order with its quote', sell, { sell: 100n, buy: 1_010n }, 'quote', 1_000n, 10n, 10_000n],
    ['a half of it', sell, { sell: 50n, buy: 505n }, 'quote', 500n, 5n, 10_000n],
    [
      'a sell order with its limit',
      { ...sell, quote: null },
      { sell: 100n, buy: 1_010n },
      'limit',
      980n,
      30n,
      30_612n,
    ],
    [
      'one whose limit is better than its quote',
      { ...sell, buyAmount: 1_005n },
      { sell: 100n, buy: 1_010n },
      'limit',
      1_005n,
      5n,
      4_975n,
    ],
    [
      'after the fee of the quote',
      { ...sell, quote: { ...quote, feeAmount: 1n } },
      { sell: 100n, buy: 1_010n },
      'quote',
      990n,
      20n,
      20_202n,
    ],
    ['a buy order with its quote', buy, { sell: 99n, buy: 1_000n }, 'quote', 100n, 1n, 10_000n],
    [
      'a buy order with its limit',
      { ...buy, quote: null },
      { sell: 99n, buy: 1_000n },
      'limit',
      102n,
      3n,
      29_411n,
    ],
    [
      'rounded against the gain',
      { ...sell, quote: null },
      { sell: 33n, buy: 330n },
      'limit',
      324n,
      6n,
      18_518n,
    ],
  ] as const)('%s', (_, order, fill, reference, referenceAmount, amount, share) => {
    expect(improvementDown(order, fill, 0n)).toEqual({ reference, referenceAmount, amount, share })
  })
})

test('the threshold is exact', () => {
  const fill = { sell: 100n, buy: 1_010n }
  expect(improvementDown(sell, fill, 10_000n)).toBeDefined()
  expect(improvementDown(sell, fill, 10_001n)).toBeUndefined()
  expect(improvementDown(sell, { sell: 100n, buy: 1_000n }, 0n)).toBeUndefined()
  expect(improvementDown(sell, { sell: 100n, buy: 981n }, 0n)).toBeUndefined()
})

test('an improvement is never more than the exact one, and at most an atom less', () => {
  const amount = fc.bigInt(1n, 10n ** 30n)
  fc.assert(
    fc.property(
      fc.constantFrom('sell' as const, 'buy' as const),
      amount,
      amount,
      amount,
      amount,
      (kind, a, b, c, d) => {
        const order = { kind, sellAmount: a, buyAmount: b, quote: null }
        const found = improvementDown(order, { sell: c, buy: d }, 0n)
        // Of the exact improvement, times the denominator.
        const [exact, denominator] = kind === 'sell' ? [d * a - c * b, a] : [a * d - c * b, b]
        if (!found) return exact < denominator || (kind === 'buy' && a * d < b)
        return found.amount * denominator <= exact && exact < (found.amount + 1n) * denominator
      },
    ),
  )
})
