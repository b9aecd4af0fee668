import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Address } from '../../src/domain/address.ts'
import { type Pool, poolInputUp, poolOutputDown } from '../../src/domain/pool.ts'
import { bestRouteForBuy, bestRouteForSell, hopsOf, type Route } from '../../src/domain/route.ts'
import { coin, dollar, numbered, wrapped } from '../fakes/order.ts'

const tokens = [wrapped, dollar, coin, numbered('dd')]
const reserve = fc.bigInt({ min: 1n, max: 10n ** 24n })
const pools: fc.Arbitrary<Pool[]> = fc.array(
  fc
    .record({
      tokens: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
      reserve0: reserve,
      reserve1: reserve,
    })
    .map(({ tokens: pair, ...reserves }) => {
      const [token0 = wrapped, token1 = dollar] = pair.toSorted()
      return { address: numbered('01'), token0, token1, ...reserves }
    }),
  { maxLength: 6 },
)
const amount = fc.bigInt({ min: 1n, max: 10n ** 24n })

const other = (pool: Pool, token: Address) =>
  pool.token0 === token ? pool.token1 : pool.token1 === token ? pool.token0 : undefined

/** All amounts that any path of one or two pools gives, each pool tried for each step. */
function bruteForce(
  list: Pool[],
  from: Address,
  to: Address,
  step: (pool: Pool, token: Address) => bigint | undefined,
  second: (pool: Pool, token: Address, amount: bigint) => bigint | undefined,
): bigint[] {
  return list.flatMap((pool) => {
    const reached = other(pool, from)
    const given = reached && step(pool, from)
    if (!reached || !given) return []
    if (reached === to) return [given]
    return list.flatMap((next) => (other(next, reached) === to ? (second(next, reached, given) ?? []) : []))
  })
}

function checkChain(route: Route, from: Address, to: Address) {
  let [token, amount] = [from, route.amountIn]
  for (const hop of hopsOf(route)) {
    expect(hop.tokenIn).toBe(token)
    expect(hop.amountIn).toBe(amount)
    expect(other(hop.pool, hop.tokenIn)).toBe(hop.tokenOut)
    expect(poolOutputDown(hop.pool, hop.tokenIn, hop.amountIn) >= hop.amountOut).toBe(true)
    ;[token, amount] = [hop.tokenOut, hop.amountOut]
  }
  expect([token, amount]).toEqual([to, route.amountOut])
}

it('sells for the most that any path pays', () => {
  fc.assert(
    fc.property(pools, amount, (list, amountIn) => {
      const route = bestRouteForSell(list, wrapped, coin, amountIn)
      const all = bruteForce(
        list,
        wrapped,
        coin,
        (pool, token) => poolOutputDown(pool, token, amountIn),
        poolOutputDown,
      ).filter((out) => out > 0n)
      expect(route?.amountOut).toBe(all.sort(ascending).at(-1))
      if (route) checkChain(route, wrapped, coin)
    }),
  )
})

it('buys for the least that any path takes', () => {
  fc.assert(
    fc.property(pools, amount, (list, amountOut) => {
      const route = bestRouteForBuy(list, wrapped, coin, amountOut)
      // Walked from the end: what the last pool must be paid is what the one before must give.
      const input = (pool: Pool, token: Address, wanted: bigint) =>
        poolInputUp(pool, other(pool, token) ?? token, wanted)
      const all = bruteForce(list, coin, wrapped, (pool, token) => input(pool, token, amountOut), input)
      expect(route?.amountIn).toBe(all.sort(ascending)[0])
      if (route) checkChain(route, wrapped, coin)
    }),
  )
})

it('keeps to the number of hops and never trades a token for itself', () => {
  const pool = (token0: Address, token1: Address): Pool => ({
    address: numbered('01'),
    token0,
    token1,
    reserve0: 10n ** 20n,
    reserve1: 10n ** 20n,
  })
  const chain = [pool(wrapped, dollar), pool(dollar, coin), pool(coin, numbered('dd'))]
  expect(bestRouteForSell(chain, wrapped, coin, 10n ** 6n)?.paths[0].hops).toHaveLength(2)
  expect(bestRouteForSell(chain, wrapped, coin, 10n ** 6n, 1)).toBeUndefined()
  expect(bestRouteForSell(chain, wrapped, numbered('dd'), 10n ** 6n)).toBeUndefined()
  expect(bestRouteForSell(chain, wrapped, numbered('dd'), 10n ** 6n, 3)?.paths[0].hops).toHaveLength(3)
  expect(bestRouteForSell(chain, wrapped, wrapped, 10n ** 6n)).toBeUndefined()
})

it('does not come back to a token on its way, however cheap', () => {
  const pool = (token0: Address, token1: Address, reserve1: bigint): Pool => ({
    address: numbered('01'),
    token0,
    token1,
    reserve0: 10n ** 20n,
    reserve1,
  })
  const twisted = [
    pool(wrapped, dollar, 10n ** 21n),
    pool(wrapped, dollar, 10n ** 19n),
    pool(wrapped, coin, 10n ** 20n),
  ]
  expect(bestRouteForSell(twisted, wrapped, coin, 10n ** 6n, 3)?.paths[0].hops).toHaveLength(1)
})

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
