import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  amountThrough,
  buying,
  type Direction,
  graphOf,
  ratesAhead,
  selling,
} from '../../../src/domain/routing/graph.ts'
import {
  type Candidate,
  candidateOfPath,
  findCandidates,
  type RouteQuery,
  toDemand,
} from '../../../src/domain/routing/path-search.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { allWays, poolGraphs, unitPool } from '../../fakes/pool-graphs.ts'

const queryOf = (
  pools: readonly Pool[],
  direction: Direction,
  { maxHops = 3, maxPaths = 99, ...more }: Partial<RouteQuery> = {},
): RouteQuery => {
  const graph = graphOf(pools, direction)
  const ahead = ratesAhead(graph, coin, maxHops - 1)
  const limits = { maxHops, maxPaths, hopCost: 0n, amount: 10n ** 18n }
  return { graph, ahead, direction, from: wrapped, to: coin, ...limits, ...more }
}
const idsOf = (pools: readonly Pool[]) => pools.map(({ address }) => address).join()
const found = (query: RouteQuery, price = query.direction === selling ? 0 : 2 ** 200) =>
  findCandidates(query, toDemand(query), price)
const waysOf = (candidates: readonly Candidate[]) =>
  candidates.map(({ poolPath }) => idsOf(poolPath.map(({ pool }) => pool))).toSorted()

const graphs = poolGraphs(fc.bigInt({ min: 10n ** 18n, max: 10n ** 24n }), 9, 3)

it.each([
  ['sell', selling],
  ['buy', buying],
])('without costs each path that passes no token twice is one, for a %s', (_, direction) => {
  fc.assert(
    fc.property(graphs, fc.integer({ min: 1, max: 4 }), (pools, maxHops) => {
      const candidates = found(queryOf(pools, direction, { maxHops }))
      expect(waysOf(candidates)).toEqual(allWays(pools, wrapped, coin, maxHops).map(idsOf).toSorted())
      expect(candidates.map(({ id }) => id)).toEqual(candidates.map((_, index) => index))
    }),
    { numRuns: 50 },
  )
})

it.each([
  ['sell', selling, 1n],
  ['buy', buying, -1n],
])('its curve is that of its pools, for a %s', (_, direction, sign) => {
  fc.assert(
    fc.property(graphs, (pools) => {
      const query = queryOf(pools, direction, { hopCost: 7n, amount: 10n ** 30n })
      for (const { poolPath, depth, root, cost } of found(query)) {
        const given = 10n ** 17n
        const amounts = poolPath.map((_, end) => amountThrough(direction, poolPath.slice(0, end + 1), given))
        const exact = amounts.at(-1)
        // Amounts are whole atoms, also between two pools.
        const isCoarse = amounts.some((amount) => amount === undefined || amount < 10n ** 14n)
        if (exact === undefined || isCoarse || depth < 2e17) continue
        const far = (depth * root * root * Number(given)) / (depth + Number(sign * given))
        expect(far / Number(exact)).toBeCloseTo(1, 9)
        expect(cost).toBe(7 * poolPath.length)
      }
    }),
    { numRuns: 50 },
  )
})

const unit = 10n ** 18n
/** Rates before fees: 2 directly; 3 · 1 by the dollar; and 3 · 1.5 · 1 by two tokens. */
const end = numbered('dd')
const direct = unitPool('01', wrapped, coin, 2_000n)
const pools = [
  direct,
  unitPool('02', wrapped, dollar, 3_000n),
  unitPool('03', dollar, coin, 1_000n),
  unitPool('04', dollar, end, 1_500n),
  unitPool('05', end, coin, 1_000n),
]
const [short, long] = ['02,03', '02,04,05'].map((way) => way.split(',').map(numbered).join())

it('those whose rate is below the price elsewhere are left out', () => {
  const at = (rate: number) => waysOf(found(queryOf(pools, selling), Math.sqrt(rate)))
  expect(at(1.99)).toEqual([direct.address, short, long])
  expect(at(1.995)).toEqual([short, long])
  expect(at(2.98)).toEqual([short, long])
  expect(at(2.983)).toEqual([long])
  expect(at(4.45)).toEqual([long])
  expect(at(4.461)).toEqual([])
})

it('a purchase is below the price elsewhere', () => {
  const back = pools.map(({ address, token0, token1, reserve0, reserve1 }) => ({
    address,
    token0: token1,
    token1: token0,
    reserve0: reserve1,
    reserve1: reserve0,
  }))
  // From the end of the trade: wrapped is given, coin is paid.
  const at = (rate: number) => waysOf(found(queryOf(back, buying), Math.sqrt(rate)))
  const all = [direct.address, short, long]
  // 2 / 0.997 and so on: fees make a purchase dearer.
  expect(at(4.6)).toEqual(all)
  expect(at(4.5)).toEqual([direct.address, short])
  expect(at(3.01)).toEqual([direct.address])
  expect(at(2.0)).toEqual([])
})

it('those that cost more for their swaps than the whole amount gains are left out', () => {
  const waysFor = (hopCost: bigint) => waysOf(found(queryOf(pools, selling, { hopCost }), Math.sqrt(1.5)))
  // What a unit gains at the rate of the first atom: 0.494, 1.482 for two swaps, 2.960 for three.
  expect(waysFor(unit / 10n)).toEqual([direct.address, short, long])
  expect(waysFor((unit * 493n) / 1_000n)).toEqual([direct.address, short, long])
  expect(waysFor((unit * 495n) / 1_000n)).toEqual([short, long])
  expect(waysFor((unit * 740n) / 1_000n)).toEqual([short, long])
  expect(waysFor((unit * 742n) / 1_000n)).toEqual([long])
  expect(waysFor((unit * 986n) / 1_000n)).toEqual([long])
  expect(waysFor((unit * 988n) / 1_000n)).toEqual([])
})

it('pools that as many better ones beat as there are paths are left out', () => {
  const parallel = [2_000n, 1_900n, 1_800n, 1_700n].map((reserve, index) =>
    unitPool(`${10 + index}`, wrapped, coin, reserve),
  )
  const beaten = (maxPaths: number, list = parallel) =>
    found(queryOf(list, selling, { maxPaths })).map(({ beatenBy }) => beatenBy)
  expect(beaten(1)).toEqual([0])
  expect(beaten(2)).toEqual([0, 1])
  expect(beaten(4)).toEqual([0, 1, 2, 3])
  // Of a path the largest counts, wherever it is.
  const first = parallel.map((one) => ({ ...one, token1: dollar }))
  const last = [unitPool('30', dollar, coin, 1_000n), unitPool('31', dollar, coin, 900n)]
  expect(beaten(4, [...first, ...last]).toSorted()).toEqual([0, 1, 1, 1, 2, 2, 3, 3])
})

it('a path from another search has the same curve', () => {
  const query = queryOf(pools, selling, { hopCost: 3n })
  for (const candidate of found(query)) {
    const again = candidateOfPath(query, toDemand(query), candidate.poolPath)
    expect(again).toMatchObject({ id: -1, poolPath: candidate.poolPath, cost: candidate.cost, beatenBy: 0 })
    expect(again.depth / candidate.depth).toBeCloseTo(1, 12)
    expect(again.root / candidate.root).toBeCloseTo(1, 12)
  }
})

it('there is none from a token to itself', () => {
  expect(found({ ...queryOf(pools, selling), from: coin })).toEqual([])
})

it('their number is bounded in a market of many parallel pools', () => {
  const many = (from: Pool['token0'], to: Pool['token0'], digit: number) =>
    Array.from({ length: 40 }, (_, index) =>
      unitPool(`${digit}0${10 + index}`, from, to, 1_000n + BigInt(index)),
    )
  const wide = [...many(wrapped, dollar, 1), ...many(dollar, end, 2), ...many(end, coin, 3)]
  const { length } = found(queryOf(wide, selling))
  expect(length).toBeGreaterThanOrEqual(2_000)
  expect(length).toBeLessThan(2_100)
})
