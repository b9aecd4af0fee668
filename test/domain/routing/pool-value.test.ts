import { expect, test } from 'vitest'
import {
  averageYearlyPercent,
  feesDown,
  type PoolDay,
  valuePools,
  yearlyPercent,
} from '../../../src/domain/routing/pool-value.ts'
import { coin, dollar, numbered } from '../../fakes/order.ts'

const [a, b] = [numbered('a1'), numbered('b1')]
/** Two native atoms for a coin, three for two dollars. */
const rates = new Map([
  [coin, { nativeAmount: 2n, tokenAmount: 1n }],
  [dollar, { nativeAmount: 3n, tokenAmount: 2n }],
])
const day = { amount0: 10n, amount1: 20n }
const pool = (token0: typeof a, token1: typeof a, more: Partial<PoolDay> = {}): PoolDay => ({
  address: numbered('01'),
  token0,
  token1,
  reserve0: 100n,
  reserve1: 400n,
  day,
  ...more,
})
const valuesOf = (...pools: PoolDay[]) => valuePools(pools, rates).map(({ value, volume }) => [value, volume])

test('a pool of two known tokens has both at their rates, and one of a single known token twice that side', () => {
  expect(valuesOf(pool(coin, dollar))).toEqual([[800n, 50n]])
  // 400 of the other balance 100 coins, so that one is worth half an atom.
  expect(valuesOf(pool(coin, a))).toEqual([[400n, 30n]])
  expect(valuesOf(pool(a, dollar))).toEqual([[1_200n, 90n]])
})

test('a pool of unknown tokens has them as in their deepest pool with a known one', () => {
  const shallow = pool(coin, a, { reserve0: 10n, reserve1: 1n })
  const deep = pool(coin, a)
  const known = [
    [40n, 420n],
    [400n, 30n],
  ]
  for (const order of [
    [shallow, deep],
    [deep, shallow],
  ]) {
    const values = valuesOf(...order, pool(a, b))
    expect(values.slice(0, 2).toSorted(([x], [y]) => Number((x ?? 0n) - (y ?? 0n)))).toEqual(known)
    expect(values[2]).toEqual([100n, 7n])
  }
  expect(valuesOf(pool(b, dollar), pool(a, b))).toEqual([
    [1_200n, 90n],
    [4_800n, 360n],
  ])
  const small = pool(a, dollar, { reserve0: 1n, reserve1: 10n })
  expect(valuesOf(small, pool(a, dollar))).toEqual([
    [30n, 180n],
    [1_200n, 90n],
  ])
  // Two known tokens say nothing about a third.
  expect(valuesOf(pool(coin, dollar), pool(a, b)).at(-1)).toEqual([null, null])
})

test('what is not known has no value, but nothing is worth nothing', () => {
  const nothing = { amount0: 0n, amount1: 0n }
  for (const reserves of [{ reserve0: null }, { reserve1: null }, { reserve0: 0n }, { reserve1: 0n }]) {
    expect(valuesOf(pool(coin, dollar, reserves))).toEqual([[null, null]])
    expect(valuesOf(pool(coin, dollar, { ...reserves, day: nothing }))).toEqual([[null, 0n]])
    expect(valuesOf(pool(coin, a, reserves), pool(a, b)).at(-1)).toEqual([null, null])
  }
  expect(valuesOf(pool(a, b))).toEqual([[null, null]])
  expect(valuesOf(pool(a, b, { day: nothing }))).toEqual([[null, 0n]])
  for (const day of [
    { amount0: 0n, amount1: 1n },
    { amount0: 1n, amount1: 0n },
  ])
    expect(valuesOf(pool(a, b, { day }))).toEqual([[null, null]])
  expect(valuesOf(pool(coin, dollar, { day: null }))).toEqual([[800n, null]])
})

test('fees are three thousandths, rounded down, and a year has 365 such days', () => {
  expect([feesDown(1_000n), feesDown(1_999n)]).toEqual([3n, 5n])
  expect(Number(yearlyPercent({ value: 1_000n, volume: 100n }))).toBe(10.95)
  expect(Number(yearlyPercent({ value: 1_000n, volume: 0n }))).toBe(0)
  for (const unknown of [
    { value: null, volume: 1n },
    { value: 0n, volume: 1n },
    { value: 1n, volume: null },
  ])
    expect(yearlyPercent(unknown)).toBeNull()
})

test('the average counts each pool by its value, without those of which a part is not known', () => {
  const pools = [
    { value: 1_500n, volume: 100n },
    { value: 500n, volume: 100n },
    { value: null, volume: 1_000n },
    { value: 1_000n, volume: null },
  ]
  expect(Number(averageYearlyPercent(pools))).toBe(10.95)
  expect(averageYearlyPercent([])).toBeNull()
})
