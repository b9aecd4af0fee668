import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order.ts'
import { insertChainFacts } from '../../src/storage/chain-log.ts'
import { accountOrders, findOrder, findOrders, pageOrders } from '../../src/storage/orders.ts'
import { storiesOfOrders } from '../../src/storage/story.ts'
import { listTrades } from '../../src/storage/trades.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { numbered, signingDomain } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { createTestDatabase, type TestDatabase } from '../world.ts'

const { chainId } = signingDomain
const owner = numbered('0f')
const page = { offset: 0, limit: 100 }
let database: TestDatabase
const orders: Order[] = []

/** Orders with two auctions and a trade each. */
beforeAll(async () => {
  database = await createTestDatabase()
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
afterAll(() => database[Symbol.asyncDispose]())

async function statementsOf(read: () => Promise<unknown>): Promise<number> {
  const before = database.statements.length
  await read()
  return database.statements.length - before
}

const ids = (count: number) => orders.slice(0, count).map(({ id }) => id)

test.each([1, 12])('the stories of %d orders are one statement', async (count) => {
  expect(await statementsOf(() => storiesOfOrders(database.db, ids(count)))).toBe(1)
  const stories = await storiesOfOrders(database.db, ids(count))
  expect([...stories.keys()].sort()).toEqual(ids(count).sort())
  for (const story of stories.values()) {
    expect([story.events, story.auctions, story.trades].map((part) => part.length)).toEqual([1, 2, 1])
    expect(story.auctions[0]?.proposedSolutions).toHaveLength(1)
  }
})

test.each([
  ['an order', () => findOrder(database.db, orders[0]?.uid ?? '0x')],
  [
    'many orders',
    () =>
      findOrders(
        database.db,
        orders.map(({ uid }) => uid),
      ),
  ],
  ['the orders of an account', () => accountOrders(database.db, { chainId, owner, ...page })],
  ['a page of orders', () => pageOrders(database.db, {}, { first: 9, after: null, now: 0 })],
  ['the trades of an account', () => listTrades(database.db, chainId, { owner }, page)],
])('%s: one statement', async (_, read) => {
  expect(await statementsOf(read)).toBe(1)
})
