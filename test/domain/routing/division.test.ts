import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  amountThrough,
  buying,
  type Direction,
  reversePath,
  selling,
} from '../../../src/domain/routing/graph.ts'
import {
  type Candidate,
  candidateOfPath,
  type Demand,
  type RouteQuery,
  toDemand,
} from '../../../src/domain/routing/path-search.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import {
  gainAt,
  priceOf,
  requiredGainAt,
  sharesOf,
  tradeShares,
  valueOfDivision,
} from '../../../src/domain/routing/split.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'

/** What a path gives for a part, before its cost: depth · root² · part / (depth ± part). */
const farOf = ({ sign }: Demand, { depth, root }: Candidate, part: number) =>
  (depth * root * root * part) / (depth + sign * part)
const curve = (depth: number, root: number, cost = 0): Candidate => ({
  id: 0,
  poolPath: [],
  depth,
  root,
  cost,
  beatenBy: 0,
})
const value = (demand: Demand, candidates: readonly Candidate[], parts: readonly number[]) =>
  candidates.reduce(
    (sum, candidate, index) =>
      sum + demand.sign * farOf(demand, candidate, parts[index] ?? 0) - candidate.cost,
    0,
  )

const curves = fc
  .array(fc.tuple(fc.integer({ min: 100, max: 1_000 }), fc.integer({ min: 90, max: 110 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((list) => list.map(([depth, root], index) => curve(depth * 1e18, root / 100, index * 1e15)))
const signs = fc.constantFrom(1, -1)

describe('an amount that is divided best', () => {
  it('has one marginal price on all paths, and the value of its parts', () => {
    let divided = 0
    fc.assert(
      fc.property(curves, signs, fc.integer({ min: 10, max: 90 }), (candidates, sign, amount) => {
        const demand = { sign, amount: amount * 1e18, hopCost: 0 }
        const price = priceOf(demand, candidates)
        const best = valueOfDivision(demand, candidates)
        const shares = sharesOf(demand, candidates).map(Number)
        expect(price).toBeDefined()
        // Where one gets nothing there is no such division.
        expect(best === undefined).toBe(shares.some((share) => share === 0))
        if (best === undefined || price === undefined) return
        if (candidates.length > 1) divided++
        expect(shares.reduce((sum, share) => sum + share, 0) / demand.amount).toBeCloseTo(1, 12)
        for (const [index, { depth, root }] of candidates.entries())
          expect((root * depth) / (depth + sign * (shares[index] ?? 0)) / price).toBeCloseTo(1, 12)
        expect(value(demand, candidates, shares) / best).toBeCloseTo(1, 12)
      }),
      { numRuns: 300 },
    )
    expect(divided).toBeGreaterThan(50)
  })

  it('is worth no less than any other division', () => {
    fc.assert(
      fc.property(
        curves,
        signs,
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 4, maxLength: 4 }),
        (candidates, sign, weights) => {
          const demand = { sign, amount: 3e19, hopCost: 0 }
          const best = valueOfDivision(demand, candidates)
          if (best === undefined) return
          const used = weights.slice(0, candidates.length)
          const sum = used.reduce((total, weight) => total + weight, 0)
          const parts = used.map((weight) => (weight / sum) * demand.amount)
          expect(value(demand, candidates, parts)).toBeLessThanOrEqual(best + 1e6)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is none where paths for a purchase are not deep enough', () => {
    const buy = (amount: number) => ({ sign: -1, amount, hopCost: 0 })
    const two = [curve(100, 1), curve(50, 1)]
    expect(priceOf(buy(149), two)).toBe(150)
    expect(priceOf(buy(150), two)).toBeUndefined()
    expect(valueOfDivision(buy(150), two)).toBeUndefined()
    expect(priceOf({ sign: 1, amount: 150, hopCost: 0 }, two)).toBe(0.5)
  })

  it('gives a path that is dearer than all others nothing, and no more than the whole to one', () => {
    const demand = { sign: 1, amount: 1e18, hopCost: 0 }
    const [good, bad] = [curve(1e20, 1.2), curve(1e20, 1)]
    expect(sharesOf(demand, [good, bad])).toEqual([10n ** 18n, 0n])
    expect(valueOfDivision(demand, [good, bad])).toBeUndefined()
    // The dearer one is as dear as what the good one gives for its last atom.
    const edge = curve(1e20, (1.2 * 1e20) / 1.01e20)
    expect(valueOfDivision(demand, [good, edge])).toBeUndefined()
  })
})

describe('what a path adds at a price elsewhere', () => {
  it.each([
    ['sell', 1],
    ['buy', -1],
  ])('is the most of all parts of the amount, for a %s', (_, sign) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 1_000 }),
        fc.integer({ min: 80, max: 120 }),
        fc.integer({ min: 80, max: 120 }),
        (depth, root, price) => {
          const demand = { sign, amount: 9e18, hopCost: 0 }
          const candidate = curve(depth * 1e18, root / 100, 1e15)
          const gain = gainAt(demand, candidate, price / 100)
          const gains = Array.from({ length: 1_001 }, (_, part) => {
            const given = (demand.amount * part) / 1_000
            return sign * (farOf(demand, candidate, given) - (price / 100) ** 2 * given) - candidate.cost
          })
          const max = Math.max(...gains)
          expect(gain).toBeGreaterThanOrEqual(max - 1e6)
          expect(gain - max).toBeLessThan(2e13)
          if (sign * (root - price) <= 0) expect(gain).toBe(-candidate.cost)
        },
      ),
    )
  })

  it('must exceed what a division is worth beyond the amount at that price', () => {
    expect(requiredGainAt({ sign: 1, amount: 10, hopCost: 0 }, 50, 2)).toBe(10)
    expect(requiredGainAt({ sign: -1, amount: 10, hopCost: 0 }, -50, 2)).toBe(-10)
  })
})

describe('shares that are traded', () => {
  const unit = 10n ** 18n
  const pool = (digits: string, token1 = coin): Pool => ({
    address: numbered(digits),
    token0: wrapped,
    token1,
    reserve0: 1_000n * unit,
    reserve1: 2_000n * unit,
  })
  const direct = [{ pool: pool('01'), from: wrapped, to: coin }]
  const other = [
    { pool: pool('02', dollar), from: wrapped, to: dollar },
    { pool: { ...pool('03'), token0: dollar }, from: dollar, to: coin },
  ]
  const queryOf = (direction: Direction, amount: bigint): RouteQuery => ({
    graph: new Map(),
    ahead: [],
    direction,
    from: wrapped,
    to: coin,
    amount,
    maxHops: 3,
    maxPaths: 2,
    hopCost: 5n,
  })
  const trade = (direction: Direction, amount: bigint, shares: readonly bigint[]) => {
    const query = queryOf(direction, amount)
    const candidates = [direct, other].map((path) => candidateOfPath(query, toDemand(query), path))
    return tradeShares(query, candidates.slice(0, shares.length), shares)
  }

  it.each([
    ['sell', selling],
    ['buy', buying],
  ])('add up, and are worth what the pools give less the cost of their swaps, for a %s', (_, direction) => {
    const amount = 30n * unit + 7n
    const division = trade(direction, amount, [10n * unit + 1n, 0n])
    const [one, two] = division?.parts ?? []
    expect(one?.poolPath).toEqual(direct)
    expect(two?.poolPath).toEqual(other)
    expect((one?.amount ?? 0n) + (two?.amount ?? 0n)).toBe(amount)
    const reached = [direct, other].map(
      (path, index) => amountThrough(direction, path, division?.parts[index]?.amount ?? 0n) ?? 0n,
    )
    expect(division?.value).toBe(direction.sign * ((reached[0] ?? 0n) + (reached[1] ?? 0n)) - 15n)
    // Of the amounts with the same other side: the least for a sale, the most for a purchase.
    const whole = amountThrough(direction, direct, 10n * unit + 1n)
    expect(reached[0]).toBe(whole)
    const beyond = (one?.amount ?? 0n) - direction.sign
    expect(amountThrough(direction, direct, beyond)).not.toBe(whole)
  })

  it('are none where a path gets nothing, or is given more than it takes', () => {
    expect(trade(selling, 30n * unit, [0n, 0n])).toBeUndefined()
    expect(trade(selling, 30n * unit, [30n * unit, 0n])).toBeUndefined()
    expect(trade(buying, 3_000n * unit, [2_000n * unit, 0n])).toBeUndefined()
    expect(trade(buying, 3_000n * unit, [500n * unit, 0n])).toBeUndefined()
    // The first takes all, exactly.
    const all = amountThrough(selling, reversePath(direct), 10n * unit) ?? 0n
    expect(trade(buying, all, [all])?.parts).toEqual([{ poolPath: direct, amount: all }])
    expect(trade(buying, all, [all, 0n])).toBeUndefined()
    expect(trade(selling, 30n * unit, [1n])?.parts).toEqual([{ poolPath: direct, amount: 30n * unit }])
  })
})
