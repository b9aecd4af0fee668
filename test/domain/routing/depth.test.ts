import { expect, test } from 'vitest'
import { depthOf } from '../../../src/domain/routing/depth.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { bestRouteForSell } from '../../../src/domain/routing/route.ts'
import { numbered } from '../../fakes/order.ts'

const [a, b, c] = [numbered('a0'), numbered('b0'), numbered('c0')]
const unit = 10n ** 18n

function pool(id: string, token0: typeof a, token1: typeof a, reserve0: bigint, reserve1: bigint): Pool {
  return { address: numbered(id), token0, token1, reserve0, reserve1 }
}
const single = [pool('1', a, b, 1_000n * unit, 3_000_000n * unit)]
const split = [
  ...single,
  pool('2', a, c, 500n * unit, 1_500_000n * unit),
  pool('3', b, c, 2_000_000n * unit, 2_000_000n * unit),
]

test('one pool takes what its curve says', () => {
  // out / in falls by the share s at in = reserve · s / (0.997 · (1 − s)).
  for (const { bps, sellAmount } of depthOf(single, a, b, [10, 50, 200]) ?? []) {
    const share = bps / 10_000
    const exact = (1_000 * share) / (0.997 * (1 - share))
    expect(Number(sellAmount) / 1e18 / exact).toBeGreaterThan(0.998)
    expect(Number(sellAmount) / 1e18 / exact).toBeLessThanOrEqual(1)
  }
})

test('a level of a small pool is exact', () => {
  // Of 900 atoms: 900 · 0.1 / (0.997 · 0.9) = 100.3, and 900 · 0.2 / (0.997 · 0.8) = 225.7.
  const small = [pool('1', a, b, 900n, 10n ** 30n), pool('2', b, c, 10n ** 30n, 10n ** 30n)]
  const out = (amount: bigint) => bestRouteForSell(small, a, b, amount)?.amountOut
  expect(depthOf(small, a, b, [0, 1_000, 2_000])).toEqual([
    { bps: 0, sellAmount: 0n, buyAmount: 0n },
    { bps: 1_000, sellAmount: 100n, buyAmount: out(100n) },
    { bps: 2_000, sellAmount: 225n, buyAmount: out(225n) },
  ])
})

test('an amount within a level is the best route’s, and a little more is not', () => {
  const price = (3_000 * 997) / 1_000
  for (const { bps, sellAmount, buyAmount } of depthOf(split, a, b, [10, 50, 200]) ?? []) {
    expect(bestRouteForSell(split, a, b, sellAmount)?.amountOut).toBe(buyAmount)
    const min = price * (1 - bps / 10_000)
    expect(Number(buyAmount) / Number(sellAmount)).toBeGreaterThanOrEqual(min * (1 - 1e-12))
    const more = (sellAmount * 1_003n) / 1_000n
    const out = bestRouteForSell(split, a, b, more)?.amountOut ?? 0n
    expect(Number(out) / Number(more)).toBeLessThan(min)
  }
})

test('a wider level takes more, and more pools take more', () => {
  const amounts = (pools: readonly Pool[]) =>
    (depthOf(pools, a, b, [10, 50, 200]) ?? []).map(({ sellAmount }) => sellAmount)
  const [ten = 0n, fifty = 0n, twoHundred = 0n] = amounts(single)
  expect(ten < fifty && fifty < twoHundred).toBe(true)
  const twice = [...single, pool('4', a, b, 1_000n * unit, 3_000_000n * unit)]
  expect(Number(amounts(twice)[0]) / Number(ten)).toBeCloseTo(2, 1)
})

test('there is none without a route', () => {
  expect(depthOf(single, a, c, [10])).toBeUndefined()
  expect(depthOf([], a, b, [10])).toBeUndefined()
})
