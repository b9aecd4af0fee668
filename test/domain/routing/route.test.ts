import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Address } from '../../../src/domain/evm/address.ts'
import { buying, rateBits, reversePath, selling } from '../../../src/domain/routing/graph.ts'
import { type Pool, poolInputUp, poolOutputDown, poolTakes } from '../../../src/domain/routing/pool.ts'
import {
  bestRouteForBuy,
  bestRouteForSell,
  hopsOf,
  pathThrough,
  rateBound,
} from '../../../src/domain/routing/route.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { allWays, otherToken, poolGraphs } from '../../fakes/pool-graphs.ts'

const graphs = poolGraphs(fc.bigInt({ min: 1n, max: 10n ** 24n }), 14, 4)
const amount = fc.bigInt({ min: 1n, max: 10n ** 24n })
const hopCost = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 22n }))
const single = { maxHops: 3, maxPaths: 1 }

const sold = (way: Pool[], amountIn: bigint) => {
  let [token, reached]: [Address, bigint] = [wrapped, amountIn]
  for (const pool of way) {
    reached = poolTakes(pool, token, reached) ? poolOutputDown(pool, token, reached) : 0n
    token = otherToken(pool, token) ?? token
  }
  return reached === 0n ? undefined : reached
}
const bought = (way: Pool[], amountOut: bigint) => {
  let [token, reached]: [Address, bigint | undefined] = [coin, amountOut]
  for (const pool of way.toReversed()) {
    token = otherToken(pool, token) ?? token
    reached = reached === undefined ? undefined : poolInputUp(pool, token, reached)
    if (reached !== undefined && !poolTakes(pool, token, reached)) reached = undefined
  }
  return reached
}
const highest = (values: bigint[]) => values.reduce((best, value) => (value > best ? value : best))

it('a sale takes the path that pays the most after the cost of its swaps', () => {
  let found = 0
  fc.assert(
    fc.property(graphs, amount, hopCost, (pools, amountIn, cost) => {
      const route = bestRouteForSell(pools, wrapped, coin, amountIn, { ...single, hopCost: cost })
      const all = allWays(pools, wrapped, coin, 3).flatMap((way) => {
        const amountOut = sold(way, amountIn)
        return amountOut === undefined ? [] : [amountOut - BigInt(way.length) * cost]
      })
      expect(route && route.amountOut - BigInt(hopsOf(route).length) * cost).toBe(
        all.length > 0 ? highest(all) : undefined,
      )
      if (all.length > 2) found++
    }),
    { numRuns: 500 },
  )
  expect(found).toBeGreaterThan(40)
})

it('a purchase takes the path that costs the least with the cost of its swaps', () => {
  let found = 0
  fc.assert(
    fc.property(graphs, amount, hopCost, (pools, amountOut, cost) => {
      const route = bestRouteForBuy(pools, wrapped, coin, amountOut, { ...single, hopCost: cost })
      const all = allWays(pools, wrapped, coin, 3).flatMap((way) => {
        const amountIn = bought(way, amountOut)
        return amountIn === undefined ? [] : [-amountIn - BigInt(way.length) * cost]
      })
      expect(route && -route.amountIn - BigInt(hopsOf(route).length) * cost).toBe(
        all.length > 0 ? highest(all) : undefined,
      )
      if (all.length > 2) found++
    }),
    { numRuns: 500 },
  )
  expect(found).toBeGreaterThan(40)
})

it('no route exceeds the rate bound', () => {
  const deep = poolGraphs(fc.bigInt({ min: 10n ** 20n, max: 10n ** 22n }), 10, 4)
  fc.assert(
    fc.property(deep, fc.bigInt({ min: 10n ** 12n, max: 10n ** 22n }), (pools, amountIn) => {
      const bound = rateBound(pools, wrapped, coin)
      const route = bestRouteForSell(pools, wrapped, coin, amountIn)
      expect(bound > 0n).toBe(route !== undefined)
      if (route) expect(route.amountOut << rateBits <= amountIn * bound).toBe(true)
    }),
  )
})

it('the rate bound is the rate of the first atom', () => {
  const chain = [pool(wrapped, dollar, 2n * 10n ** 20n), pool(dollar, coin)]
  const exact = (2n * 997n * 997n * 10n ** 6n) / (1000n * 1000n)
  expect((rateBound(chain, wrapped, coin) * 10n ** 6n) >> rateBits).toBe(exact)
  expect(rateBound(chain, wrapped, coin, 1)).toBe(0n)
})

let made = 10
const pool = (token0: Address, token1: Address, reserve1 = 10n ** 20n): Pool => ({
  address: numbered(`${made++}`),
  token0,
  token1,
  reserve0: 10n ** 20n,
  reserve1,
})

it('a route has at most maxHops hops and never trades a token for itself', () => {
  const [end, beyond] = [numbered('dd'), numbered('ee')]
  const chain = [pool(wrapped, dollar), pool(dollar, coin), pool(coin, end), pool(end, beyond)]
  const hops = (to: Address, maxHops?: number) =>
    bestRouteForSell(chain, wrapped, to, 10n ** 6n, maxHops ? { maxHops } : {})?.paths[0].hops.length
  expect(hops(coin)).toBe(2)
  expect(hops(coin, 1)).toBeUndefined()
  expect(hops(end)).toBe(3)
  expect(hops(end, 2)).toBeUndefined()
  expect(hops(beyond)).toBeUndefined()
  expect(hops(beyond, 4)).toBe(4)
  expect(hops(wrapped)).toBeUndefined()
})

it('a route never passes a token twice, however cheap that is', () => {
  const twisted = [pool(wrapped, dollar, 10n ** 21n), pool(wrapped, dollar, 10n ** 19n), pool(wrapped, coin)]
  expect(bestRouteForSell(twisted, wrapped, coin, 10n ** 6n)?.paths[0].hops).toHaveLength(1)
})

it('a path between passes no token twice either', () => {
  const [x, y] = [numbered('dd'), numbered('ee')]
  // From x to y and back an atom becomes about a hundred.
  const circle = [pool(x, y, 10n ** 21n), pool(y, x, 10n ** 21n)]
  const pools = [pool(wrapped, x), ...circle, pool(x, coin)]
  expect(bestRouteForSell(pools, wrapped, coin, 10n ** 6n, { maxHops: 4 })?.paths[0].hops).toHaveLength(2)
})

it('there is none for nothing', () => {
  const pools = [pool(wrapped, coin)]
  for (const nothing of [0n, -1n]) {
    expect(bestRouteForSell(pools, wrapped, coin, nothing)).toBeUndefined()
    expect(bestRouteForBuy(pools, wrapped, coin, nothing)).toBeUndefined()
  }
})

it('no path leads through a pool that refuses the amount, or through no pool', () => {
  const [first, second] = [pool(wrapped, dollar), pool(dollar, coin, 10n ** 19n)]
  const steps = [
    { pool: first, from: wrapped, to: dollar },
    { pool: second, from: dollar, to: coin },
  ]
  expect(pathThrough(selling, steps, 10n ** 6n)).toMatchObject({ amountIn: 10n ** 6n, amountOut: 99_400n })
  expect(pathThrough(selling, steps, 1n)).toBeUndefined()
  expect(pathThrough(selling, [], 1n)).toBeUndefined()
  const back = reversePath(steps)
  expect(pathThrough(buying, back, 99_400n)).toMatchObject({ amountIn: 999_991n, amountOut: 99_400n })
  expect(pathThrough(buying, back, 10n ** 19n)).toBeUndefined()
})

it('no route fills a pool beyond the limit of its contract', () => {
  const full = { ...pool(wrapped, coin), reserve0: 2n ** 112n - 11n }
  expect(bestRouteForSell([full], wrapped, coin, 2n ** 100n)).toBeUndefined()
  expect(bestRouteForBuy([full], wrapped, coin, 1n)).toBeUndefined()
})

it('a pool that is listed twice is used once', () => {
  const listed = pool(wrapped, coin)
  expect(bestRouteForSell([listed, { ...listed }], wrapped, coin, 10n ** 20n)?.paths).toHaveLength(1)
})
