import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/domain/evm/address.ts'
import { type Pool, poolInputUp, poolOutputDown } from '../../../src/domain/routing/pool.ts'
import { bestRouteForBuy, bestRouteForSell, hopsOf, type Route } from '../../../src/domain/routing/route.ts'
import { coin, numbered, wrapped } from '../../fakes/order.ts'
import { allWays, otherToken, poolGraphs } from '../../fakes/pool-graphs.ts'

const anyGraph = poolGraphs(fc.bigInt({ min: 1n, max: 10n ** 24n }), 12)
const anyAmount = fc.bigInt({ min: 1n, max: 10n ** 24n })
/** Deep enough that rounding does not affect the comparison. */
const evenGraph = poolGraphs(fc.bigInt({ min: 10n ** 20n, max: 4n * 10n ** 21n }), 9, 4)
const evenAmount = fc.bigInt({ min: 10n ** 17n, max: 2n * 10n ** 21n })
const hopCost = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 18n }))
const kinds = ['sell', 'buy'] as const
const kind = fc.constantFrom(...kinds)

const searches = { sell: bestRouteForSell, buy: bestRouteForBuy }
type Kind = keyof typeof searches

/** The value of a route in the token whose amount is not given. */
function routeValue(kind: Kind, route: Route, cost: bigint): bigint {
  const swaps = BigInt(hopsOf(route).length) * cost
  return kind === 'sell' ? route.amountOut - swaps : -route.amountIn - swaps
}

function checkRoute(route: Route, kind: Kind, amount: bigint) {
  const pools = hopsOf(route).map((hop) => hop.pool.address)
  expect(new Set(pools).size).toBe(pools.length)
  expect(kind === 'sell' ? route.amountIn : route.amountOut).toBe(amount)
  expect(route.paths.reduce((sum, path) => sum + path.amountIn, 0n)).toBe(route.amountIn)
  expect(route.paths.reduce((sum, path) => sum + path.amountOut, 0n)).toBe(route.amountOut)
  for (const path of route.paths) {
    let [token, reached] = [wrapped, path.amountIn]
    for (const hop of path.hops) {
      expect([hop.tokenIn, hop.amountIn]).toEqual([token, reached])
      expect(otherToken(hop.pool, hop.tokenIn)).toBe(hop.tokenOut)
      const paid = poolOutputDown(hop.pool, hop.tokenIn, hop.amountIn)
      if (kind === 'sell') expect(hop.amountOut).toBe(paid)
      else expect(hop.amountIn).toBe(poolInputUp(hop.pool, hop.tokenIn, hop.amountOut))
      expect(hop.amountOut > 0n && hop.amountOut <= paid).toBe(true)
      ;[token, reached] = [hop.tokenOut, hop.amountOut]
    }
    expect([token, reached]).toEqual([coin, path.amountOut])
  }
}

describe('a division over paths', () => {
  it('is never worse than the best single path, adds up exactly, and uses each pool once', () => {
    const divided = { sell: 0, buy: 0 }
    fc.assert(
      fc.property(anyGraph, anyAmount, hopCost, kind, (pools, amount, cost, side) => {
        const search = (maxPaths: number) =>
          searches[side](pools, wrapped, coin, amount, { maxPaths, hopCost: cost })
        const [alone, two, many] = [search(1), search(2), search(4)]
        for (const route of [alone, two, many]) if (route) checkRoute(route, side, amount)
        if (alone) expect(two && routeValue(side, two, cost) >= routeValue(side, alone, cost)).toBe(true)
        if (two) expect(many && routeValue(side, many, cost) >= routeValue(side, two, cost)).toBe(true)
        expect((two?.paths.length ?? 0) <= 2 && (many?.paths.length ?? 0) <= 4).toBe(true)
        if (two && two.paths.length > 1) divided[side]++
      }),
      { numRuns: 300 },
    )
    expect(Math.min(divided.sell, divided.buy)).toBeGreaterThan(5)
  })

  it('is as good as each of 63 divisions between two paths without a common pool', () => {
    let divided = 0
    fc.assert(
      fc.property(evenGraph, evenAmount, hopCost, kind, (pools, amount, cost, side) => {
        const route = searches[side](pools, wrapped, coin, amount, { maxPaths: 2, hopCost: cost })
        const value = route && routeValue(side, route, cost)
        const other = gridBest(pools, side, amount, cost)
        if (route && route.paths.length > 1) divided++
        if (other === undefined) return
        // Rounding may cost a few atoms on the way, which later hops multiply.
        const rounding = 10n ** 6n
        expect(value !== undefined && value + rounding >= other, `${value} ${other}`).toBe(true)
      }),
      { numRuns: 300 },
    )
    expect(divided).toBeGreaterThan(30)
  })

  const pool = (digits: string, depth = 100n): Pool => ({
    address: numbered(digits),
    token0: wrapped,
    token1: coin,
    reserve0: depth * 10n ** 18n,
    reserve1: depth * 10n ** 18n,
  })

  it.each([
    ['sell', 650n, 915.105],
    ['buy', 830n, -509.016],
  ] as const)(
    'of a %s may use a path that is worse than the best single path at its end',
    (side, amount, value) => {
      const unit = 10n ** 18n
      const middle = numbered('09')
      const pools = [
        { ...pool('01'), reserve0: 1_843n * unit, reserve1: 1_500n * unit },
        { ...pool('02', 4_000n), token1: middle },
        { ...pool('03'), token0: middle, reserve0: 100n * unit, reserve1: 920n * unit },
        { ...pool('04'), token0: middle, reserve0: 1_990n * unit, reserve1: 3_790n * unit },
      ]
      const route = searches[side](pools, wrapped, coin, amount * unit, { maxPaths: 2 })
      expect(route?.paths.map(({ hops }) => hops.map((hop) => hop.pool.address.slice(-2)))).toEqual([
        ['02', '03'],
        ['01'],
      ])
      expect(route && Number(routeValue(side, route, 0n)) / 1e18).toBeCloseTo(value, 3)
    },
  )

  it.each(kinds)('of a %s goes to as many of the deepest pools as are allowed, by their depth', (side) => {
    const pools = [10n, 20n, 30n, 40n].map((depth, index) => pool(`0${index + 1}`, depth))
    const parts = (maxPaths: number, hopCost = 0n) =>
      searches[side](pools, wrapped, coin, 9n * 10n ** 18n, { maxPaths, hopCost })
        ?.paths.map((path) => Number(side === 'sell' ? path.amountIn : path.amountOut) / 9e18)
        .toSorted((a, b) => a - b)
    const expectParts = (found: readonly number[] | undefined, expected: readonly number[]) => {
      expect(found).toHaveLength(expected.length)
      for (const [index, part] of expected.entries()) expect(found?.[index]).toBeCloseTo(part, 12)
    }
    expectParts(parts(1), [1])
    expectParts(parts(2), [3 / 7, 4 / 7])
    expectParts(parts(3), [2 / 9, 3 / 9, 4 / 9])
    expectParts(parts(4), [0.1, 0.2, 0.3, 0.4])
    // The third path gains more than 0.2, the fourth less than 0.12.
    expectParts(parts(4, 15n * 10n ** 16n), [2 / 9, 3 / 9, 4 / 9])
    expectParts(parts(4, 40n * 10n ** 16n), [3 / 7, 4 / 7])
  })

  it('buys more than a single pool holds', () => {
    const [one, two] = [pool('01'), pool('02')]
    const wanted = 15n * 10n ** 19n
    expect(bestRouteForBuy([one], wrapped, coin, wanted)).toBeUndefined()
    const route = bestRouteForBuy([one, two], wrapped, coin, wanted)
    expect(route?.paths.map(({ amountOut }) => amountOut)).toEqual([wanted / 2n, wanted / 2n])
  })

  it('is not made where the additional swaps cost more than they gain', () => {
    const pools = [pool('01'), pool('02')]
    const paths = (cost: bigint) =>
      bestRouteForSell(pools, wrapped, coin, 10n ** 18n, { hopCost: cost })?.paths.length
    const alone = bestRouteForSell(pools, wrapped, coin, 10n ** 18n, { maxPaths: 1 })?.amountOut ?? 0n
    const both = bestRouteForSell(pools, wrapped, coin, 10n ** 18n)?.amountOut ?? 0n
    expect(both - alone).toBeGreaterThan(4n * 10n ** 15n)
    expect(paths(both - alone - 10n)).toBe(2)
    expect(paths(both - alone + 10n)).toBe(1)
  })
})

describe('in a mesh of twenty-two tokens', () => {
  const tokens = [wrapped, coin, ...Array.from({ length: 20 }, (_, index) => numbered(`${index + 10}`))]
  const deep = 10n ** 24n
  let reads = 0
  /** A pool for every two tokens, all at the same price, of different depths. */
  const mesh = (): Pool[] =>
    tokens.flatMap((one, i) =>
      tokens.slice(i + 1).map((other, j) => {
        const [token0, token1] = one < other ? [one, other] : [other, one]
        const reserve1 = deep + (deep / 7n) * BigInt((i * 5 + j * 3) % 11)
        return {
          address: numbered(`${2_000 + i * 100 + j}`),
          token0,
          token1,
          get reserve0() {
            reads++
            return reserve1
          },
          reserve1,
        }
      }),
    )
  const search = (pools: Pool[], side: Kind, amount: bigint, maxPaths: number, hopCost: bigint) => {
    reads = 0
    return searches[side](pools, wrapped, coin, amount, { maxPaths, hopCost })
  }

  it.each(kinds)('dividing a %s reads few pools and improves the result', (side) => {
    const pools = mesh()
    for (const amount of [deep / 20n, deep / 2n, deep, deep * 9n]) {
      for (const cost of [0n, deep / 10n ** 6n]) {
        search(pools, side, amount, 1, cost)
        const alone = search(pools, side, amount, 1, cost)
        const readAlone = reads
        const divided = search(pools, side, amount, 3, cost)
        expect(reads - readAlone).toBeLessThan(150)
        if (!alone || !divided) continue
        checkRoute(divided, side, amount)
        expect(routeValue(side, divided, cost)).toBeGreaterThan(routeValue(side, alone, cost))
      }
    }
  })
})

/** The best value on a grid of divisions, by the pools' arithmetic. */
function gridBest(pools: Pool[], side: Kind, amount: bigint, cost: bigint): bigint | undefined {
  const ways = allWays(pools, wrapped, coin, 3)
  const tables = ways.map((way) => grid.map((part) => through(side, way, (amount * part) / 64n)))
  let best: bigint | undefined
  ways.forEach((one, i) => {
    for (let j = 0; j < i; j++) {
      const other = ways[j] ?? []
      if (one.some((pool) => other.includes(pool))) continue
      const swaps = BigInt(one.length + other.length) * cost
      grid.forEach((_, part) => {
        const [a, b] = [tables[i]?.[part], tables[j]?.[62 - part]]
        if (a === undefined || b === undefined) return
        const value = (side === 'sell' ? a + b : -a - b) - swaps
        if (best === undefined || value > best) best = value
      })
    }
  })
  return best
}

const grid = Array.from({ length: 63 }, (_, index) => BigInt(index + 1))

function through(side: Kind, way: Pool[], amount: bigint): bigint | undefined {
  let token: Address = side === 'sell' ? wrapped : coin
  let reached: bigint | undefined = amount
  for (const pool of side === 'sell' ? way : way.toReversed()) {
    const next: Address = otherToken(pool, token) ?? token
    if (reached === undefined) return undefined
    reached = side === 'sell' ? poolOutputDown(pool, token, reached) : poolInputUp(pool, next, reached)
    token = next
  }
  return reached
}
