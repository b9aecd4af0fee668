import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address } from '../../../src/domain/evm/address.ts'
import {
  buying,
  composeSlopes,
  type Direction,
  graphOf,
  rateBits,
  ratesAhead,
  type Slope,
  selling,
  slopeOf,
} from '../../../src/domain/routing/graph.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'

const pool = (digits: string, reserve0: bigint, reserve1: bigint, token1: Address = coin): Pool => ({
  address: numbered(digits),
  token0: wrapped,
  token1,
  reserve0,
  reserve1,
})
const edgesOf = (pools: readonly Pool[], direction: Direction = selling, from = wrapped, to = coin) =>
  (graphOf(pools, direction).get(from)?.get(to) ?? []).map(({ step, beatenBy }) => [
    step.pool.address,
    beatenBy,
  ])

describe('the graph of pools', () => {
  it('leads through a pool both ways, once for each pool that holds both tokens', () => {
    const listed = pool('01', 5n, 7n)
    const pools = [listed, { ...listed }, pool('02', 0n, 7n), pool('03', 5n, 0n), pool('04', 1n, 1n, dollar)]
    const graph = graphOf(pools, selling)
    const ways = [...graph].flatMap(([from, targets]) =>
      [...targets].flatMap(([to, edges]) => edges.map(({ step }) => [from, to, step.pool.address])),
    )
    expect(ways.toSorted()).toEqual(
      [
        [wrapped, coin, numbered('01')],
        [coin, wrapped, numbered('01')],
        [wrapped, dollar, numbered('04')],
        [dollar, wrapped, numbered('04')],
      ].toSorted(),
    )
    expect(graph.get(coin)?.get(wrapped)?.[0]?.step).toEqual({ pool: listed, from: coin, to: wrapped })
  })

  it('is made once for a list of pools and a direction', () => {
    const pools = [pool('01', 5n, 7n)]
    expect(graphOf(pools, selling)).toBe(graphOf(pools, selling))
    expect(graphOf(pools, buying)).toBe(graphOf(pools, buying))
    expect(graphOf(pools, buying)).not.toBe(graphOf(pools, selling))
    expect(graphOf([...pools], selling)).not.toBe(graphOf(pools, selling))
  })

  it('counts the pools that are at least as good at every amount', () => {
    // Of price 2 and depth 20, price 2 and depth 10, price 3 and depth 6.
    const [deep, small, dear] = [pool('01', 10n, 20n), pool('02', 5n, 10n), pool('03', 2n, 6n)]
    expect(edgesOf([small, deep, dear])).toEqual([
      [dear.address, 0],
      [deep.address, 0],
      [small.address, 1],
    ])
    const worst = pool('04', 100n, 5n)
    expect(edgesOf([worst, small, deep, dear]).at(-1)).toEqual([worst.address, 3])
    // Seen from the other side the depth is that of the other token.
    expect(edgesOf([small, deep, dear], selling, coin, wrapped)).toEqual([
      [deep.address, 0],
      [small.address, 1],
      [dear.address, 2],
    ])
  })

  it('takes the earlier of equal pools for the better one', () => {
    const equal = ['01', '02', '03'].map((digits) => pool(digits, 10n, 20n))
    expect(edgesOf(equal)).toEqual(equal.map(({ address }, index) => [address, index]))
  })

  it('of the same depth the better price is better, and of the same price the deeper', () => {
    const [good, bad] = [pool('01', 10n, 20n), pool('02', 11n, 20n)]
    expect(edgesOf([bad, good])).toEqual([
      [good.address, 0],
      [bad.address, 1],
    ])
    const deeper = pool('03', 20n, 40n)
    expect(edgesOf([good, deeper])).toEqual([
      [deeper.address, 0],
      [good.address, 1],
    ])
  })

  it('buys against the way that it is paid', () => {
    const [deep, dear] = [pool('01', 10n, 20n), pool('03', 2n, 6n)]
    expect(edgesOf([dear, deep], buying, coin, wrapped)).toEqual([
      [dear.address, 0],
      [deep.address, 0],
    ])
    expect(edgesOf([dear, deep], buying, wrapped, coin)).toEqual([
      [deep.address, 0],
      [dear.address, 1],
    ])
  })

  it('knows the rate of the first atom, rounded up', () => {
    const [edge] =
      graphOf([pool('01', 3n, 7n)], selling)
        .get(wrapped)
        ?.get(coin) ?? []
    expect(edge?.rate).toBe(((7n * 997n) << rateBits) / 3_000n + 1n)
    expect(edge?.curve).toEqual({ scale: 6_979n, offset: 3_000n, bend: 997n })
    const [bought] =
      graphOf([pool('01', 3n, 7n)], buying)
        .get(coin)
        ?.get(wrapped) ?? []
    expect(bought?.rate).toBe(edge?.rate)
  })
})

describe('rates ahead', () => {
  const end = numbered('dd')
  const chain: Pool[] = [
    pool('01', 1_000n, 2_000n, dollar),
    { ...pool('02', 1_000n, 3_000n), token0: dollar, token1: coin },
    { ...pool('03', 1_000n, 5_000n), token0: coin, token1: end },
  ]
  const ahead = (pools: readonly Pool[], hops: number) =>
    ratesAhead(graphOf(pools, selling), end, hops).map((rates) =>
      Object.fromEntries([...rates].map(([token, rate]) => [token, Number(rate) / 2 ** 192])),
    )

  it('are of the tokens that reach the target within so many hops', () => {
    const fee = 0.997
    const rates = ahead(chain, 3)
    const expected: Record<string, number>[] = [
      { [end]: 1 },
      { [end]: 1, [coin]: 5 * fee },
      { [end]: 1, [coin]: 5 * fee, [dollar]: 15 * fee ** 2 },
      { [end]: 1, [coin]: 5 * fee, [dollar]: 15 * fee ** 2, [wrapped]: 30 * fee ** 3 },
    ]
    expect(rates.map((row) => Object.keys(row).toSorted())).toEqual(
      expected.map((row) => Object.keys(row).toSorted()),
    )
    for (const [hops, row] of expected.entries())
      for (const [token, rate] of Object.entries(row)) expect(rates[hops]?.[token]).toBeCloseTo(rate, 12)
  })

  it('are the best of several ways', () => {
    const direct = { ...pool('04', 1_000n, 40_000n), token0: wrapped, token1: end }
    expect(ahead([...chain, direct], 3)[3]?.[wrapped]).toBeCloseTo(40 * 0.997, 12)
    const poor = { ...direct, reserve1: 10_000n }
    expect(ahead([...chain, poor], 3)[3]?.[wrapped]).toBeCloseTo(30 * 0.997 ** 3, 12)
    expect(ahead([...chain, poor], 3)[1]?.[wrapped]).toBeCloseTo(10 * 0.997, 12)
  })

  it('are never below what an atom gets, in whole numbers', () => {
    const [, , , rates] = ratesAhead(graphOf(chain, selling), end, 3)
    const exact = (30n * 997n ** 3n) << rateBits
    const rate = rates?.get(wrapped) ?? 0n
    expect(rate * 10n ** 9n > exact).toBe(true)
    expect(rate * 10n ** 9n - exact < 100n * 10n ** 9n).toBe(true)
  })
})

describe('slopes', () => {
  const reserve = fc.bigInt({ min: 10n ** 18n, max: 10n ** 24n })
  /** By which part of a reserve the given amount is small enough for the pool. */
  const part = fc.bigInt({ min: 3n, max: 1_000n })
  const far = (direction: Direction, { rate, bend }: Slope, given: number) =>
    (rate * given) / (1 + Number(direction.sign) * bend * given)

  it.each([
    ['sell', selling],
    ['buy', buying],
  ])('tell what a pool gives for a %s', (_, direction) => {
    fc.assert(
      fc.property(reserve, reserve, part, (reserve0, reserve1, divisor) => {
        const step = { pool: pool('01', reserve0, reserve1), from: wrapped, to: coin }
        const given = reserve0 / divisor
        const exact = Number(direction.swapAmount(step, given))
        expect(far(direction, slopeOf(direction, step), Number(given)) / exact).toBeCloseTo(1, 9)
      }),
    )
  })

  it.each([
    ['sell', selling],
    ['buy', buying],
  ])('of two pools in a row are one for a %s', (_, direction) => {
    fc.assert(
      fc.property(reserve, reserve, part, (reserve0, reserve1, divisor) => {
        const first = { pool: pool('01', reserve0, reserve1), from: wrapped, to: coin }
        const next = { ...pool('02', 3n * reserve1, reserve0), token0: coin, token1: dollar }
        const second = { pool: next, from: coin, to: dollar }
        const given = reserve0 / (2n * divisor)
        const between = direction.swapAmount(first, given) ?? 0n
        const exact = direction.swapAmount(second, between)
        fc.pre(exact !== undefined)
        const joined = composeSlopes(slopeOf(direction, first), slopeOf(direction, second))
        expect(far(direction, joined, Number(given)) / Number(exact)).toBeCloseTo(1, 9)
      }),
    )
  })
})
