import { afterAll, beforeAll, expect, test } from 'vitest'
import { bookOrder, keyOf } from '../../bench/follow/signed-order.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { type MirrorServices, storeShownOrders } from '../../src/mirror/mirror.ts'
import { createOrderBook } from '../../src/mirror/order-book.ts'
import { createStoredBodies } from '../../src/mirror/stored-bodies.ts'
import { bytea } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { claimOrderBook, noteMissing } from '../../src/storage/order/mirror.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, wrapped } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

const { chainId } = sampleNetwork
const ignore = () => undefined
let database: TestDatabase
let services: MirrorServices
/** Orders that were read whole: their tokens are described. */
let readWhole = 0
let compared = 0

beforeAll(async () => {
  database = await createTestDatabase()
  const { db } = database
  const url = 'http://127.0.0.1:1'
  await claimOrderBook(db, chainId, url, async () => ({ indexedFrom: 0, notifiedFrom: 0 }))
  const common = { db, now: Date.now, log: silentLog }
  services = {
    ...common,
    network: sampleNetwork,
    checkSignature: async () => 'valid',
    readPresignatures: async () => new Map(),
    readInvalidated: async () => new Set(),
    describeTokens: async (tokens) => {
      readWhole += tokens.length / 2
      return new Map()
    },
    blockTimes: async () => new Map(),
    orderBook: createOrderBook({
      ...common,
      chainId,
      name: 'book',
      title: 'the order book',
      url,
      callsPerMinute: 100,
      quotesPerSecond: 10,
      submissionsPerSecond: 5,
    }),
    storedBodies: createStoredBodies(db, chainId),
    meter: {
      looked: ignore,
      stored: ignore,
      refused: ignore,
      unverified: ignore,
      missing: ignore,
      competitions: ignore,
      unknownMembers: ignore,
      compared: (count) => {
        compared += count
      },
    },
  }
})
afterAll(() => database?.[Symbol.asyncDispose]())

function signed(sellAmount: bigint, scheme = 'eip712') {
  const data: OrderData = {
    sellToken: wrapped,
    buyToken: dollar,
    receiver: null,
    validTo: 4_000_000_000,
    sellAmount,
    buyAmount: 1n,
    feeAmount: 0n,
    appData: keccakText('{}'),
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const createdAt = new Date('2026-11-27T20:00:00.000Z')
  const order = bookOrder(sampleNetwork, data, { key: keyOf('owner'), document: '{}', createdAt })
  return { ...order, signingScheme: scheme, executedSellAmount: '0', executedBuyAmount: '0' }
}

const past = new Date('2026-11-28T00:00:00.000Z')

/** Stores a body. @returns whether it was read whole, and the order with what is mirrored of it */
async function compare(body: ReturnType<typeof signed>) {
  const { db } = database
  await sql(db).mirroredOrder.updateMany({ data: { comparedAt: past } })
  const before = readWhole
  expect(await storeShownOrders([body], [body.uid], services)).toEqual(new Set([body.uid]))
  const order = await sql(db).order.findUniqueOrThrow({
    where: { chainId_uid: { chainId, uid: bytea(body.uid) } },
  })
  const mirrored = await sql(db).mirroredOrder.findUniqueOrThrow({ where: { orderId: order.id } })
  return { isWhole: readWhole > before, order, mirrored }
}

test('an unchanged order is compared without being read again, and a changed one is read', async () => {
  const body = signed(1n)
  expect((await compare(body)).isWhole).toBe(true)
  const again = await compare(body)
  expect(again.isWhole).toBe(false)
  expect(again.mirrored.comparedAt).not.toEqual(past)
  expect(compared).toBe(1)
  const cancelled = await compare(Object.assign({}, body, { status: 'cancelled' }))
  expect([cancelled.isWhole, cancelled.order.cancelledAt !== null]).toEqual([true, true])
  // An order that has ended is read whole, whatever it was before.
  expect((await compare(body)).isWhole).toBe(true)
})

test('an order that was removed, that traded, or that was missing is read whole', async () => {
  const { db } = database
  const body = signed(2n)
  const { order } = await compare(body)
  await sql(db).mirroredOrder.deleteMany({ where: { orderId: order.id } })
  expect((await compare(body)).isWhole).toBe(true)
  await sql(db).mirroredOrder.updateMany({ where: { orderId: order.id }, data: { tradedAt: new Date() } })
  expect((await compare(body)).isWhole).toBe(true)
  await sql(db).mirroredOrder.updateMany({ where: { orderId: order.id }, data: { tradedAt: null } })
  expect((await compare(body)).isWhole).toBe(false)
  await noteMissing(db, chainId, [body.uid])
  expect((await compare(body)).isWhole).toBe(true)
  expect(await sql(db).missingOrder.count({ where: { chainId } })).toBe(0)
})

test('an order whose signature is read from the chain is read whole each time', async () => {
  const body = signed(3n, 'presign')
  await compare(body)
  expect((await compare(body)).isWhole).toBe(true)
})
