import { afterAll, beforeAll, expect, test } from 'vitest'
import { batch } from '../../src/concurrency/batch.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { placeOrder } from '../../src/orders/place.ts'
import type { UnquotedOrder } from '../../src/quotes/order-quote.ts'
import { quoteForOrder } from '../../src/quotes/order-quote.ts'
import type { QuoteServices } from '../../src/quotes/quote.ts'
import { insertChainFacts } from '../../src/storage/chain/indexed-logs.ts'
import { storeOrders } from '../../src/storage/order/insert.ts'
import { areTaken, findOrder, findOrders } from '../../src/storage/order/orders.ts'
import { findQuotes, insertQuote } from '../../src/storage/quote/quotes.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { numbered, signingDomain } from '../fakes/order.ts'
import { createOrderServices, quoteOf, signedOrder, testTime } from '../fakes/order-services.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import type { TestDatabase } from '../setup/database.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'

const { chainId } = signingDomain
const owner = numbered('0f')
let server: TestServer
let database: TestDatabase
const orders: Order[] = []

/** Orders with two auctions and a trade each. */
beforeAll(async () => {
  server = await openTestServer()
  database = server.database
  const { db } = database
  for (let index = 0; index < 12; index++) orders.push(await storeOrder(db, { owner, validTo: index + 1 }))
  const fills = orders.map((order) => ({ order, fill: { sell: order.sellAmount, buy: order.buyAmount } }))
  const feePolicies = [{ kind: 'volume' as const, factor: 100n }]
  for (const id of [1n, 2n]) await storeCompetition(db, { id, solver: numbered('51'), fills, feePolicies })
  const trades = orders.map((order, logIndex) => ({
    ...order,
    orderId: order.id,
    orderUid: order.uid,
    blockNumber: 7,
    logIndex,
    txHash: `0x${'77'.repeat(32)}` as const,
    auctionId: 1n,
  }))
  const facts = { settlements: [], invalidations: [], presignatures: [], executions: [] }
  await db.transaction((tx) => insertChainFacts(tx, chainId, { ...facts, trades }))
})
afterAll(() => server[Symbol.asyncDispose]())

async function statementsOf(read: () => Promise<unknown>): Promise<number> {
  const before = database.statements.length
  await read()
  return database.statements.length - before
}

const ask = (question: string, variables = {}) => graphql(server.url, question, variables)
const rest = (path: string) => request(`${server.url}/sepolia/api${path}`)
const pageInfo = 'pageInfo { endCursor hasNextPage }'
const uids = (count: number) => orders.slice(0, count).map(({ uid }) => uid)

const stories = `query ($uids: [OrderUid!]!) { ordersByUids(uids: $uids) { uid debugReport {
  events { nodes { label } }
  auctions { nodes { auctionId proposedSolutions { solver } feePolicies { __typename } } }
  trades { nodes { blockNumber } }
} } }`

test.each([1, 12])('the histories of %d orders are one statement', async (count) => {
  expect(await statementsOf(() => ask(stories, { uids: uids(count) }))).toBe(1)
  const { ordersByUids } = await ask(stories, { uids: uids(count) })
  expect(ordersByUids.map(({ uid }: Order) => uid)).toEqual(uids(count))
  for (const { debugReport } of ordersByUids) {
    const { events, auctions, trades } = debugReport
    expect([events, auctions, trades].map(({ nodes }) => nodes.length)).toEqual([1, 2, 1])
    expect(auctions.nodes[0].proposedSolutions).toHaveLength(1)
  }
})

test.each<[string, () => Promise<unknown>]>([
  ['an order', () => findOrder(database.db, orders[0]?.uid ?? '0x')],
  ['many orders', () => findOrders(database.db, uids(12))],
  ['an order over REST', () => rest(`/v1/orders/${orders[0]?.uid}`)],
  ['the orders of an account', () => rest(`/v1/account/${owner}/orders?limit=100`)],
  ['a page of orders', () => ask('{ orders(network: "sepolia", first: 9) { nodes { uid } } }')],
  [
    'a page of the book',
    () =>
      ask(`{ bookEvents(filter: { owners: ["${owner}"] }, after: "earliest", first: 9) {
        nodes { event { label } order { uid } trade { id } } ${pageInfo} } }`),
  ],
  [
    'a page of orders by their changes',
    () =>
      ask(
        `{ orders(changedAfter: "earliest", first: 9) { nodes { uid trades { nodes { id } } } ${pageInfo} } }`,
      ),
  ],
  [
    'a page of trades by their changes',
    () =>
      ask(`{ trades(changedAfter: "earliest", first: 9) {
        nodes { id order { uid } executedProtocolFees { amount } } ${pageInfo} } }`),
  ],
  ['the trades of an account', () => rest(`/v2/trades?owner=${owner}&limit=100`)],
])('%s: one statement', async (_, read) => {
  expect(await statementsOf(read)).toBe(1)
})

/** The order services of the program, except for the chain. */
function placingServices() {
  const { db } = database
  const together = { maxBatch: 50, concurrency: 2 }
  const storedQuote = batch((quotes: readonly bigint[]) => findQuotes(db, chainId, quotes), together)
  const services = createOrderServices(db, {
    isTaken: batch((uids) => areTaken(db, chainId, uids), together),
    store: batch((orders) => storeOrders(db, orders), together),
  })
  const quoteServices = { ...services, storedQuote } as unknown as QuoteServices
  return { ...services, quoteFor: (order: UnquotedOrder) => quoteForOrder(order, quoteServices) }
}

/** The check for the UID, the quote, BEGIN, the locks, all the rows, COMMIT. */
test.each([1, 30])('placing %d orders that name their quotes: six statements in all', async (count) => {
  const services = placingServices()
  const { id: _, ...offer } = quoteOf({ expiration: new Date((testTime + 60) * 1_000) })
  const quoteId = await insertQuote(database.db, offer)
  const creations = Array.from({ length: count }, (_, index) =>
    signedOrder({ quoteId, validTo: testTime + 1_000 + count + index }),
  )
  const place = () => Promise.all(creations.map((creation) => placeOrder(creation, services)))
  expect(await statementsOf(place)).toBe(6)
})
