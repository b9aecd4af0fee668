import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  divUp,
  formatRatioDown,
  formatUnits,
  maxOf,
  maxUint256,
  minOf,
  mulDivDown,
  mulDivUp,
  parseAmount,
  parseUnits,
} from '../../src/domain/amount.ts'

const word = fc.bigInt({ min: 0n, max: maxUint256 })

describe('parseAmount', () => {
  it.each([
    ['0', 0n],
    ['007', 7n],
    [`${'0'.repeat(99)}1`, 1n],
    [maxUint256.toString(), maxUint256],
  ])('reads %s', (text, amount) => {
    expect(parseAmount(text)).toEqual({ amount })
  })

  it.each([(maxUint256 + 1n).toString(), '9'.repeat(100)])('reports %s as an overflow', (text) => {
    expect(parseAmount(text)).toEqual({ fault: 'overflow' })
  })

  it.each([
    '',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '1_000',
    '1,000',
    '١',
    'NaN',
    '9'.repeat(101),
    '9'.repeat(10_000),
    '0'.repeat(101),
    1,
    1n,
    null,
    undefined,
    ['1'],
    { toString: () => '1' },
  ])('refuses %o', (input) => {
    expect(parseAmount(input)).toEqual({ fault: 'malformed' })
  })

  it('reads back every uint256', () => {
    fc.assert(
      fc.property(word, (amount) => {
        expect(parseAmount(amount.toString())).toEqual({ amount })
      }),
    )
  })
})

it('division rounds down or up by less than one', () => {
  fc.assert(
    fc.property(word, word, fc.bigInt({ min: 1n, max: maxUint256 }), (a, b, c) => {
      const [down, up] = [mulDivDown(a, b, c), mulDivUp(a, b, c)]
      expect(down * c <= a * b && a * b <= up * c).toBe(true)
      expect(up - down).toBe((a * b) % c === 0n ? 0n : 1n)
      expect(divUp(a, c)).toBe(mulDivUp(a, 1n, c))
    }),
  )
})

it('the largest amount, the smaller and the larger of two', () => {
  expect(maxUint256).toBe(BigInt(`0x${'f'.repeat(64)}`))
  expect([minOf(1n, 2n), minOf(2n, 1n), maxOf(1n, 2n), maxOf(2n, 1n)]).toEqual([1n, 1n, 2n, 2n])
})

it.each([
  ['1.5', 6, 1_500_000n],
  ['.5', 1, 5n],
  ['7', 2, 700n],
  ['0.129', 2, 12n],
  ['3', 0, 3n],
])('%s with %i decimals is %s atoms', (text, decimals, amount) => {
  expect(parseUnits(text, decimals)).toBe(amount)
})

describe('formatUnits', () => {
  it.each([
    [1_500_000n, 6, '1.5'],
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 18n, 18, '1'],
    [42n, 0, '42'],
    [maxUint256, 0, maxUint256.toString()],
  ])('%s with %i decimals is %s', (amount, decimals, text) => {
    expect(formatUnits(amount, decimals)).toBe(text)
  })

  it('is exact', () => {
    fc.assert(
      fc.property(word, fc.integer({ min: 0, max: 77 }), (amount, decimals) => {
        const [whole = '', fraction = ''] = formatUnits(amount, decimals).split('.')
        expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(amount)
      }),
    )
  })
})

describe('formatRatioDown', () => {
  it.each([
    [1n, 3n, 4, '0.3333'],
    [2n, 1n, 4, '2'],
    [0n, 5n, 4, '0'],
    [123_456n, 1n, 3, '123456'],
    [1n, 3_000n, 3, '0.000333'],
    [1n, 10n ** 80n, 1, `0.${'0'.repeat(79)}1`],
    [1n, 10n ** 81n, 1, '0'],
  ])('%s / %s to %i digits is %s', (numerator, denominator, digits, text) => {
    expect(formatRatioDown(numerator, denominator, digits)).toBe(text)
  })

  it('is at most the ratio, and less than one last digit below it', () => {
    const amount = fc.bigInt({ min: 1n, max: 10n ** 40n })
    fc.assert(
      fc.property(amount, amount, (numerator, denominator) => {
        const [whole = '', fraction = ''] = formatRatioDown(numerator, denominator).split('.')
        const shown = BigInt(whole + fraction.padEnd(80, '0')) * denominator
        const exact = numerator * 10n ** 80n
        expect(shown <= exact).toBe(true)
        expect((exact - shown) * 10n ** 17n <= exact).toBe(true)
      }),
    )
  })

  it('throws for a denominator of zero', () => {
    expect(() => formatRatioDown(1n, 0n)).toThrow('division by zero')
  })
})
