import { describe, expect, test } from 'vitest'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import {
  dollarsDown,
  isAbsurdPrice,
  nativeWorthDown,
  plainDecimal,
  ratioOfDouble,
  usdPriceDown,
  usdWorthDown,
} from '../../../src/domain/token/prices.ts'
import { ageDown, maxAgeDown } from '../../../src/domain/token/sourced.ts'
import { wrappedForm } from '../../../src/domain/token/token.ts'
import { dollar, wrapped } from '../../fakes/order.ts'

describe('a double as a fraction', () => {
  test.each([
    [0, 0n, 1n],
    [1.25, 125n, 100n],
    [1e21, 10n ** 21n, 1n],
    [12, 12n, 1n],
    [12.5e21, 125n * 10n ** 20n, 1n],
    [1.5e21, 15n * 10n ** 20n, 1n],
    [1.5e-7, 15n, 10n ** 8n],
    [2e-9, 2n, 10n ** 9n],
  ])('%d', (value, numerator, denominator) => {
    expect(ratioOfDouble(value)).toEqual({ numerator, denominator })
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1, -0, -1e-9])('is not made of %d', (value) => {
    expect(ratioOfDouble(value)).toBeUndefined()
    expect(plainDecimal(value)).toBe('0')
  })

  test('is a plain decimal', () => {
    expect([plainDecimal(1.5e-7), plainDecimal(1e21), plainDecimal(0.1)]).toEqual([
      '0.00000015',
      `1${'0'.repeat(21)}`,
      '0.1',
    ])
  })
})

test('a price above a thousand million million dollars is a mistake', () => {
  expect([
    isAbsurdPrice(10n ** 15n, 1n),
    isAbsurdPrice(2n * 10n ** 15n, 2n),
    isAbsurdPrice(2n * 10n ** 15n + 1n, 2n),
  ]).toEqual([false, false, true])
})

test('a price of nothing is none', () => {
  expect([usdPriceDown(0n, 1n), usdPriceDown(1n, 10n ** 81n), usdPriceDown(3n, 2n)]).toEqual([
    undefined,
    undefined,
    '1.5',
  ])
})

test('worth is rounded down', () => {
  expect(nativeWorthDown(7n, { nativeAmount: 3n, tokenAmount: 2n })).toBe(10n)
  expect(usdWorthDown(1_500_000n, '0.5', 6)).toBe('0.75')
  expect(usdWorthDown(1_500_000n, '3', 6)).toBe('4.5')
  expect(usdWorthDown(1n, '3', 0)).toBe('3')
  expect(dollarsDown(5n * 10n ** 17n, '3000.5')).toBe('1500.25')
})

test('ages in whole seconds, never negative', () => {
  expect([ageDown({ at: 1_000 }, 2_999), ageDown({ at: 1_000 }, 3_000), ageDown({ at: 1_000 }, 0)]).toEqual([
    1, 2, 0,
  ])
  expect(maxAgeDown({ keepMs: 1_999 })).toBe(1)
})

test('the native coin is traded in its wrapped form', () => {
  expect([wrappedForm(nativeMarker, wrapped), wrappedForm(dollar, wrapped)]).toEqual([wrapped, dollar])
})
