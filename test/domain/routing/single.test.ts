import { describe, expect, it } from 'vitest'
import { buying, type Direction, graphOf, ratesAhead, selling } from '../../../src/domain/routing/graph.ts'
import { bestSinglePath, type RouteQuery } from '../../../src/domain/routing/path-search.ts'
import type { Pool } from '../../../src/domain/routing/pool.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { unitPool } from '../../fakes/pool-graphs.ts'

const unit = 10n ** 18n
/** The best path, and how many swaps were computed to find it. */
function search(pools: readonly Pool[], direction: Direction, more: Partial<RouteQuery> = {}) {
  const maxHops = more.maxHops ?? 3
  const graph = graphOf(pools, direction)
  const ahead = ratesAhead(graph, coin, maxHops - 1)
  let swaps = 0
  const counted: Direction = {
    ...direction,
    swapAmount(step, amount) {
      swaps++
      return direction.swapAmount(step, amount)
    },
  }
  const limits = { maxHops, maxPaths: 1, hopCost: 0n, amount: unit }
  const best = bestSinglePath({
    graph,
    ahead,
    direction: counted,
    from: wrapped,
    to: coin,
    ...limits,
    ...more,
  })
  return { way: best?.poolPath.map((step) => step.pool.address), value: best?.value, swaps }
}
const [direct, first, second] = [
  unitPool('01', wrapped, coin, 2_000n),
  unitPool('02', wrapped, dollar, 1_000n),
  unitPool('03', dollar, coin, 1_000n),
]
const addressesOf = (...pools: Pool[]) => pools.map(({ address }) => address)

describe('the best single path', () => {
  it('is worth what it gives, less the cost of its swaps', () => {
    const two = search([first, second], selling, { hopCost: 7n })
    const between = selling.swapAmount({ pool: first, from: wrapped, to: dollar }, unit) ?? 0n
    const reached = selling.swapAmount({ pool: second, from: dollar, to: coin }, between) ?? 0n
    expect(two).toMatchObject({ way: addressesOf(first, second), value: reached - 14n })
  })

  it('has the fewer swaps of two that are worth the same', () => {
    const dear = { ...direct, reserve1: 900n * unit }
    const valueThrough = (...pools: Pool[]) => search(pools, selling).value ?? 0n
    const gap = valueThrough(first, second) - valueThrough(dear)
    const wayAt = (hopCost: bigint) => search([first, second, dear], selling, { hopCost }).way
    expect(wayAt(gap)).toEqual(addressesOf(dear))
    expect(wayAt(gap - 1n)).toEqual(addressesOf(first, second))
    // A path of three is found before one of two.
    const end = numbered('dd')
    const three = [unitPool('07', wrapped, end, 1_100n), unitPool('08', end, dollar, 1_000n)]
    const found = [...three, second]
    const more = valueThrough(...found) - valueThrough(first, second)
    const wayOf = (hopCost: bigint) => search([...found, first], selling, { hopCost }).way
    expect(wayOf(more)).toEqual(addressesOf(first, second))
    expect(wayOf(more - 1n)).toEqual(addressesOf(...found))
  })

  it('of parallel pools takes the best for the amount, and looks at no pool that another beats', () => {
    const parallel = [2_000n, 1_900n, 1_800n, 1_700n].map((reserve, index) =>
      unitPool(`1${index}`, wrapped, coin, reserve),
    )
    expect(search(parallel.toReversed(), selling)).toMatchObject({
      way: addressesOf(...parallel.slice(0, 1)),
      swaps: 1,
    })
    expect(search(parallel.toReversed(), buying)).toMatchObject({ swaps: 1 })
    // The second has the worse price for a little, and the better one for much.
    const [shallow, deep] = [
      { ...unitPool('20', wrapped, coin, 10n), reserve0: 4n * unit },
      unitPool('21', wrapped, coin, 2_000n),
    ]
    expect(search([shallow, deep], selling, { amount: unit / 1_000n }).way).toEqual(addressesOf(shallow))
    expect(search([shallow, deep], selling, { amount: 10n * unit }).way).toEqual(addressesOf(deep))
  })

  it('goes on to the next of parallel pools where the best refuses the amount', () => {
    const full = { ...direct, reserve0: 2n ** 112n - 2n, reserve1: 2n ** 112n - 1n }
    const worse = { ...unitPool('06', wrapped, coin, 1n), reserve0: 10n ** 6n, reserve1: 10n }
    expect(search([full, worse], selling, { amount: 10n ** 6n }).way).toEqual(addressesOf(worse))
  })

  it('computes no swap towards what cannot be better', () => {
    const away = [unitPool('30', wrapped, dollar, 500n), unitPool('31', dollar, coin, 500n)]
    expect(search([direct, ...away], selling)).toMatchObject({ way: addressesOf(direct), swaps: 1 })
    // Better by its rate, but not by two swaps at this cost.
    const better = [unitPool('32', wrapped, dollar, 1_500n), unitPool('33', dollar, coin, 1_500n)]
    expect(search([direct, ...better], selling)).toMatchObject({ way: addressesOf(...better), swaps: 3 })
    expect(search([direct, ...better], selling, { hopCost: unit })).toMatchObject({
      way: addressesOf(direct),
      swaps: 1,
    })
  })

  it('computes no swap of a purchase towards what cannot be cheaper', () => {
    const away = [unitPool('30', wrapped, dollar, 500n), unitPool('31', dollar, coin, 500n)]
    const cheap = [unitPool('32', wrapped, dollar, 1_500n), unitPool('33', dollar, coin, 1_500n)]
    const back = ({ token0, token1, reserve0, reserve1, ...one }: Pool): Pool => ({
      ...one,
      token0: token1,
      token1: token0,
      reserve0: reserve1,
      reserve1: reserve0,
    })
    // It begins at what is bought, so that the cheapest is the one that asks for least.
    expect(search([direct, ...cheap].map(back), buying)).toMatchObject({
      way: addressesOf(direct),
      swaps: 1,
    })
    expect(search([direct, ...away].map(back), buying)).toMatchObject({
      way: addressesOf(...away),
      swaps: 3,
    })
  })

  it('goes on from a token with one hop left from the best arrival alone', () => {
    const end = numbered('dd')
    const [one, other] = [numbered('e0'), numbered('e1')]
    const deep = [unitPool('40', wrapped, one, 1_000n), unitPool('41', one, end, 1_000n)]
    const last = unitPool('50', end, coin, 1_000n)
    // A better rate for the first atom alone.
    const shallow = { ...unitPool('43', other, end, 1n), reserve0: unit / 2n }
    const { way, swaps } = search([...deep, unitPool('42', wrapped, other, 1_000n), shallow, last], selling)
    expect(way).toEqual(addressesOf(...deep, last))
    // Three of the first path, and two to the same token by the other.
    expect(swaps).toBe(5)
  })

  it('is bounded in its hops', () => {
    expect(search([first, second], selling, { maxHops: 1 }).way).toBeUndefined()
    expect(search([first, second], selling, { maxHops: 2 }).way).toEqual(addressesOf(first, second))
    expect(search([first, second], selling, { from: coin }).way).toBeUndefined()
    expect(search([], selling)).toEqual({ way: undefined, value: undefined, swaps: 0 })
  })
})
