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
  prices.look([order, half, { ...order, id: 3n, buyToken: coin }], pools, 7)
  expect(prices.of(order)).toBe(undefined)
  await prices.find()
  const [whole, rest] = [prices.of(order), prices.of(half)]
  expect([whole?.sell, whole?.block, rest?.sell]).toEqual([unit, 7, unit / 2n])
  const limit = Number(order.buyAmount) / Number(order.sellAmount)
  const found = Number(whole?.buy) / Number(whole?.sell)
  expect(Number(whole?.gap)).toBeCloseTo((found / limit - 1) * 1_000_000, -1)
  expect(prices.of({ id: 3n })).toBe(undefined)
})

test('without time for all, those come first that have none, then those of the oldest price', async () => {
  const prices = createRoutedPrices(wrapped, -1)
  const orders = [1n, 2n, 3n].map((id) => ({ ...order, id }))
  const blocks = () => orders.map((each) => prices.of(each)?.block ?? null)
  for (const block of [1, 2, 3, 4]) {
    prices.look(orders, pools, block)
    await prices.find()
  }
  expect(blocks()).toEqual([4, 2, 3])
  prices.look(orders.slice(1), pools, 5)
  await prices.find()
  expect(blocks()).toEqual([null, 5, 3])
})
