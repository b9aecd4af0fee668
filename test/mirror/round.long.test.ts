import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { address } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData, OrderUid } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { followOrderBook } from '../../src/mirror/follow.ts'
import { type MirrorServices, storeShownOrders } from '../../src/mirror/mirror.ts'
import { createOrderBook } from '../../src/mirror/order-book.ts'
import { bytea, hexOf } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { claimOrderBook, watchAccounts } from '../../src/storage/order/mirror.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, wrapped } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'

const { chainId } = sampleNetwork
const callsPerMinute = 100
const liveOrders = 5_200
const owners = Array.from({ length: 26 }, (_, index) =>
  address(`0x${(index + 0xa0).toString(16).repeat(20)}`),
)
/** They have the oldest orders of the book, of which the lists of their accounts show the newest half. */
const watched = owners.slice(0, 2)

interface BookOrder {
  uid: OrderUid
  owner: string
  status: string
}

/** A public order book: newest orders first, and 429 for the call after the hundredth of a minute. */
const orders = new Map<string, BookOrder>()
const calls: { at: number; path: string }[] = []
let refused = 0
const server = createServer(async (req, res) => {
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://127.0.0.1')
  let text = ''
  for await (const chunk of req) text += chunk
  const at = performance.now()
  const isOver = calls.filter((call) => call.at > at - 60_000).length >= callsPerMinute
  calls.push({ at, path: pathname })
  if (isOver) refused++
  const owner = /^\/api\/v1\/account\/(\w+)\/orders$/.exec(pathname)?.[1]
  const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))]
  const answer = () => {
    if (pathname === '/api/v1/orders/by_uids')
      return (JSON.parse(text) as string[]).flatMap((uid) => ({ order: orders.get(uid) }))
    if (owner !== undefined)
      return [...orders.values()].filter((order) => order.owner === owner).slice(offset, offset + limit)
    return undefined
  }
  const body = isOver ? undefined : answer()
  res.writeHead(isOver ? 429 : body ? 200 : 404, { 'content-type': 'application/json' })
  res.end(JSON.stringify(body ?? { errorType: 'NotFound', description: '' }))
})

/** An order that waits for the signature of its owner on chain. */
function presigned(index: number) {
  const owner = owners[Math.floor((index * owners.length) / liveOrders)] ?? expect.fail()
  const amounts = { sellAmount: BigInt(index + 1), buyAmount: 1n, feeAmount: 0n }
  const data: OrderData = {
    sellToken: wrapped,
    buyToken: dollar,
    receiver: owner,
    validTo: 4_000_000_000,
    ...amounts,
    appData: keccakText('{}'),
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const uid = orderUid(sampleNetwork, data, owner)
  return {
    ...data,
    sellAmount: String(data.sellAmount),
    buyAmount: '1',
    feeAmount: '0',
    fullAppData: '{}',
    uid,
    owner,
    signingScheme: 'presign',
    signature: '0x',
    status: 'presignaturePending',
    creationDate: '2026-11-27T20:00:00.000Z',
  }
}

let database: TestDatabase
let services: MirrorServices
const ignore = () => undefined

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  database = await createTestDatabase()
  const { db } = database
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await claimOrderBook(db, chainId, url, async () => ({ indexedFrom: 0, notifiedFrom: 0 }))
  const common = { db, now: Date.now, log: silentLog }
  services = {
    ...common,
    network: sampleNetwork,
    checkSignature: async () => 'valid',
    readPresignatures: async () => new Map(),
    readInvalidated: async () => new Set(),
    describeTokens: async () => new Map(),
    blockTimes: async () => new Map(),
    orderBook: createOrderBook({
      ...common,
      chainId,
      name: 'book',
      title: 'the order book',
      url,
      callsPerMinute,
      quotesPerSecond: 10,
      submissionsPerSecond: 5,
    }),
    meter: {
      looked: ignore,
      stored: ignore,
      compared: ignore,
      refused: ignore,
      unverified: ignore,
      missing: ignore,
      competitions: ignore,
      unknownMembers: ignore,
    },
  }
  const all = Array.from({ length: liveOrders }, (_, index) => presigned(index))
  for (const order of all) orders.set(order.uid, order)
  for (let from = 0; from < liveOrders; from += 520)
    await storeShownOrders(all.slice(from, from + 520), undefined, services)
})
afterAll(async () => {
  server.close()
  server.closeAllConnections()
  await database?.[Symbol.asyncDispose]()
})

test('5,200 live orders are compared within a minute and its calls, those of watched accounts first', async () => {
  const { db } = database
  await watchAccounts(db, chainId, { accounts: watched }, 600_000)
  const stopping = new AbortController()
  const latestEveryMs = 60_000 / (callsPerMinute * 0.12)
  const following = followOrderBook({ ...services, latestEveryMs, callsPerMinute }, stopping.signal)
  try {
    // A first look spends what may be called at once.
    await eventually('a first look', () => calls.length > 5)
    const uids = [...orders.keys()]
    const cancelled = new Set(uids.filter((_, index) => index % 130 === 70))
    const startedAt = performance.now()
    for (const uid of cancelled) Object.assign(orders.get(uid) ?? {}, { status: 'cancelled' })
    const seen = new Map<string, number>()
    const slowest = () => Math.max(...[...seen.values()])
    await eventually(
      'all cancellations',
      async () => {
        const rows = await sql(db).order.findMany({
          where: {
            uid: { in: [...cancelled].map((uid) => bytea(uid as OrderUid)) },
            cancelledAt: { not: null },
          },
          select: { uid: true },
        })
        for (const { uid } of rows)
          if (!seen.has(hexOf(uid))) seen.set(hexOf(uid), performance.now() - startedAt)
        return seen.size === cancelled.size
      },
      90_000,
    )
    const ofWatched = uids.slice(0, 400).flatMap((uid) => seen.get(uid) ?? [])
    expect(ofWatched).toHaveLength(3)
    expect(Math.max(...ofWatched)).toBeLessThan(20_000)
    expect(slowest()).toBeLessThan(60_000)
    expect(refused).toBe(0)
    const live = { where: { chainId, isLive: true }, _count: true, _min: { comparedAt: true } } as const
    const { _count, _min } = await sql(db).mirroredOrder.aggregate(live)
    expect(_count).toBe(liveOrders - cancelled.size)
    expect(Date.now() - Number(_min.comparedAt)).toBeLessThan(60_000)
  } finally {
    stopping.abort()
    await following
  }
})
