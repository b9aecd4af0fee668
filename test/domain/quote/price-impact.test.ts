import fc from 'fast-check'
import { expect, it } from 'vitest'
import { priceImpactUp, toQuoteRoute } from '../../../src/domain/quote/route.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { bestRouteForSell } from '../../../src/domain/routing/route.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { poolGraphs } from '../../fakes/pool-graphs.ts'

const million = 10n ** 6n
const pool = (digits: string, token0 = wrapped, token1 = coin, reserve = million): Pool => ({
  address: numbered(digits),
  token0,
  token1,
  reserve0: reserve,
  reserve1: reserve,
})
const route = (pools: Pool[], amountIn: bigint, maxPaths = 3) => {
  const found = bestRouteForSell(pools, wrapped, coin, amountIn, { maxPaths })
  if (!found) throw new Error('no route')
  return toQuoteRoute(found, 7)
}

it('each hop of the route has the reserves of its pool before the trade', () => {
  const pools = [
    { ...pool('01', wrapped, dollar), reserve1: 2n * million },
    { ...pool('02', dollar, coin), reserve0: 3n * million },
  ]
  const [first, second] = [1_992n, 661n]
  expect(route(pools, 1_000n)).toEqual({
    block: 7,
    paths: [
      {
        amountIn: 1_000n,
        amountOut: second,
        hops: [
          {
            pool: numbered('01'),
            tokenIn: wrapped,
            tokenOut: dollar,
            amountIn: 1_000n,
            amountOut: first,
            reserveIn: million,
            reserveOut: 2n * million,
          },
          {
            pool: numbered('02'),
            tokenIn: dollar,
            tokenOut: coin,
            amountIn: first,
            amountOut: second,
            reserveIn: 3n * million,
            reserveOut: million,
          },
        ],
      },
    ],
  })
})

it.each([
  // 1 - 996 / 997
  ['the impact of a thousandth of the pool', 1_000n, 1, '0.001004'],
  // 1 - 499248 / 997000
  ['the impact of an amount as large as the pool', million, 1, '0.49925'],
  // The same for each half.
  ['the impact of twice that over two pools', 2n * million, 2, '0.49925'],
])('%s', (_, amountIn, paths, impact) => {
  const pools = [pool('01'), pool('02')].slice(0, paths)
  expect(priceImpactUp(route(pools, amountIn).paths)).toBe(impact)
})

it('a small trade has an impact of one unit of the last digit, since the fee does not count', () => {
  const deep = [pool('01', wrapped, dollar, 10n ** 27n), pool('02', dollar, coin, 10n ** 27n)]
  expect(priceImpactUp(route(deep, 10n ** 18n).paths)).toBe('0.000001')
  expect(priceImpactUp([])).toBe('0')
})

it('the impact of several paths lies between the best and the worst of them', () => {
  fc.assert(
    fc.property(
      poolGraphs(fc.bigInt({ min: 10n ** 9n, max: 10n ** 24n }), 9),
      fc.bigInt({ min: 10n ** 6n, max: 10n ** 24n }),
      (pools, amountIn) => {
        const found = bestRouteForSell(pools, wrapped, coin, amountIn)
        if (!found) return
        const { paths } = toQuoteRoute(found, 1)
        const each = paths.map((path) => Number(priceImpactUp([path])))
        const impact = Number(priceImpactUp(paths))
        expect(impact).toBeGreaterThanOrEqual(Math.min(...each))
        expect(impact).toBeLessThanOrEqual(Math.max(...each))
      },
    ),
  )
})
