import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { createContext, type Services } from '../../src/graphql/context/context.ts'
import { noCaller } from '../fakes/caller.ts'
import { dollar, numbered, wrapped } from '../fakes/order.ts'
import { storeNotification, storeOrder, storeSettledOrder } from '../fakes/story.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const owner = numbered('0f')
let server: TestServer
let settled: Order
let open: Order[]

beforeAll(async () => {
  server = await openTestServer({
    placeOrder: async () => settled.uid,
    cancelOrders: async ({ orderUids }) => orderUids,
  })
  const { db } = server.database
  settled = await storeSettledOrder(db, 9n, owner)
  open = []
  for (let index = 0; index < 5; index++) {
    // Two of the orders were created in the same millisecond.
    const creationDate = new Date(1_799_999_100_000 + Math.floor(index / 2))
    open.push(await storeOrder(db, { owner, buyAmount: BigInt(index + 1), creationDate }))
  }
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (query: string, variables?: Record<string, unknown>) => graphql(server.url, query, variables)

test('a query can follow an order to its competition and back', async () => {
  const data = await ask(
    `query ($uid: OrderUid!) { order(uid: $uid) {
      status class network { name }
      sellToken { address symbol decimals } buyToken { address }
      quote { sellTokenPrice gasAmount }
      events { nodes { label reason } }
      trades { nodes {
        blockNumber txHash auctionId sellToken { symbol }
        executedProtocolFees { amount policy { __typename ... on SurplusFeePolicy { factor maxVolumeFactor } } }
      } }
      auctions { nodes {
        auctionId block deadline nativePrices { token { address } price }
        orders { nodes { uid } }
        solutions { ranking isWinner score referenceScore orders { orderUid executedSell executedBuy order { uid } } }
        settlementAttempts { outcome detail endBlock }
      } }
    } }`,
    { uid: settled.uid },
  )
  expect(data.order).toEqual({
    status: 'FULFILLED',
    class: 'LIMIT',
    network: { name: 'sepolia' },
    sellToken: { address: wrapped, symbol: 'AAA', decimals: 18 },
    buyToken: { address: dollar },
    quote: { sellTokenPrice: '1', gasAmount: '155000' },
    events: { nodes: ['CREATED', 'READY', 'EXECUTING', 'TRADED'].map((label) => ({ label, reason: null })) },
    trades: {
      nodes: [
        {
          blockNumber: 109,
          txHash: `0x${'ab'.repeat(32)}`,
          auctionId: 9,
          executedProtocolFees: [
            {
              amount: '20000000',
              policy: { __typename: 'SurplusFeePolicy', factor: '0.5', maxVolumeFactor: '0.01' },
            },
          ],
          sellToken: { symbol: 'AAA' },
        },
      ],
    },
    auctions: {
      nodes: [
        {
          auctionId: 9,
          block: 100,
          deadline: 103,
          nativePrices: [
            { token: { address: wrapped }, price: '1000000000000000000' },
            { token: { address: dollar }, price: '333333333333333333333333333' },
            { token: { address: numbered('cc') }, price: '166666666666666' },
          ],
          orders: { nodes: [{ uid: settled.uid }] },
          solutions: [
            {
              ranking: 1,
              isWinner: true,
              score: '1000',
              referenceScore: '999',
              orders: [
                {
                  orderUid: settled.uid,
                  executedSell: '1000000000000000000',
                  executedBuy: '2940000000',
                  order: { uid: settled.uid },
                },
              ],
            },
            {
              ranking: 2,
              isWinner: false,
              score: '999',
              referenceScore: null,
              orders: [
                {
                  orderUid: settled.uid,
                  executedSell: '1000000000000000000',
                  executedBuy: '2939000000',
                  order: { uid: settled.uid },
                },
              ],
            },
          ],
          settlementAttempts: [{ outcome: 'SUCCESS', detail: null, endBlock: 102 }],
        },
      ],
    },
  })
  expect(await ask('{ auction(id: 9) { block } nothing: auction(id: 8) { block } }')).toEqual({
    auction: { block: 100 },
    nothing: null,
  })
})

describe('orders', () => {
  interface Page {
    edges: { cursor: string; node: { buyAmount: string } }[]
    pageInfo: {
      hasNextPage: boolean
      hasPreviousPage: boolean
      startCursor: string | null
      endCursor: string | null
    }
  }

  test('are paged newest first, each exactly once', async () => {
    const seen: string[] = []
    let after: string | null = null
    for (let page = 0; page < 3; page++) {
      const { orders }: { orders: Page } = await ask(
        `query ($after: String) { orders(owner: "${owner}", network: "sepolia", first: 2, after: $after) {
          edges { cursor node { buyAmount } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        } }`,
        { after },
      )
      seen.push(...orders.edges.map(({ node }) => node.buyAmount))
      expect(orders.pageInfo.startCursor).toBe(orders.edges[0]?.cursor)
      expect(orders.pageInfo.hasNextPage).toBe(page < 2)
      after = orders.pageInfo.endCursor
    }
    expect(seen).toEqual(['5', '4', '3', '2', '1', '2900000000'])
  })

  test.each([
    ['OPEN', 5],
    ['FULFILLED', 1],
    ['CANCELLED', 0],
  ])('are filtered by status %s', async (status, count) => {
    const query = `{ orders(status: ${status}) { nodes { status } } account(address: "${owner.toUpperCase().replace('0X', '0x')}") {
      orders(status: ${status}) { nodes { uid } } } }`
    const { orders, account } = await ask(query)
    expect(orders.nodes).toEqual(Array(count).fill({ status }))
    expect(account.orders.nodes).toHaveLength(count)
  })

  test('are null when unknown, and returned as stored after being placed or cancelled', async () => {
    expect(await ask(`{ order(uid: "0x${'12'.repeat(56)}") { uid } }`)).toEqual({ order: null })
    const placed = await ask(
      `mutation { placeOrder(input: { sellToken: "${wrapped}", buyToken: "${dollar}", sellAmount: "1", buyAmount: "1",
        validTo: 2000000000, appData: "{}", feeAmount: "0", kind: SELL, partiallyFillable: false, signingScheme: EIP712,
        signature: "0x00" }) { order { uid status } } }`,
    )
    expect(placed).toEqual({ placeOrder: { order: { uid: settled.uid, status: 'FULFILLED' } } })
    const uids = open.slice(0, 2).map(({ uid }) => uid)
    const cancel = `mutation ($uids: [OrderUid!]!) {
      cancelOrders(input: { orderUids: $uids, signature: "0x00", signingScheme: ETHSIGN }) { orders { uid } }
    }`
    expect(await ask(cancel, { uids })).toEqual({
      cancelOrders: { orders: uids.map((uid) => ({ uid })) },
    })
  })
})

test('an account has trades and a feed', async () => {
  await storeNotification(server.database.db, owner, 0)
  await storeNotification(server.database.db, owner, 1)
  const question = `query ($owner: Address!) {
    account(address: $owner) { address trades { nodes { orderUid } } latestNotifications { message } }
    notifications(account: $owner, first: 1, after: "earliest") { cursor hasMore edges { cursor node { type message } } }
  }`
  // The feed shows a row once no older transaction runs on the database server, which other tests use too.
  const data = await eventually('the feed has both', async () => {
    const answer = await ask(question, { owner })
    return answer.notifications.hasMore && answer
  })
  expect(data.account).toEqual({
    address: owner,
    trades: { nodes: [{ orderUid: settled.uid }] },
    latestNotifications: [{ message: 'notification 1' }, { message: 'notification 0' }],
  })
  const { cursor, hasMore, edges } = data.notifications
  expect([hasMore, edges]).toEqual([
    true,
    [{ cursor, node: { type: 'ORDER_FILLED', message: 'notification 0' } }],
  ])
  const rest = await ask(
    `{ notifications(account: "${owner}", after: "${cursor}") { hasMore nodes { message } } }`,
  )
  expect(rest.notifications).toEqual({ hasMore: false, nodes: [{ message: 'notification 1' }] })
})

test('an appData document is uploaded once and read back', async () => {
  const document = '{"metadata":{}}'
  const upload =
    'mutation ($input: UploadAppDataInput!) { uploadAppData(input: $input) { appData { hash document } created } }'
  const { uploadAppData } = await ask(upload, { input: { document } })
  expect(uploadAppData).toMatchObject({ created: true, appData: { document } })
  expect((await ask(upload, { input: { document } })).uploadAppData.created).toBe(false)
  expect(await ask(`{ appData(hash: "${uploadAppData.appData.hash}") { document } }`)).toEqual({
    appData: { document },
  })
})

describe('statements', () => {
  const walk = `query ($owner: Address!) { orders(owner: $owner, first: 50) { nodes {
    id tokens { symbol } executedPrice { decimal } surplus { amount } sellToken { symbol } events { nodes { label } } trades { nodes { id executedProtocolFees { amount } order { uid } } }
    debugReport { auctions { nodes { auctionId } } }
    auctions(first: 2) { nodes { nativePrices { price } orders(first: 2) { nodes { uid } } settlementAttempts { outcome }
      solutions { orders { executedSell order { uid auctions(first: 2) { nodes { id } } } } } } }
  } } }`
  const count = async (account: Address) => {
    const before = server.database.statements.length
    const { orders } = await ask(walk, { owner: account })
    return { orders: orders.nodes.length, statements: server.database.statements.length - before }
  }

  test('do not grow in number with the number of rows', async () => {
    const one = await count(owner)
    for (let index = 0; index < 20; index++) {
      await storeSettledOrder(server.database.db, BigInt(100 + index), numbered(`${20 + index}`))
    }
    const { db } = server.database
    const busy = numbered('7b')
    await storeSettledOrder(db, 200n, busy)
    for (let index = 0; index < 20; index++)
      await storeOrder(db, { owner: busy, buyAmount: BigInt(index + 1) })
    const many = await count(busy)
    expect([one.orders, many.orders]).toEqual([6, 21])
    expect(many.statements).toBe(one.statements)
    expect(one.statements).toBeLessThan(16)
  })
})

const someToken = { chainId: 11155111, address: wrapped }

const services = () => ({ db: server.database.db }) as Partial<Services> as Services

test('a result over its limit of list items is refused, and its loaders stop', async () => {
  const context = createContext(services(), noCaller, new AbortController().signal)
  context.countItems(Array(20_000).fill(0))
  expect(() => context.countItems([0])).toThrow('list items')
  expect(() => context.countItems([])).toThrow('list items')
  await expect(context.overLimit).rejects.toThrow('list items')
  await expect(context.loaders.token.load(someToken)).rejects.toThrow('list items')
})

test.each([
  ['alone', '', 300, numbered('7c')],
  ['with fields that are not stored', 'network { name }', 301, numbered('7d')],
] as const)(
  'a result written by the database has the same limit of list items: %s',
  async (_, outside, id, trader) => {
    const order = await storeSettledOrder(server.database.db, BigInt(id), trader)
    await using client = await connectDirectly(server.database.url)
    const prices = (count: number) =>
      client.query(`INSERT INTO auction_prices (auction_id, token, price)
      SELECT ${id}, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 FROM generate_series(1, ${count}) n`)
    const query = `{ order(uid: "${order.uid}") { ${outside} auctions { nodes { nativePrices { price } } } } }`
    const answer = async () => (await request(`${server.url}/graphql`, 'POST', { query })).body
    await prices(19_000)
    expect((await answer()).data.order.auctions.nodes[0].nativePrices.length).toBeGreaterThanOrEqual(19_000)
    await prices(20_001)
    expect((await answer()).errors[0]).toMatchObject({
      message: 'the result holds more than 20000 list items',
      extensions: { code: 'QueryTooComplex' },
    })
  },
)

test('nothing is read for a client that has disconnected', async () => {
  const context = createContext(services(), noCaller, AbortSignal.abort())
  await expect(context.loaders.token.load(someToken)).rejects.toThrow('the client has gone')
})
