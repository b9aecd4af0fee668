import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Comparison,
  comparisonWithQuote,
  improvementDown,
  improvementReference,
} from '../../../src/domain/order/surplus.ts'

const quote = { sellAmount: 100n, buyAmount: 1_000n, feeAmount: 0n }
const sell = { kind: 'sell' as const, sellAmount: 100n, buyAmount: 980n, quote }
const buy = { kind: 'buy' as const, sellAmount: 102n, buyAmount: 1_000n, quote }
const comparison = (referenceAmount: bigint, amount: bigint, share: bigint) => ({
  referenceAmount,
  amount,
  share,
})

describe('a trade is better than its limit', () => {
  test.each([
    ['of a sell order', sell, { sell: 100n, buy: 1_010n }, comparison(980n, 30n, 30_612n)],
    ['for a half of it', sell, { sell: 50n, buy: 505n }, comparison(490n, 15n, 30_612n)],
    ['of a buy order', buy, { sell: 99n, buy: 1_000n }, comparison(102n, 3n, 29_411n)],
    ['rounded against the gain', sell, { sell: 33n, buy: 330n }, comparison(324n, 6n, 18_518n)],
  ] as const)('%s', (_, order, fill, expected) => {
    expect(improvementDown(order, fill, 0n)).toEqual(expected)
  })
})

describe('beside its quote a trade is', () => {
  test.each([
    ['better', sell, { sell: 100n, buy: 1_010n }, comparison(1_000n, 10n, 10_000n)],
    ['better by a half of it', sell, { sell: 50n, buy: 505n }, comparison(500n, 5n, 10_000n)],
    ['the same', sell, { sell: 100n, buy: 1_000n }, comparison(1_000n, 0n, 0n)],
    ['worse', sell, { sell: 100n, buy: 981n }, comparison(1_000n, -19n, -19_000n)],
    ['worse by a rounded share', sell, { sell: 30n, buy: 299n }, comparison(300n, -1n, -3_334n)],
    [
      'compared after the fee of the quote',
      { ...sell, quote: { ...quote, feeAmount: 1n } },
      { sell: 100n, buy: 1_010n },
      comparison(990n, 20n, 20_202n),
    ],
    [
      'compared also where the limit is better',
      { ...sell, buyAmount: 1_005n },
      { sell: 100n, buy: 1_010n },
      comparison(1_000n, 10n, 10_000n),
    ],
    ['cheaper', buy, { sell: 99n, buy: 1_000n }, comparison(100n, 1n, 10_000n)],
    ['dearer', buy, { sell: 101n, buy: 1_000n }, comparison(100n, -1n, -10_000n)],
  ] as const)('%s', (_, order, fill, expected) => {
    expect(comparisonWithQuote(order, fill)).toEqual(expected)
  })

  test('not compared without one, and without amounts in it', () => {
    const fill = { sell: 100n, buy: 1_010n }
    for (const none of [null, { ...quote, buyAmount: 0n }, { ...quote, feeAmount: 100n }])
      expect(comparisonWithQuote({ ...sell, quote: none }, fill)).toBeUndefined()
  })
})

describe('a trade is compared with', () => {
  const min = 20_000n
  test.each<[string, { kind: 'sell' | 'buy' }, Comparison, Comparison | undefined, string | undefined]>([
    ['its limit', sell, comparison(980n, 979n, 0n), undefined, 'limit'],
    [
      'its quote where it gives twice the limit',
      sell,
      comparison(1n, 1n, 0n),
      comparison(50n, 1n, 0n),
      'quote',
    ],
    [
      'nothing where the quote gave about as much',
      sell,
      comparison(1n, 50n, 0n),
      comparison(51n, 1n, 0n),
      undefined,
    ],
    [
      'nothing where the quote was better',
      sell,
      comparison(1n, 50n, 0n),
      comparison(52n, -1n, 0n),
      undefined,
    ],
    ['no price without a quote', sell, comparison(1n, 50n, 0n), undefined, 'none'],
    ['no price where the quote is none', sell, comparison(1n, 50n, 0n), comparison(2n, 49n, 0n), 'none'],
    ['the limit of a buy order', buy, comparison(100n, 49n, 0n), undefined, 'limit'],
    ['no limit that is twice the price', buy, comparison(100n, 50n, 0n), comparison(51n, 2n, 0n), 'quote'],
  ])('%s', (_, order, limit, quote, expected) => {
    expect(improvementReference(order, limit, { quote }, min)).toBe(expected)
    // The market counts only where nothing else is a price.
    const market = comparison(50n, 1n, 0n)
    expect(improvementReference(order, limit, { quote, market }, min)).toBe(
      expected === 'none' ? 'market' : expected,
    )
  })
})

test('the threshold is exact', () => {
  const fill = { sell: 100n, buy: 1_029n }
  expect(improvementDown(sell, fill, 50_000n)).toBeDefined()
  expect(improvementDown(sell, fill, 50_001n)).toBeUndefined()
  expect(improvementDown(sell, { sell: 100n, buy: 980n }, 0n)).toBeUndefined()
  expect(improvementDown(sell, { sell: 100n, buy: 979n }, 0n)).toBeUndefined()
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
        const order = { kind, sellAmount: a, buyAmount: b }
        const found = improvementDown(order, { sell: c, buy: d }, 0n)
        // Of the exact improvement, times the denominator.
        const [exact, denominator] = kind === 'sell' ? [d * a - c * b, a] : [a * d - c * b, b]
        if (!found) return exact < denominator || (kind === 'buy' && a * d < b)
        return found.amount * denominator <= exact && exact < (found.amount + 1n) * denominator
      },
    ),
  )
})
