import { expect, test } from 'vitest'
import { createRoutedPrices } from '../../../src/auctions/admission/routed-prices.ts'
import { createRouter } from '../../../src/quotes/estimators/router.ts'
import { atoms, samplePool } from '../../fakes/market.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { coin, dollar, nativeMarker, numbered, sampleOrder, wrapped } from '../../fakes/order.ts'

const unit = 10n ** 18n
const market = { pools: [samplePool('01', wrapped, dollar, 10_000n)], gasPrice: 10n ** 9n }
const order = sampleOrder({ id: 1n, sellToken: wrapped, buyToken: dollar, sellAmount: unit })

test('the price is what pools give for what remains, against the limit', async () => {
  const prices = createRoutedPrices(sampleNetwork, 1_000)
  const half = { ...order, id: 2n, partiallyFillable: true, executedSellAmount: unit / 2n }
  prices.look([order, half, { ...order, id: 3n, buyToken: coin }], market, 7, 1_000)
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

test('the price is that of a quote for as much, whatever the size', async () => {
  const pools = [
    samplePool('01', wrapped, dollar, 10_000n),
    samplePool('02', wrapped, coin, 10_000n),
    samplePool('03', dollar, coin, 10_000n),
  ]
  const view = { pools, gasPrice: 10n ** 9n }
  const look = async () => ({ ...view, block: 7 })
  const router = createRouter({ network: sampleNetwork, solver: numbered('50'), look })
  const pairs = [
    [wrapped, dollar],
    [dollar, coin],
    [coin, nativeMarker],
    [wrapped, nativeMarker],
  ] as const
  const orders = pairs.flatMap(([sellToken, buyToken], pair) =>
    [1n, 100n, 1_000n, 60_000n, 900_000n].flatMap((size, index) =>
      (['sell', 'buy'] as const).map((kind, side) =>
        sampleOrder({
          id: BigInt(pair * 100 + index * 10 + side),
          sellToken,
          buyToken,
          kind,
          sellAmount: atoms(sellToken, size),
          buyAmount: atoms(buyToken, size),
        }),
      ),
    ),
  )
  const prices = createRoutedPrices(sampleNetwork, 60_000)
  prices.look(orders, view, 7, 1_000)
  await prices.find()
  const divided = new Set<bigint>()
  for (const { id, kind, sellToken, buyToken, sellAmount, buyAmount } of orders) {
    const amount = kind === 'sell' ? sellAmount : buyAmount
    const quote = await router.estimate({ kind, sellToken, buyToken, amount }, new AbortController().signal)
    expect(prices.of({ id })).toMatchObject({ sell: quote.sellAmount, buy: quote.buyAmount })
    if ((quote.route?.paths.length ?? 0) > 1) divided.add(amount)
  }
  expect(divided.size).toBeGreaterThan(4)
})

test('the best price that was found stays, until the order is gone', async () => {
  const prices = createRoutedPrices(sampleNetwork, 1_000)
  const deep = (reserve: bigint) => ({ ...market, pools: [samplePool('01', wrapped, dollar, reserve)] })
  for (const [block, reserve] of [10_000n, 20_000n, 5_000n].entries()) {
    prices.look([order], deep(reserve), block, block * 1_000)
    await prices.find()
  }
  expect(prices.of(order)?.block).toBe(2)
  expect(prices.bestOf(order)).toMatchObject({ block: 1, at: 1_000 })
  prices.look([], market, 3, 3_000)
  await prices.find()
  expect(prices.bestOf(order)).toBe(undefined)
})

test('without time for all, those come first that have none, then those of the oldest price', async () => {
  const prices = createRoutedPrices(sampleNetwork, -1)
  const orders = [1n, 2n, 3n].map((id) => ({ ...order, id }))
  const blocks = () => orders.map((each) => prices.of(each)?.block ?? null)
  for (const block of [1, 2, 3, 4]) {
    prices.look(orders, market, block, 0)
    await prices.find()
  }
  expect(blocks()).toEqual([4, 2, 3])
  prices.look(orders.slice(1), market, 5, 0)
  await prices.find()
  expect(blocks()).toEqual([null, 5, 3])
})
