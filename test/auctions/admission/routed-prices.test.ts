import { expect, test } from 'vitest'
import { createRoutedPrices } from '../../../src/auctions/admission/routed-prices.ts'
import { samplePool } from '../../fakes/market.ts'
import { coin, dollar, sampleOrder, wrapped } from '../../fakes/order.ts'

const unit = 10n ** 18n
const pools = [samplePool('01', wrapped, dollar, 10_000n)]
const order = sampleOrder({ id: 1n, sellToken: wrapped, buyToken: dollar, sellAmount: unit })

test('the price is what pools give for what remains, against the limit', async () => {
  const prices = createRoutedPrices(wrapped, 1_000)
  const half = { ...order, id: 2n, partiallyFillable: true, executedSellAmount: unit / 2n }
  prices.look([order, half, { ...order, id: 3n, buyToken: coin }], pools, 7, 1_000)
  expect(prices.of(order)).toBe(undefined)
  await prices.find()
  const found = [order, half].map((each) => prices.of(each))
  const [whole, rest] = found.map((price) => (price?.gap === undefined ? undefined : price))
  expect([whole?.sell, whole?.block, whole?.at, whole?.hops, rest?.sell]).toEqual([
    unit,
    7,
    1_000,
    1,
    unit / 2n,
  ])
  const limit = Number(order.buyAmount) / Number(order.sellAmount)
  const price = Number(whole?.buy) / Number(whole?.sell)
  expect(Number(whole?.gap)).toBeCloseTo((price / limit - 1) * 1_000_000, -1)
  expect(prices.of({ id: 3n })).toEqual({ block: 7 })
})

test('the best price that was found stays, until the order is gone', async () => {
  const prices = createRoutedPrices(wrapped, 1_000)
  const market = (reserve: bigint) => [samplePool('01', wrapped, dollar, reserve)]
  for (const [block, reserve] of [10_000n, 20_000n, 5_000n].entries()) {
    prices.look([order], market(reserve), block, block * 1_000)
    await prices.find()
  }
  expect(prices.of(order)?.block).toBe(2)
  expect(prices.bestOf(order)).toMatchObject({ block: 1, at: 1_000 })
  prices.look([], pools, 3, 3_000)
  await prices.find()
  expect(prices.bestOf(order)).toBe(undefined)
})

test('without time for all, those come first that have none, then those of the oldest price', async () => {
  const prices = createRoutedPrices(wrapped, -1)
  const orders = [1n, 2n, 3n].map((id) => ({ ...order, id }))
  const blocks = () => orders.map((each) => prices.of(each)?.block ?? null)
  for (const block of [1, 2, 3, 4]) {
    prices.look(orders, pools, block, 0)
    await prices.find()
  }
  expect(blocks()).toEqual([4, 2, 3])
  prices.look(orders.slice(1), pools, 5, 0)
  await prices.find()
  expect(blocks()).toEqual([null, 5, 3])
})
