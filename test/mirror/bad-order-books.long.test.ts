import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { createOrderBook } from '../../src/mirror/order-book.ts'
import { Throttled } from '../../src/outside/fault.ts'
import { bytea, hexOf } from '../../src/storage/database/columns.ts'
import { sql } from '../../src/storage/database/database.ts'
import { claimOrderBook, liveMirrored, noteMissing } from '../../src/storage/order/mirror.ts'
import { sweep } from '../../src/storage/retention/sweep.ts'
import { putWallet } from '../chain/contracts.ts'
import { type Answer, json, startOrderBook } from '../fakes/order-book.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { collect } from '../setup/collect.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const book = await startOrderBook()
/** Answers as a test says; without one it knows nothing. */
const { answers, calls } = book
const orderBookUrl = () => book.url

let chain: TestChain
let database: TestDatabase
let follower: App
let trader: ReturnType<typeof createTrader>
let amount = 10n ** 16n

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  const orderBook = { url: orderBookUrl(), callsPerMinute: 1_000_000 }
  // Without the role `index`, only clients cause calls.
  follower = await startProgram(
    { database, chain },
    { ...unlimited, METRICS_PORT: '0', CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' },
    {
      networks: [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }],
    },
  )
  trader = createTrader(follower.url ?? '', chain.market)
})
afterAll(async () => {
  await follower?.close()
  book.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  answers.clear()
  calls.length = 0
})

/** An order as an order book writes it, with its UID. `account`: a smart account of the trader. */
async function signed(hash?: string, account?: string) {
  amount += 1n
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: amount, buyAmount: 10n ** 15n } as const
  const {
    from: trading,
    appData: _,
    ...order
  } = await trader.sign({ ...wish, ...(hash && { appDataHash: hash }) })
  const from = account ?? trading
  const appDataHash = hash ?? keccakText('{}')
  const amounts = { sellAmount: amount, buyAmount: 10n ** 15n, feeAmount: 0n }
  const data = { ...order, ...amounts, appData: appDataHash } as unknown as OrderData
  const uid = orderUid(chain.market.network, data, from.toLowerCase() as `0x${string}`)
  const scheme = account ? { signingScheme: 'eip1271' } : {}
  const body = {
    ...order,
    ...scheme,
    uid,
    owner: from,
    appData: appDataHash,
    fullAppData: '{}',
    status: 'open',
  }
  return { uid, body: { ...body, creationDate: '2026-11-27T20:00:00.000Z', someNewMember: { a: [1] } } }
}

const read = (uid: string) => request(`${trader.base}/api/v1/orders/${uid}`)
const counted = async (outcome: string) =>
  Number(
    new RegExp(`tradegraph_mirrored_orders_total\\{network="sepolia",outcome="${outcome}"\\} (\\d+)`).exec(
      (await request(`${follower.metricsUrl}/metrics`)).body,
    )?.[1] ?? 0,
  )

describe('an order of an order book', () => {
  test('is stored without its unknown members', async () => {
    const { uid, body } = await signed()
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, body))
    const { status, body: order } = await read(uid)
    expect(status).toBe(200)
    expect(order).toMatchObject({ uid, sellAmount: String(amount), fullAppData: '{}', status: 'open' })
    expect(order).not.toHaveProperty('someNewMember')
    await read(uid)
    expect(calls).toEqual([`GET /api/v1/orders/${uid}`])
  })

  test.each([
    ['digest', { sellAmount: '1' }],
    ['digest', { validTo: 4_000_000_000 }],
    ['signature', { signature: `0x${'11'.repeat(64)}1b` }],
    ['malformed', { kind: 'swap' }],
    ['malformed', { sellAmount: '-1' }],
    ['malformed', { sellAmount: `1${'0'.repeat(78)}` }],
    ['malformed', { creationDate: 'yesterday' }],
    ['malformed', { owner: null }],
  ])('is not believed, and counted as %s: %j', async (fault, change) => {
    const before = await counted(fault)
    const { uid, body } = await signed()
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, { ...body, ...change }))
    expect((await read(uid)).status).toBe(404)
    expect(await counted(fault)).toBe(before + 1)
  })

  test('that was cancelled there and filled all the same is shown as both, without an event', async () => {
    const { uid, body } = await signed()
    const { chainId } = chain.market.network
    const amounts = { sellAmount: String(amount), buyAmount: String(10n ** 15n), feeAmount: 0 }
    const logged = { blockNumber: 3n, logIndex: 1, txHash: bytea(keccakText(uid)), orderUid: bytea(uid) }
    const [owner, none] = [bytea(body.owner as `0x${string}`), new Uint8Array(20)]
    await sql(database.db).trade.create({
      data: { chainId, ...logged, ...amounts, owner, sellToken: none, buyToken: none },
    })
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) =>
      json(res, 200, { ...body, status: 'fulfilled', invalidated: true }),
    )
    expect((await read(uid)).body).toMatchObject({ status: 'fulfilled', invalidated: true })
    const query = 'query ($uid: OrderUid!) { order(uid: $uid) { events { nodes { label } } } }'
    const { order } = await graphql(follower.url ?? '', query, { uid })
    expect(order.events.nodes.map(({ label }: { label: string }) => label)).not.toContain('CANCELLED')
  })

  test('that was filled before the first indexed block is not shown as cancelled by an event', async () => {
    const { uid, body } = await signed()
    const old = { status: 'fulfilled', invalidated: true, executedSellAmount: body.sellAmount }
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, { ...body, ...old }))
    const query = 'query ($uid: OrderUid!) { order(uid: $uid) { invalidated events { nodes { label } } } }'
    const { order } = await graphql(follower.url ?? '', query, { uid })
    expect(order).toEqual({ invalidated: true, events: { nodes: [{ label: 'CREATED' }] } })
  })

  test('under another UID than the requested one is not stored', async () => {
    const [one, other] = [await signed(), await signed()]
    answers.set(`GET /api/v1/orders/${one.uid}`, (_, res) => json(res, 200, other.body))
    expect((await read(one.uid)).status).toBe(404)
    answers.clear()
    expect((await read(other.uid)).status).toBe(404)
  })

  test('has a document under another hash marked, and nothing is read from it', async () => {
    const { uid, body } = await signed(`0x${'d1'.repeat(32)}`)
    const hooks = { pre: [{ target: `0x${'11'.repeat(20)}`, callData: '0x', gasLimit: '1' }], post: [] }
    const fullAppData = JSON.stringify({ appCode: 'not its own', metadata: { hooks } })
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, { ...body, fullAppData }))
    const { body: order } = await read(uid)
    expect(order.fullAppData).toBe(fullAppData)
    expect(order.interactions).toEqual({ pre: [], post: [] })
    const shown = await graphql(
      follower.url ?? '',
      `{ order(uid: "${uid}") { fullAppData mirror { isVerified isDocumentVerified } hooks { target } }
        orders(first: 1, filter: { appCode: "not its own" }) { nodes { uid } } }`,
    )
    expect(shown).toEqual({
      order: { fullAppData, mirror: { isVerified: true, isDocumentVerified: false }, hooks: [] },
      orders: { nodes: [] },
    })
    expect((await request(`${trader.base}/api/v1/app_data/${body.appData}`)).status).toBe(404)
  })

  test('that is there twice is stored once', async () => {
    const { uid, body } = await signed()
    const list = `GET /api/v1/account/${trader.address.toLowerCase()}/orders?offset=0&limit=1000`
    answers.set(list, (_, res) => json(res, 200, [body, body]))
    const { body: orders } = await request(`${trader.base}/api/v1/account/${trader.address}/orders`)
    expect(orders.filter((order: { uid: string }) => order.uid === uid)).toHaveLength(1)
  })

  test('that vanishes waits for its next turn, so that others are compared', async () => {
    const { uid, body } = await signed()
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, body))
    await read(uid)
    const { db } = database
    const { chainId } = chain.market.network
    const isDue = async () =>
      (await liveMirrored(db, chainId, new Date(Date.now() + 60_000), 1_000)).includes(uid)
    expect(await isDue()).toBe(true)
    await noteMissing(db, chainId, [uid])
    expect(await isDue()).toBe(false)
  })

  test('that a contract placed for a user is open, though its placement is not followed', async () => {
    const { uid, body } = await signed(undefined, `0x${'ef'.repeat(20)}`)
    const placed = {
      ethflowData: { userValidTo: body.validTo, refundTxHash: null },
      onchainOrderData: { sender: trader.address, placementError: null },
    }
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, { ...body, ...placed }))
    expect((await read(uid)).body).toMatchObject({
      status: 'open',
      onchainUser: trader.address.toLowerCase(),
    })
  })

  test('that is missing is not requested again at once', async () => {
    const { uid } = await signed()
    expect((await read(uid)).status).toBe(404)
    expect((await read(uid)).status).toBe(404)
    expect(calls).toHaveLength(1)
  })
})

describe('the order of a smart account', () => {
  const account = '0x1271000000000000000000000000000000001271'
  const mirror = async (uid: string) =>
    (await graphql(follower.url ?? '', `{ order(uid: "${uid}") { mirror { isVerified } } }`)).order.mirror

  test('is not verified while its contract does not answer, and no other order waits for it', async () => {
    const endless = '0x1271000000000000000000000000000000001272'
    // JUMPDEST, PUSH1 0, JUMP: it uses all gas that it gets.
    await chain.rpc.call('anvil_setCode', [endless, '0x5b600056'])
    const { uid, body } = await signed(undefined, endless)
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, body))
    expect((await read(uid)).status).toBe(200)
    expect(await mirror(uid)).toEqual({ isVerified: false })
  })

  test('is verified by its contract, and notifies nobody if it is not', async () => {
    await putWallet(chain.rpc, account, trader.address.toLowerCase() as `0x${string}`)
    const [good, bad] = [await signed(undefined, account), await signed(undefined, account)]
    bad.body.signature = good.body.signature
    const uids = [good.uid, bad.uid]
    answers.set('DELETE /api/v1/orders', (_, res) => json(res, 200, 'Cancelled'))
    for (const { uid, body } of [good, bad]) {
      answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, body))
      expect((await read(uid)).status).toBe(200)
    }
    expect([await mirror(good.uid), await mirror(bad.uid)]).toEqual([
      { isVerified: true },
      { isVerified: false },
    ])
    for (const { uid, body } of [good, bad])
      answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, { ...body, status: 'cancelled' }))
    expect((await trader.cancel(uids)).status).toBe(200)
    for (const uid of uids) expect((await read(uid)).body.status).toBe('cancelled')
    const { body: notifications } = await request(`${follower.url}/accounts/${account}/notifications`)
    expect(notifications.map(({ metadata }: { metadata: object }) => metadata)).toMatchObject([
      { orderId: good.uid },
    ])
  })
})

describe('what is not stored', () => {
  test('is read in one call for all that name it at once', async () => {
    const { uid, body } = await signed()
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => setTimeout(() => json(res, 200, body), 300))
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await read(uid)).status))
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(calls).toEqual([`GET /api/v1/orders/${uid}`])
  })

  test('is unavailable after two seconds, and stored all the same once it comes', async () => {
    const { uid, body } = await signed()
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => setTimeout(() => json(res, 200, body), 3_000))
    const startedAt = performance.now()
    expect((await read(uid)).status).toBe(503)
    expect(performance.now() - startedAt).toBeLessThan(2_900)
    await eventually('it is stored', async () => (await read(uid)).status === 200)
    expect(calls).toHaveLength(1)
  })

  test('is a document that has its hash, or none', async () => {
    const fullAppData = '{"appCode":"of the order book"}'
    const hash = keccakText(fullAppData)
    const other = `0x${'d2'.repeat(32)}`
    for (const each of [hash, other])
      answers.set(`GET /api/v1/app_data/${each}`, (_, res) => json(res, 200, { fullAppData }))
    for (let times = 0; times < 2; times++) {
      expect((await request(`${trader.base}/api/v1/app_data/${hash}`)).body).toEqual({ fullAppData })
      expect((await request(`${trader.base}/api/v1/app_data/${other}`)).status).toBe(404)
    }
    expect(calls).toEqual([`GET /api/v1/app_data/${hash}`, `GET /api/v1/app_data/${other}`])
  })

  test('is each order of a transaction, in one call', async () => {
    const orders = [await signed(), await signed()]
    const txHash = keccakText(orders.map(({ uid }) => uid).join())
    const [chainId, blockNumber] = [chain.market.network.chainId, 7n]
    const [amounts, none] = [{ sellAmount: 1, buyAmount: 1, feeAmount: 0 }, new Uint8Array(20)]
    await sql(database.db).settlement.create({
      data: { chainId, blockNumber, logIndex: 9, solver: none, txHash: bytea(txHash) },
    })
    await sql(database.db).trade.createMany({
      data: orders.map(({ uid }, logIndex) => ({
        chainId,
        blockNumber,
        logIndex,
        txHash: bytea(txHash),
        orderUid: bytea(uid),
        ...amounts,
        owner: none,
        sellToken: none,
        buyToken: none,
      })),
    })
    const path = `/api/v1/transactions/${txHash}/orders`
    answers.set('POST /api/v1/orders/by_uids', (_, res) => {
      json(
        res,
        200,
        orders.map(({ body }) => ({ order: body })),
      )
    })
    const { body: found } = await request(`${trader.base}${path}`)
    expect(found.map(({ uid }: { uid: string }) => uid)).toEqual(orders.map(({ uid }) => uid))
    const query = `{ transactionOrders(hash: "${txHash}") { uid } }`
    expect((await graphql(follower.url ?? '', query)).transactionOrders).toHaveLength(2)
    expect(calls).toEqual(['POST /api/v1/orders/by_uids'])
  })

  test('is removed a day after it was read, once it has ended unused', async () => {
    const [live, ended] = [await signed(), await signed()]
    answers.set(`GET /api/v1/orders/${live.uid}`, (_, res) => json(res, 200, live.body))
    answers.set(`GET /api/v1/orders/${ended.uid}`, (_, res) => {
      json(res, 200, { ...ended.body, status: 'cancelled' })
    })
    for (const { uid } of [live, ended]) expect((await read(uid)).status).toBe(200)
    const days = { events: 0, competitions: 0, marketPrices: 0, feed: 0 }
    const sweepAt = (now: number) =>
      sweep(
        {
          db: database.db,
          networks: [chain.market.network],
          now: () => now,
          log: silentLog,
          days: { ...days, quotes: 0, idempotencyKeys: 0, deliveries: 0 },
        },
        new AbortController().signal,
      )
    await sweepAt(Date.now() + 80_000_000)
    expect((await graphql(follower.url ?? '', `{ order(uid: "${ended.uid}") { uid } }`)).order).not.toBeNull()
    await sweepAt(Date.now() + 90_000_000)
    answers.clear()
    calls.length = 0
    expect([(await read(live.uid)).status, (await read(ended.uid)).status]).toEqual([200, 404])
    expect(calls).toEqual([`GET /api/v1/orders/${ended.uid}`])
    expect(await sql(database.db).mirroredOrder.count({ where: { requestedAt: null } })).toBeGreaterThan(0)
  })
})

describe('an order book that fails', () => {
  test.each<[string, Answer]>([
    ['a status 500', (_, res) => json(res, 500, {})],
    [
      'a page of HTML',
      (_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<html>busy</html>'),
    ],
    [
      'half a body',
      (_, res) => res.writeHead(200, { 'content-length': '100' }).write('{"uid":', () => res.destroy()),
    ],
    ['a redirect', (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
  ])('leaves an unknown order unavailable, not absent: %s', async (_, answer) => {
    const { uid } = await signed()
    answers.set(`GET /api/v1/orders/${uid}`, answer)
    const { status, body } = await read(uid)
    expect([status, body.errorType]).toEqual([503, 'Unavailable'])
    expect((await request(`${trader.base}/api/v1/version`)).status).toBe(200)
    const fine = await signed()
    answers.set(`GET /api/v1/orders/${fine.uid}`, (_, res) => json(res, 200, fine.body))
    expect((await read(fine.uid)).status).toBe(200)
  })

  test('is not called before the time that it names with 429', async () => {
    const [limited, next] = [await signed(), await signed()]
    answers.set(`GET /api/v1/orders/${limited.uid}`, (_, res) => json(res, 429, {}, { 'retry-after': '3' }))
    answers.set(`GET /api/v1/orders/${next.uid}`, (_, res) => json(res, 200, next.body))
    expect((await read(limited.uid)).status).toBe(503)
    const calledAt = performance.now()
    const { status, headers, body } = await read(next.uid)
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(2)
    expect(body.description).toMatch(/^the order book of sepolia is unavailable: try again in [23] s$/)
    expect(calls).toHaveLength(1)
    await eventually('it is called again', async () => (await read(next.uid)).status === 200)
    expect(performance.now() - calledAt).toBeGreaterThan(2_500)
  })
})

const oddQuote = {
  gasAmount: '1',
  gasPrice: '1',
  sellTokenPrice: '1',
  sellAmount: '1',
  buyAmount: '1',
  feeAmount: '0',
  solver: `0x${'51'.repeat(20)}`,
  verified: true,
}

describe('a follower', () => {
  /** Follows the scripted order book, in a database of its own. */
  async function follow() {
    const database = await createTestDatabase()
    const orderBook = { url: orderBookUrl(), callsPerMinute: 1_000_000 }
    const networks = [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }]
    const environment = { ...unlimited, CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' }
    const app = await startProgram({ database, chain }, environment, { roles: ['serve', 'index'], networks })
    return {
      url: app.url ?? '',
      stored: async () => new Set((await sql(database.db).order.findMany()).map(({ uid }) => hexOf(uid))),
      async [Symbol.asyncDispose]() {
        await app.close()
        await database[Symbol.asyncDispose]()
      },
    }
  }

  test('stores the others while one order makes each request fail that names it', async () => {
    const orders: Awaited<ReturnType<typeof signed>>[] = []
    for (let index = 0; index < 9; index++) orders.push(await signed())
    const bad = orders[4]?.uid ?? expect.fail()
    const latest = { auction: { orders: orders.map(({ uid }) => uid) } }
    answers.set('GET /api/v2/solver_competition/latest', (_, res) => json(res, 200, latest))
    answers.set('POST /api/v1/orders/by_uids', async (req, res) => {
      let text = ''
      for await (const part of req) text += part
      const uids: string[] = JSON.parse(text)
      if (uids.includes(bad)) return json(res, 500, {})
      json(
        res,
        200,
        orders.filter(({ uid }) => uids.includes(uid)).map(({ body }) => ({ order: body })),
      )
    })
    for (const { uid, body } of orders)
      answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, uid === bad ? 500 : 200, body))
    await using following = await follow()
    await eventually('the others are stored', async () => (await following.stored()).size === 8)
    expect(await following.stored()).not.toContain(bad)
  })

  test.each([
    ['of a quote whose gas is larger than any column', { quote: { ...oddQuote, gasAmount: '1e99' } }],
    ['of a year that the database does not have', { creationDate: '0000-01-01T00:00:00Z' }],
  ])('goes on after an order %s', async (_, change) => {
    const [odd, fine] = [await signed(), await signed()]
    const latest = { auction: { orders: [odd.uid, fine.uid] } }
    answers.set('GET /api/v2/solver_competition/latest', (_, res) => json(res, 200, latest))
    const bodies = [{ ...odd.body, ...change }, fine.body]
    answers.set('POST /api/v1/orders/by_uids', (_, res) => json(res, 200, bodies))
    await using following = await follow()
    await eventually('the other is stored', async () =>
      (await following.stored()).has(fine.uid as `0x${string}`),
    )
  })

  test('reads the orders of accounts that a stream follows', async () => {
    const { uid, body } = await signed()
    const path = `GET /api/v1/account/${body.owner.toLowerCase()}/orders?offset=0&limit=100`
    answers.set(path, (_, res) => json(res, 200, [body]))
    await using following = await follow()
    const query = 'subscription ($account: Address!) { notifications(account: $account) { cursor } }'
    using _stream = collect(following.url, query, { account: body.owner })
    await eventually('the order is stored', async () => (await following.stored()).has(uid as `0x${string}`))
  })
})

describe('the budget of calls', () => {
  test('a client that names unknown orders uses a tenth of it, and is refused then', async () => {
    const other = await createTestDatabase()
    const orderBook = { url: orderBookUrl(), callsPerMinute: 200 }
    const networks = [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }]
    const limited = await startProgram({ database: other, chain }, unlimited, { networks })
    try {
      const statuses = []
      for (let index = 0; index < 60; index++) {
        const uid = `0x${String(index).padStart(112, '0')}`
        statuses.push((await request(`${limited.url}/sepolia/api/v1/orders/${uid}`)).status)
      }
      // Half of the tenth at once, and what comes back meanwhile.
      expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(10)
      expect(statuses.indexOf(429)).toBeLessThanOrEqual(13)
      expect(calls.length).toBeLessThanOrEqual(20)
    } finally {
      await limited.close()
      await other[Symbol.asyncDispose]()
    }
  })

  test('leaves another client its part, and live orders on time, when one names 10,000 unknown UIDs', async () => {
    const other = await createTestDatabase()
    const orderBook = { url: orderBookUrl(), callsPerMinute: 200 }
    const networks = [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }]
    const environment = { ...unlimited, TRUSTED_PROXIES: '127.0.0.1' }
    const roles = ['serve', 'index'] as const
    const flooded = await startProgram({ database: other, chain }, environment, { networks, roles })
    const clientAt = (address: string) => (path: string, body?: unknown) =>
      fetch(`${flooded.url}/sepolia/api/v1/orders/${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    const [flooding, fair] = [clientAt('192.0.2.1'), clientAt('192.0.2.2')]
    try {
      const [live, unknown] = [await signed(), await signed()]
      for (const { uid, body } of [live, unknown])
        answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, body))
      expect((await fair(live.uid)).status).toBe(200)
      calls.length = 0
      const uids = Array.from({ length: 10_000 }, (_, index) => `0x${String(index + 1).padStart(112, '7')}`)
      const lists = Array.from({ length: 79 }, (_, index) => uids.slice(index * 128, (index + 1) * 128))
      const flood = async () => {
        const statuses: number[] = []
        for (let list = lists.pop(); list; list = lists.pop())
          statuses.push((await flooding('by_uids', list)).status)
        return statuses
      }
      const floods = Promise.all([flood(), flood()])
      // After two seconds it is unavailable.
      expect((await fair(unknown.uid)).status).toBe(200)
      expect(new Set((await floods).flat())).toEqual(new Set([429]))
      const ofFlood = uids.map((uid) => `GET /api/v1/orders/${uid}`)
      expect(calls.filter((call) => ofFlood.includes(call)).length).toBeLessThanOrEqual(20)
      const compared = () => calls.filter((call) => call.endsWith(live.uid)).length
      await eventually('the live order is compared', async () => compared() >= 1)
    } finally {
      await flooded.close()
      await other[Symbol.asyncDispose]()
    }
  })

  test('is apart from the bytes that a client has stored, which orders that it names count in', async () => {
    const environment = { ...unlimited, ORDER_CLIENT_BYTES: '16384' }
    const orderBook = { url: orderBookUrl(), callsPerMinute: 1_000_000 }
    const networks = [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }]
    const limited = await startProgram({ database, chain }, environment, { networks })
    try {
      const statuses = []
      for (let index = 0; index < 3; index++) {
        const { uid, body } = await signed()
        answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, body))
        statuses.push((await request(`${limited.url}/sepolia/api/v1/orders/${uid}`)).status)
      }
      expect(statuses).toEqual([200, 200, 429])
    } finally {
      await limited.close()
    }
  })

  test('is never exceeded within a minute, whatever is waiting', async () => {
    const { db, [Symbol.asyncDispose]: dispose } = await createTestDatabase()
    try {
      await claimOrderBook(db, 1, 'http://127.0.0.1:1/', async () => ({ indexedFrom: 0, notifiedFrom: 0 }))
      const book = createOrderBook({
        chainId: 1,
        name: 'book',
        title: 'the order book',
        db,
        now: Date.now,
        log: silentLog,
        url: orderBookUrl(),
        callsPerMinute: 40,
        quotesPerSecond: 4,
        submissionsPerSecond: 2,
      })
      const attempts = ['client', 'new', 'live'] as const
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          book.latestCompetition(attempts[index % 3] ?? 'new').then(
            () => attempts[index % 3],
            (fault: unknown) => (fault instanceof Throttled ? 'throttled' : String(fault)),
          ),
        ),
      )
      const taken = (priority: string) => outcomes.filter((outcome) => outcome === priority).length
      // At once: 4 for clients, of which live orders may take one, and 2 for the service itself.
      expect(taken('client')).toBeGreaterThanOrEqual(3)
      expect(taken('client')).toBeLessThanOrEqual(5)
      expect(taken('new') + taken('live')).toBeGreaterThanOrEqual(2)
      expect(taken('new') + taken('live')).toBeLessThanOrEqual(3)
      expect(taken('live')).toBeLessThanOrEqual(2)
      expect(calls).toHaveLength(60 - taken('throttled'))
    } finally {
      await dispose()
    }
  })
})

describe('a write', () => {
  const placing = 'POST /api/v1/orders'
  const wish = () => trader.sign({ sell: 'WETH', buy: 'USDC', sellAmount: ++amount, buyAmount: 10n ** 15n })

  test('is refused with a code that this service has not, as it is over REST, and inside over GraphQL', async () => {
    const refusal = { errorType: 'TooManyMoons', description: 'there are two moons', data: { moons: 2 } }
    answers.set(placing, (_, res) => json(res, 418, refusal))
    const order = await wish()
    const { status, body } = await request(`${trader.base}/api/v1/orders`, 'POST', order)
    expect({ status, body }).toEqual({ status: 418, body: refusal })
    const query = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }'
    const { from, ...signed } = order
    const input = { ...signed, from, network: 'sepolia', kind: 'SELL', signingScheme: 'EIP712' }
    Object.assign(input, { sellTokenBalance: 'ERC20', buyTokenBalance: 'ERC20' })
    const answer = await request(`${follower.url}/graphql`, 'POST', { query, variables: { input } })
    expect(answer.body.errors[0]).toMatchObject({
      message: 'there are two moons',
      extensions: {
        code: 'UpstreamRefused',
        data: { moons: 2 },
        orderBook: { status: 418, errorType: 'TooManyMoons' },
      },
    })
  })

  test('without a body that names a code is refused too', async () => {
    answers.set(placing, (_, res) => res.writeHead(400).end('no'))
    const { status, body } = await request(`${trader.base}/api/v1/orders`, 'POST', await wish())
    expect([status, body.errorType]).toEqual([400, 'UpstreamRefused'])
    expect(body.description).toBe('upstream refuses the request with status 400')
  })

  test('whose answer is lost is looked up by its UID, and sent once', async () => {
    const { uid, body } = await signed()
    answers.set(placing, (_, res) => res.destroy())
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) => json(res, 200, body))
    const {
      owner,
      fullAppData,
      uid: _uid,
      creationDate,
      status: _status,
      someNewMember,
      appData,
      ...order
    } = body
    const sent = { ...order, from: owner, appData: fullAppData, appDataHash: appData }
    const answer = await request(`${trader.base}/api/v1/orders`, 'POST', sent)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 201, body: uid })
    expect(calls.filter((call) => call === placing)).toHaveLength(1)
  })

  test('that the order book neither answers nor knows is unavailable', async () => {
    answers.set(placing, (_, res) => res.destroy())
    const { status, body } = await request(`${trader.base}/api/v1/orders`, 'POST', await wish())
    expect([status, body.errorType]).toEqual([503, 'Unavailable'])
    expect(calls.filter((call) => call === placing)).toHaveLength(1)
  })
})

test('a second order book of the chain is refused in the same database', async () => {
  const orderBook = { url: 'http://127.0.0.1:9/other', callsPerMinute: 100 }
  const networks = [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }]
  await expect(startProgram({ database, chain }, unlimited, { networks })).rejects.toThrow(
    /follows the order book .* not http:\/\/127.0.0.1:9\/other: use another database/,
  )
})
