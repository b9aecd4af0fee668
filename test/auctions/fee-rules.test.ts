import { afterAll, beforeAll, expect, test } from 'vitest'
import { assembleAuction } from '../../src/auctions/assemble.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { createAuctionServices } from '../fakes/auction-services.ts'
import { dollar, numbered, sampleQuote } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

test("each order has the fee policies of its pair at that time, followed by its application's partner fee", async () => {
  const { services, world } = createAuctionServices(database.db)
  const surplus = { kind: 'surplus' as const, factor: 500_000n, maxVolumeFactor: 10_000n }
  services.feePolicies = [
    surplus,
    { kind: 'volume', factor: 200n, buckets: [{ tokens: [nativeMarker, dollar], factor: 30n }] },
    { kind: 'volume', factor: 500n, effectiveFrom: world.seconds + 1 },
  ]
  const document = `{"metadata":{"partnerFee":{"bps":25,"recipient":"${numbered('0d')}"}}}`
  const owned = (digits: string) => ({ owner: numbered(digits), validTo: 2_000_000_000 })
  const plain = await storeOrder(database.db, owned('61'))
  const partnered = await storeOrder(database.db, {
    ...owned('62'),
    fullAppData: document,
    appData: keccakText(document),
  })
  const unwrapping = await storeOrder(database.db, { ...owned('63'), buyToken: nativeMarker, buyAmount: 1n })
  const back = await storeOrder(database.db, {
    ...owned('64'),
    sellToken: dollar,
    sellAmount: 3_000n * 10n ** 6n,
    buyToken: nativeMarker,
    buyAmount: 1n,
  })

  const policies = async () => {
    const assembled = await assembleAuction(services)
    return new Map(assembled?.auction.orders.map(({ order, feePolicies }) => [order.uid, feePolicies]))
  }
  const bucket = { kind: 'volume', factor: 30n }
  const before = await policies()
  expect(before.get(plain.uid)).toEqual([surplus, bucket])
  const partnerFee = { kind: 'volume', factor: 2_500n, recipient: numbered('0d') }
  expect(before.get(partnered.uid)).toEqual([surplus, bucket, partnerFee])
  expect(before.get(unwrapping.uid)).toEqual([surplus])
  expect(before.get(back.uid)).toEqual([surplus, bucket])

  world.seconds++
  const after = await policies()
  expect(after.get(plain.uid)).toEqual([surplus, bucket, { kind: 'volume', factor: 500n }])
  expect(after.get(unwrapping.uid)).toEqual([surplus])
})

test('an order has the policies of its class, by the quote that is stored with it', async () => {
  const { services } = createAuctionServices(database.db)
  const market = { kind: 'volume', factor: 1n } as const
  const limit = { kind: 'volume', factor: 2n } as const
  services.feePolicies = [
    { ...market, orderClass: 'market' },
    { ...limit, orderClass: 'limit' },
  ]
  const terms = { sellAmount: 10n ** 18n, buyAmount: 2_900n * 10n ** 6n, validTo: 2_000_000_000 }
  const quoted = (digits: string, buyAmount: bigint) =>
    storeOrder(database.db, {
      ...terms,
      owner: numbered(digits),
      quote: sampleQuote({ sellAmount: terms.sellAmount, buyAmount }),
    })
  const meets = await quoted('71', terms.buyAmount)
  const asksMore = await quoted('72', terms.buyAmount - 1n)
  const unquoted = await storeOrder(database.db, { ...terms, owner: numbered('73') })
  const assembled = await assembleAuction(services)
  const policiesOf = new Map(
    assembled?.auction.orders.map(({ order, feePolicies }) => [order.uid, feePolicies]),
  )
  expect([meets, asksMore, unquoted].map(({ uid }) => policiesOf.get(uid))).toEqual([
    [market],
    [limit],
    [limit],
  ])
})
