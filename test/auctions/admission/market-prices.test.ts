import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarketPrices } from '../../../src/auctions/admission/publish-auction.ts'
import { dollar, signingDomain, wrapped } from '../../fakes/order.ts'
import { storeOrder } from '../../fakes/stored-order.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql } from '../../setup/trader.ts'

const { chainId } = signingDomain
const minute = 60_000
const start = Date.parse('2026-03-01T12:00:00Z')

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

test('the market price of an order is kept every five minutes, also when another process goes on', async () => {
  const { db, statements } = server.database
  const order = await storeOrder(db, {
    sellToken: wrapped,
    buyToken: dollar,
    creationDate: new Date(start - minute),
  })
  let now = start
  const open = () => createMarketPrices({ db, chainId, now: () => now })
  const pricesAt = (dollars: bigint) =>
    new Map([
      [wrapped, 10n ** 18n],
      [dollar, 10n ** 30n / dollars],
    ])
  const first = open()
  await first.keep(() => pricesAt(2_000n))
  const before = statements.length
  now += 4 * minute
  await first.keep(() => pricesAt(2_100n))
  expect(statements.length).toBe(before)
  await open().keep(() => pricesAt(2_200n))
  now += minute
  await first.keep(() => pricesAt(2_500n))
  const question = `{ order(uid: "${order.uid}") { marketPrices { nodes { at price { decimal } } } } }`
  expect((await graphql(server.url, question)).order.marketPrices.nodes).toEqual([
    { at: '2026-03-01T12:05:00Z', price: { decimal: '0.0000000025' } },
    { at: '2026-03-01T12:00:00Z', price: { decimal: '0.000000002' } },
  ])
})
