import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Block } from '../../../src/chain/chain.ts'
import type { SettlementLog } from '../../../src/chain/logs/settlement-logs.ts'
import { maxUint256 } from '../../../src/domain/amount.ts'
import type { OrderEventLabel } from '../../../src/domain/order/event.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { applyBlocks } from '../../../src/indexer/apply.ts'
import { insertChainFacts } from '../../../src/storage/chain/indexed-logs.ts'
import { type Database, openDatabase, sql } from '../../../src/storage/database/database.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
import { findOrders, findOrdersById, insertOrder } from '../../../src/storage/order/orders.ts'
import { lockOrders, refreshProgress } from '../../../src/storage/order/progress.ts'
import { holdTransaction } from '../../fakes/held-transaction.ts'
import { dollar, sampleOrder, sampleQuote, wrapped } from '../../fakes/order.ts'
import { readOrder, storeOrder } from '../../fakes/stored-order.ts'
import { eventsOfOrders } from '../../fakes/stored-story.ts'
import { readStory, readTrades } from '../../fakes/stories.ts'
import { rangeWith } from '../../indexer/hand-made.ts'
import { connectDirectly, createTestDatabase, emptyTables, type TestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'

const hash = (digits: string) => `0x${digits.repeat(64 / digits.length)}` as const
const chainId = 11155111

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
beforeEach(async () => {
  await using client = await connectDirectly(database.url)
  await emptyTables(client)
})
afterAll(() => database[Symbol.asyncDispose]())

function tradeOf(order: Order, amounts = { sellAmount: 10n, buyAmount: 20n, feeAmount: 0n }) {
  const { uid, owner, sellToken, buyToken } = order
  const place = { chainId, blockNumber: 5, logIndex: Number(amounts.sellAmount % 1_000n), txHash: hash('ab') }
  return { ...place, ...amounts, orderUid: uid, owner, sellToken, buyToken, auctionId: null }
}

const noFacts = { trades: [], settlements: [], invalidations: [], presignatures: [], executions: [] }

describe('placing', () => {
  test('of twenty concurrent writers of one order, one creates it', async () => {
    const order = sampleOrder()
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => database.db.transaction((tx) => insertOrder(tx, order))),
    )
    expect(ids.filter((id) => id !== undefined)).toHaveLength(1)
    expect(await findOrders(database.db, [order.uid])).toHaveLength(1)
  })

  test('an order is read back as it was written', async () => {
    const order = sampleOrder({
      receiver: dollar,
      creationDate: new Date('2026-07-01T12:34:56.789Z'),
      quoteId: 7n,
      validFrom: 1_999_999_000,
      fullAppData: null,
      interactions: { pre: [{ target: wrapped, value: 1n, callData: '0x12' }], post: [] },
      quote: sampleQuote({ sellAmount: 1n, sellTokenPrice: '0.5', verified: true }),
    })
    const { id, ...stored } = await storeOrder(database.db, order)
    expect(stored).toEqual({ ...order, id: undefined })
    expect(id).toBeGreaterThan(0n)
  })
})

describe('an order that is placed while its logs are indexed', () => {
  const logsOf = (order: Order): SettlementLog[] => {
    const place = (logIndex: number) => ({
      blockNumber: 5,
      blockHash: hash('05'),
      logIndex,
      txHash: hash('ab'),
    })
    const { uid: orderUid, owner } = order
    return [
      { type: 'trade', ...tradeOf(order), ...place(0) },
      { type: 'presignature', ...place(1), orderUid, owner, signed: true },
      { type: 'invalidation', ...place(2), orderUid, owner },
    ]
  }
  const block: Block = { number: 5, hash: hash('05'), parentHash: hash('04'), timestamp: 1_000 }
  const seen = {
    executedSellAmount: 10n,
    executedBuyAmount: 20n,
    presigned: true,
    invalidatedOnChain: true,
  }

  test('takes over what was written first', async () => {
    const order = sampleOrder()
    const { db } = database
    const indexing = await holdTransaction(db, async (tx) => {
      await lockOrders(tx, [order.uid])
      expect(await findOrders(tx, [order.uid])).toEqual([])
      const [trade, presignature, invalidation] = logsOf(order)
      if (trade?.type !== 'trade' || presignature?.type !== 'presignature') throw new Error('other logs')
      if (invalidation?.type !== 'invalidation') throw new Error('other logs')
      await insertChainFacts(tx, chainId, {
        ...noFacts,
        trades: [{ ...trade, chainId, orderId: null, auctionId: null }],
        presignatures: [presignature],
        invalidations: [invalidation],
      })
    })
    const placing = storeOrder(db, order)
    await waitingForALock(database.url)
    await indexing.commit()
    const placed = await placing
    expect(placed).toMatchObject(seen)
    expect(await readTrades(db, placed)).toHaveLength(1)
  })

  test('is found by the indexer when it was written first', async () => {
    const order = sampleOrder()
    const { db } = database
    const placing = await holdTransaction(db, (tx) => insertOrder(tx, order))
    const range = rangeWith(logsOf(order), block)
    const indexing = applyBlocks(null, range, { chainId, db, now: Date.now })
    await waitingForALock(database.url)
    await placing.commit()
    await indexing
    expect(await readOrder(db, order)).toMatchObject(seen)
  })
})

/** Ensures that the second of the two really waited for the first, and did not come later. */
async function waitingForALock(url: string): Promise<void> {
  await using client = await connectDirectly(url)
  await eventually('a transaction waits for a lock', async () => {
    const { rows } = await client.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
    return rows.length > 0
  })
}

test('a range of blocks may name more orders than the server has locks', async () => {
  const uids = Array.from(
    { length: 20_000 },
    (_, index) => `0x${index.toString(16).padStart(112, '0')}` as const,
  )
  await database.db.transaction((tx) => lockOrders(tx, uids))
})

test.each([0n, maxUint256])('an amount of %d is stored exactly', async (amount) => {
  const { db } = database
  const quote = sampleQuote({
    gasAmount: amount,
    gasPrice: amount,
    sellAmount: amount,
    buyAmount: amount,
    feeAmount: amount,
  })
  const order = await storeOrder(db, { sellAmount: amount, buyAmount: amount, feeAmount: amount, quote })
  const amounts = { sellAmount: amount, buyAmount: amount, feeAmount: amount }
  expect(order).toMatchObject({ ...amounts, quote })
  const protocolFees = [{ token: dollar, amount }]
  await db.transaction(async (tx) => {
    await insertChainFacts(tx, chainId, {
      ...noFacts,
      trades: [{ ...tradeOf(order, amounts), orderId: order.id }],
      executions: [
        {
          orderId: order.id,
          auctionId: 1n,
          executedFee: amount,
          executedFeeToken: wrapped,
          networkFee: null,
          blockNumber: 5,
          protocolFees,
        },
      ],
    })
    await refreshProgress(tx, [order.id])
  })
  expect(await readOrder(db, order)).toMatchObject({
    executedSellAmount: amount,
    executedBuyAmount: amount,
    executedFeeAmount: amount,
    executedFee: amount,
  })
  const [trade] = await readTrades(db, order)
  expect(trade).toEqual(tradeOf(order, amounts))
})

test('times are the same instants in any time zone of the database', async () => {
  await using client = await connectDirectly(database.url)
  await client.query(`ALTER DATABASE ${client.database} SET timezone = 'America/New_York'`)
  const db: Database = openDatabase({ url: database.url, maxConnections: 2 })
  const at = new Date('2026-07-01T12:34:56.789Z')
  const order = await storeOrder(db, { creationDate: at })
  expect(order.creationDate).toEqual(at)
  await db.transaction((tx) =>
    appendEvents(tx, [{ orderId: order.id, label: 'ready', reason: null, timestamp: at }]),
  )
  expect((await eventsOfOrders(db, [order.id])).map(({ timestamp }) => timestamp)).toEqual([at, at])
  expect((await readStory(db, order)).events[1]?.timestamp).toEqual(at)
  const { rows } = await client.query('SELECT created_at FROM orders')
  expect(rows[0].created_at).toEqual(at)
  await db.close()
})

test('an order that goes through the same states again and again keeps two rows of each', async () => {
  const order = await storeOrder(database.db)
  let seconds = order.creationDate.getTime() / 1_000
  const append = (label: OrderEventLabel, reason: string | null = null) =>
    database.db.transaction((tx) =>
      appendEvents(tx, [{ orderId: order.id, label, reason, timestamp: new Date(1_000 * ++seconds) }]),
    )
  const cycle = async (times: number) => {
    for (let round = 0; round < times; round++) {
      await append('ready')
      await append('executing')
      await append('invalid', 'insufficient_balance')
    }
  }
  const rows = async () => {
    const events = await sql(database.db).orderEvent.findMany({
      where: { orderId: order.id },
      orderBy: [{ timestamp: 'asc' }, { id: 'asc' }],
    })
    return events.map(({ label, times }) => `${label} ${times}`)
  }
  await cycle(50)
  const firstAndOthers = ['ready 1', 'executing 1', 'invalid 1', 'ready 49', 'executing 49', 'invalid 49']
  expect(await rows()).toEqual(['created 1', ...firstAndOthers])
  const entries = await sql(database.db).$queryRaw<
    object[]
  >`SELECT FROM order_feed WHERE order_id = ${order.id}`
  expect(entries).toHaveLength(7)
  // What is another state is no repetition.
  await append('invalid', 'invalid_signature')
  await append('traded')
  await cycle(2)
  const afterTrade = ['ready 1', 'executing 1', 'invalid 1', 'ready 1', 'executing 1', 'invalid 1']
  expect(await rows()).toEqual(['created 1', ...firstAndOthers, 'invalid 1', 'traded 1', ...afterTrade])
})

test('an empty request returns an empty result', async () => {
  expect(await findOrders(database.db, [])).toEqual([])
  expect(await findOrdersById(database.db, [])).toEqual([])
})
