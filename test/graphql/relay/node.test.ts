import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../../src/domain/order/order.ts'
import { insertChainFacts } from '../../../src/storage/chain/indexed-logs.ts'
import { encodedId } from '../../fakes/node-id.ts'
import { numbered, wrapped } from '../../fakes/order.ts'
import { storeNotification, storeOrder, storeSettledOrder } from '../../fakes/story.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

const owner = numbered('0f')
let server: TestServer
let settled: Order

beforeAll(async () => {
  server = await openTestServer()
  const { db } = server.database
  settled = await storeSettledOrder(db, 9n, owner)
  for (let index = 0; index < 5; index++) await storeOrder(db, { owner, buyAmount: BigInt(index + 1) })
  await storeNotification(db, owner, 0)
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (query: string, variables?: Record<string, unknown>) => graphql(server.url, query, variables)
const nodeQuery = 'query ($id: ID!) { node(id: $id) { __typename id } }'

test('every object with an id is found by it', async () => {
  const { account, order } = await ask(
    `query ($owner: Address!, $uid: OrderUid!) {
      account(address: $owner) { id __typename latestNotifications { id __typename notificationId } }
      order(uid: $uid) { id __typename sellToken { id __typename } trades { nodes { id __typename } } auctions { nodes { id __typename auctionId } } }
    }`,
    { owner, uid: settled.uid },
  )
  const { latestNotifications, ...itself } = account
  const { sellToken, trades, auctions, ...about } = order
  const nodes = [itself, ...latestNotifications, sellToken, ...trades.nodes, ...auctions.nodes, about]
  expect(nodes.map(({ __typename }) => __typename)).toEqual([
    'Account',
    'OrderFilledNotification',
    'Token',
    'Trade',
    'Auction',
    'Order',
  ])
  for (const { id, __typename } of nodes) {
    expect(await ask(nodeQuery, { id })).toEqual({ node: { id, __typename } })
  }
  expect([sellToken.id, auctions.nodes[0].auctionId]).toEqual([encodedId(`Token:11155111:${wrapped}`), 9])
})

test('a node has the fields of its type', async () => {
  const id = encodedId(`Account:${owner}`)
  const query = `query ($id: ID!) { node(id: $id) { ... on Account { address orders(first: 2) { nodes { uid } } } ... on Order { uid } } }`
  const { node } = await ask(query, { id })
  expect([node.address, node.orders.nodes.length]).toEqual([owner, 2])
})

test.each([
  `Order:0x${'12'.repeat(56)}`,
  'Auction:8',
  'Notification:999999',
  'Trade:11155111:1:1',
  'Trade:999999999:999999999999999:999999999',
  `Token:5:${wrapped}`,
])('an unknown node is null: %s', async (text) => {
  const id = encodedId(text)
  expect(await ask(nodeQuery, { id })).toEqual({ node: null })
})

test.each([
  '',
  ':',
  'Order',
  'Order:',
  'Order:0x12',
  `Order:0x${'AB'.repeat(56)}`,
  'Auction:-1',
  'Auction:9:9',
  'Auction:99999999999999999999',
  'Network:sepolia',
  'constructor:1',
  'Trade:1:2',
])('a malformed node id is refused: "%s"', async (text) => {
  for (const id of [text, encodedId(text)]) {
    const { body } = await request(`${server.url}/graphql`, 'POST', { query: nodeQuery, variables: { id } })
    expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'id' })
  }
})

test.each([
  'node(id: "Account:x") { ... on Account { orders(first: 1000) { nodes { events(first: 1000) { nodes { label } } } } } }',
  // The alias `it` means a different field in each type.
  `node(id: "Account:x") { ... on Order { it: debugReport { orderUid } }
    ... on Account { it: orders(first: 1000) { nodes { auctions { nodes { solutions { score } } } } } } }`,
])('the complexity limits hold below a node too: %s', async (selection) => {
  const { body } = await request(`${server.url}/graphql`, 'POST', { query: `{ ${selection} }` })
  expect(body.errors[0].extensions.code).toBe('QueryTooComplex')
})

test('trades of an account are paged newest first, each exactly once', async () => {
  const { db } = server.database
  const trader = numbered('7a')
  const order = await storeOrder(db, { owner: trader })
  const places = [
    [5, 1],
    [5, 10],
    [7, 0],
    [40, 2],
  ]
  const trades = places.map(([blockNumber = 0, logIndex = 0]) => ({
    ...order,
    orderId: order.id,
    orderUid: order.uid,
    blockNumber,
    logIndex,
    txHash: `0x${'77'.repeat(32)}` as const,
    auctionId: null,
  }))
  const facts = { settlements: [], invalidations: [], presignatures: [], executions: [] }
  await db.transaction((tx) => insertChainFacts(tx, order.chainId, { ...facts, trades }))
  const seen: number[][] = []
  let after: string | null = null
  for (let more = true; more; ) {
    const { account }: { account: { trades: TradePage } } = await ask(
      `query ($trader: Address!, $after: String) { account(address: $trader) { trades(first: 3, after: $after) {
        edges { cursor node { blockNumber logIndex } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`,
      { trader, after },
    )
    const { edges, pageInfo } = account.trades
    seen.push(...edges.map(({ node }) => [node.blockNumber, node.logIndex]))
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0]?.cursor, edges.at(-1)?.cursor])
    after = pageInfo.endCursor
    more = pageInfo.hasNextPage
  }
  expect(seen).toEqual(places.reverse())
})

interface TradePage {
  edges: { cursor: string; node: { blockNumber: number; logIndex: number } }[]
  pageInfo: { hasNextPage: boolean; startCursor: string | null; endCursor: string | null }
}

test('an order that was filled at a better price has its surplus', async () => {
  const { order } = await ask(
    `query ($uid: OrderUid!) { order(uid: $uid) { executedFraction executedPrice { decimal numerator denominator } limitPrice { decimal }
      surplus { amount token { address } } } }`,
    { uid: settled.uid },
  )
  expect(order).toEqual({
    executedFraction: '1',
    executedPrice: { decimal: '0.00000000294', numerator: '2940000000', denominator: '1000000000000000000' },
    limitPrice: { decimal: '0.0000000029' },
    surplus: { amount: '40000000', token: { address: numbered('bb') } },
  })
})
