import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nativeMarker } from '../../../src/domain/evm/address.ts'
import { bytesToHex } from '../../../src/domain/evm/hex.ts'
import { surplusToken } from '../../../src/domain/order/surplus.ts'
import { wrappedForm } from '../../../src/domain/token/token.ts'
import { coin, dollar, numbered, wrapped } from '../../fakes/order.ts'
import { surplusValueDown, tradedSurplusDown } from '../../fakes/order-value.ts'
import { storeContest, storeSettlement } from '../../fakes/solutions.ts'
import { storeOrder } from '../../fakes/stored-order.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql } from '../../setup/trader.ts'

const contract = numbered('ef')

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const amount = fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 10n ** 40n))
const trade = fc.record({ sell: amount, buy: amount, fee: fc.constantFrom(0n, 1n), priced: fc.boolean() })
const history = fc.record({
  kind: fc.constantFrom('sell' as const, 'buy' as const),
  sellAmount: amount,
  buyAmount: amount,
  pair: fc.constantFrom([dollar, coin] as const, [dollar, nativeMarker] as const, [wrapped, dollar] as const),
  price: fc.bigInt(0n, 10n ** 30n),
  /** On chain, by a contract that owns the order. */
  isPlaced: fc.boolean(),
  trades: fc.array(trade, { maxLength: 4 }),
})

test('the database’s surplus of an account equals the domain’s', async () => {
  let id = 100n
  const property = fc.asyncProperty(history, async ({ pair, price, isPlaced, trades, ...terms }) => {
    id++
    const { db } = server.database
    const owner = bytesToHex(
      Uint8Array.from({ length: 20 }, (_, index) => Number((id >> BigInt(8 * index)) & 255n)),
    )
    const [sellToken, buyToken] = pair
    const order = await storeOrder(db, {
      ...terms,
      sellToken,
      buyToken,
      validTo: 2_000_000_000 + Number(id),
      ...(isPlaced ? { owner: contract, onchainUser: owner } : { owner }),
    })
    const nativePrices = new Map([[wrappedForm(surplusToken(order), wrapped), price]])
    await storeContest(db, { id, orders: [order], solutions: [], nativePrices })
    for (const [index, { sell, buy, fee, priced }] of trades.entries()) {
      await storeSettlement(db, {
        txHash: `0x${'ab'.repeat(32)}` as const,
        blockNumber: Number(id),
        logIndex: 2 * index + 1,
        auctionId: priced ? id : null,
        solver: owner,
        trades: [{ order, sell: sell + fee, buy, fee }],
      })
    }
    const expected = trades
      .filter(({ priced }) => priced)
      .reduce((sum, fill) => sum + surplusValueDown(tradedSurplusDown(order, fill), price), 0n)
    const question = `{ account(address: "${owner}") { totalSurplus(network: "sepolia") } }`
    expect((await graphql(server.url, question)).account).toEqual({ totalSurplus: String(expected) })
  })
  await fc.assert(property, { numRuns: 60 })
})
