import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Contender,
  canPay,
  limitGap,
  outlookOf,
  rankOf,
  selectContenders,
} from '../../../src/domain/auction/admission.ts'
import { numbered } from '../../fakes/order.ts'

const unit = 10n ** 18n
const prices = { sell: 3_000n * unit, buy: unit }

test('the gap compares the market with the limit, and the share the fee with what is sold', () => {
  const order = { sellAmount: unit, buyAmount: 2_400n * unit }
  expect(outlookOf(order, prices, unit, 30n * unit)).toEqual({ marketGap: 250_000n, feeShare: 10_000n })
  expect(outlookOf({ ...order, buyAmount: 30_000n * unit }, prices, unit / 2n, 30n * unit)).toEqual({
    marketGap: -900_000n,
    feeShare: 20_000n,
  })
  expect(outlookOf({ ...order, buyAmount: 0n }, prices, 0n, 1n)).toEqual({
    marketGap: 10n ** 12n,
    feeShare: 10n ** 12n,
  })
})

test('dust at a generous price ranks below an order that can pay its fee', () => {
  const dust = outlookOf(
    { sellAmount: unit / 10n ** 6n, buyAmount: 1n },
    prices,
    unit / 10n ** 6n,
    unit * 100n,
  )
  const plain = outlookOf({ sellAmount: unit, buyAmount: 2_990n * unit }, prices, unit, unit / 1_000n)
  expect(rankOf(plain) > 0n).toBe(true)
  expect(rankOf({ ...dust, marketGap: 10n ** 7n }) < rankOf(plain)).toBe(true)
})

test('what is sold has to be worth more than the fee', () => {
  expect([canPay(2n, 3n * unit, 5n), canPay(2n, 3n * unit, 6n)]).toEqual([true, false])
})

test.each([
  ['better', 2n, 3n, 500_000n],
  ['equal', 4n, 4n, 0n],
  ['worse', 4n, 3n, -250_000n],
  ['almost equal', 3_000_000n, 2_999_999n, 0n],
])('the gap of a price that is %s', (_, sell, buy, gap) => {
  expect(limitGap({ sellAmount: 7n, buyAmount: 7n }, { sell, buy })).toBe(gap)
})

test('a price that is out of all proportion is capped', () => {
  expect(limitGap({ sellAmount: 10n ** 9n, buyAmount: 1n }, { sell: 1n, buy: 10n ** 9n })).toBe(10n ** 12n)
  expect(outlookOf({ sellAmount: 1n, buyAmount: 1n }, prices, unit, -(10n ** 40n)).feeShare).toBe(
    -(10n ** 12n),
  )
})

test('ten orders of an owner, and a hundred of a pair, come before the next', () => {
  const of = (count: number, owner: string, pair: string, rank = 1n) =>
    Array.from({ length: count }, () => ({ owner: numbered(owner), pair, rank }))
  const taken = (list: Contender[], places: number) =>
    selectContenders(list, places).map((item) => `${item.owner.slice(2, 4)} ${item.pair}`)
  const count = (list: string[], name: string) => list.filter((each) => each === name).length
  const owners = taken([...of(25, '01', 'a'), ...of(15, '02', 'b')], 30)
  expect([count(owners, '01 a'), count(owners, '02 b')]).toEqual([20, 10])
  const many = Array.from({ length: 15 }, (_, index) => of(10, `${index + 10}`, 'a')).flat()
  const pairs = taken([...many, ...of(10, '99', 'b')], 115)
  expect([pairs.filter((each) => each.endsWith(' a')).length, count(pairs, '99 b')]).toEqual([105, 10])
  const far = taken([...of(12, '01', 'a', 0n), ...of(3, '02', 'b', -1n)], 13)
  expect([count(far, '01 a'), count(far, '02 b')]).toEqual([12, 1])
  expect(taken(of(3, '01', 'a'), 3)).toHaveLength(3)
})

const contender = fc.record({
  owner: fc.integer({ min: 1, max: 9 }).map((number) => numbered(`0${number}`)),
  pair: fc.constantFrom('a>b', 'b>a', 'a>c'),
  rank: fc.bigInt(-5n, 5n),
})
const ranked = fc
  .array(contender, { maxLength: 300 })
  .map((list) => list.sort((a, b) => Number(b.rank - a.rank)))

const countOf = (list: readonly Contender[], key: 'owner' | 'pair') => {
  const counts = new Map<string, number>()
  for (const item of list) counts.set(item[key], (counts.get(item[key]) ?? 0) + 1)
  return counts
}

test('places are taken up, in the sequence of the ranking, and by orders near the market first', () => {
  const property = fc.property(ranked, fc.nat({ max: 150 }), (contenders, places) => {
    const taken = selectContenders(contenders, places)
    expect(taken.length).toBe(Math.min(places, contenders.length))
    expect(taken).toEqual(contenders.filter((item) => taken.includes(item)))
    const left = contenders.filter((item) => !taken.includes(item))
    if (left.some(({ rank }) => rank >= 0n)) expect(taken.every(({ rank }) => rank >= 0n)).toBe(true)
  })
  fc.assert(property, { numRuns: 300 })
})

test('no owner gets more than its share while an order of another owner near the market waits', () => {
  const property = fc.property(ranked, fc.nat({ max: 150 }), (contenders, places) => {
    const near = contenders.filter(({ rank }) => rank >= 0n).map((item) => ({ ...item, pair: item.owner }))
    const taken = selectContenders(near, places)
    const [counts, all] = [countOf(taken, 'owner'), countOf(near, 'owner')]
    const hungry = [...all].some(([owner, count]) => (counts.get(owner) ?? 0) < Math.min(count, 10))
    if (hungry) expect(Math.max(0, ...counts.values())).toBeLessThanOrEqual(10)
  })
  fc.assert(property, { numRuns: 300 })
})
