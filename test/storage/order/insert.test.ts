import type { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { NewOrder, Order } from '../../../src/domain/order/order.ts'
import { insertAppData, storeAppData } from '../../../src/storage/app-data.ts'
import { insertChainFacts } from '../../../src/storage/chain/indexed-logs.ts'
import { openDatabase, type Tx } from '../../../src/storage/database/database.ts'
import { insertOrders, storeOrders } from '../../../src/storage/order/insert.ts'
import { areTaken, findOrdersById } from '../../../src/storage/order/orders.ts'
import { lockOrders } from '../../../src/storage/order/progress.ts'
import { findQuotes, insertQuote } from '../../../src/storage/quote/quotes.ts'
import { holdTransaction } from '../../fakes/held-transaction.ts'
import { dollar, sampleOrder, sampleQuote, signingDomain } from '../../fakes/order.ts'
import { quoteOf } from '../../fakes/order-services.ts'
import { type TestDatabase, useTables } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'

const { chainId } = signingDomain
const at = new Date('2026-07-01T12:34:56.789Z')

let database: TestDatabase
let client: Client
useTables((tables) => {
  ;({ database, client } = tables)
})

const place = (logIndex: number) => ({ blockNumber: 5, logIndex, txHash: `0x${'ab'.repeat(32)}` as const })
const noFacts = { trades: [], settlements: [], invalidations: [], presignatures: [], executions: [] }

let validTo = 2_000_000_000
/** A new UID each time. */
function newOrder(overrides: Partial<Order> = {}): NewOrder {
  validTo++
  return sampleOrder({ validTo, effectiveValidTo: validTo, creationDate: at, ...overrides })
}

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = database.statements.length
  await work()
  return database.statements.length - before
}

async function isSomebodyWaiting(): Promise<boolean> {
  const { rows } = await client.query(`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
  return rows.length > 0
}

async function count(table: string): Promise<number> {
  const { rows } = await client.query(`SELECT count(*)::int AS count FROM ${table}`)
  return rows[0].count
}

describe('orders that are placed at once', () => {
  test('are stored with documents, quotes and events in one commit, whatever their number', async () => {
    const document = '{"metadata":{}}'
    const own = { fullAppData: document, appData: keccakText(document) }
    const quoted = { receiver: dollar, quote: sampleQuote({ sellAmount: 7n, buyAmount: 9n }), quoteId: 3n }
    const orders = [
      newOrder(),
      newOrder(own),
      newOrder({ ...own, ...quoted }),
      newOrder({ fullAppData: null }),
    ]
    const ids = (await storeOrders(database.db, orders)) as bigint[]
    const stored = await findOrdersById(database.db, ids)
    const byId = new Map(stored.map(({ id, ...order }) => [id, order]))
    const documents = [orders[0], orders[1], orders[2], orders[0]].map((order) => order?.fullAppData)
    expect(ids.map((id) => byId.get(id))).toEqual(
      orders.map((order, index) => ({ ...order, id: undefined, fullAppData: documents[index] })),
    )
    const { rows } = await client.query(
      'SELECT order_id, label, reason, timestamp FROM order_events ORDER BY id',
    )
    expect(rows).toEqual(
      ids.map((id) => ({ order_id: String(id), label: 'created', reason: null, timestamp: at })),
    )
    expect([await count('app_data'), await count('order_quotes')]).toEqual([2, 1])
  })

  test.each([1, 40])('%d: four statements, BEGIN and COMMIT included', async (number) => {
    const orders = Array.from({ length: number }, () => newOrder())
    expect(await statementsOf(() => storeOrders(database.db, orders))).toBe(4)
    expect(await count('orders')).toBe(number)
  })

  test('have the codes of their documents, also of those that are stored before or later', async () => {
    const naming = (code: string) => JSON.stringify({ appCode: 'Shop', metadata: { referrer: { code } } })
    const onlyReferrer = '{"metadata":{"referrer":{"code":"lonely"}}}'
    const withHash = (document: string) => ({ appData: keccakText(document), fullAppData: document })
    const bare = (document: string) => ({ appData: keccakText(document), fullAppData: null })
    await storeAppData(database.db, keccakText(naming('BEFORE')), naming('BEFORE'))
    const orders = [
      newOrder(withHash(naming('WITHIT'))),
      newOrder(bare(naming('BEFORE'))),
      newOrder(bare(naming('LATER'))),
      newOrder(bare(onlyReferrer)),
      newOrder(),
    ]
    await storeOrders(database.db, orders)
    for (const document of [naming('LATER'), onlyReferrer])
      await storeAppData(database.db, keccakText(document), document)
    // A document in another order also sets the codes of orders that waited for it.
    const [waiting, bringing] = [newOrder(bare(naming('BROUGHT'))), newOrder(withHash(naming('BROUGHT')))]
    await storeOrders(database.db, [waiting])
    await storeOrders(database.db, [bringing])
    const { rows } = await client.query('SELECT app_code, referrer_code FROM orders ORDER BY id')
    expect(rows.map((row) => [row.app_code, row.referrer_code])).toEqual([
      ['Shop', 'WITHIT'],
      ['Shop', 'BEFORE'],
      ['Shop', 'LATER'],
      [null, 'LONELY'],
      [null, null],
      ['Shop', 'BROUGHT'],
      ['Shop', 'BROUGHT'],
    ])
    const documents = await client.query('SELECT referrer_code FROM app_data WHERE referrer_code IS NOT NULL')
    expect(documents.rows).toHaveLength(5)
  })

  test('a UID that is taken, or twice in the list, is reported at its position', async () => {
    const [a, b] = [newOrder(), newOrder()]
    expect(await storeOrders(database.db, [a])).toEqual([expect.any(BigInt)])
    const results = await storeOrders(database.db, [b, a, b, { ...b }])
    expect(results).toEqual([expect.any(BigInt), undefined, undefined, undefined])
    expect([await count('orders'), await count('order_events')]).toEqual([2, 2])
    const uids = [newOrder().uid, a.uid, b.uid]
    expect(await areTaken(database.db, chainId, uids)).toEqual([false, true, true])
    expect(await areTaken(database.db, 1, uids)).toEqual([false, false, false])
  })

  test('one that the database cannot store fails alone', async () => {
    const orders = [
      newOrder(),
      newOrder({ fullAppData: 'a \0 b', appData: keccakText('a \0 b') }),
      newOrder(),
    ]
    const results = await storeOrders(database.db, orders)
    expect(results).toEqual([expect.any(BigInt), expect.any(Error), expect.any(BigInt)])
    expect(
      await areTaken(
        database.db,
        chainId,
        orders.map(({ uid }) => uid),
      ),
    ).toEqual([true, false, true])
  })

  test('are notified to listeners once, and not when nothing was stored', async () => {
    const heard: (string | undefined)[] = []
    client.on('notification', ({ payload }) => heard.push(payload))
    await client.query('LISTEN tradegraph_orders')
    const orders = [newOrder(), newOrder()]
    await storeOrders(database.db, orders)
    await storeOrders(database.db, orders)
    await client.query('SELECT 1')
    await client.query('UNLISTEN *')
    expect(heard).toEqual([String(chainId)])
  })

  test('leave nothing when the transaction is rolled back', async () => {
    const fail = database.db.transaction(async (tx) => {
      await insertOrders(tx, [newOrder(), newOrder()])
      throw new Error('no')
    })
    await expect(fail).rejects.toThrow('no')
    expect([await count('orders'), await count('order_events'), await count('app_data')]).toEqual([0, 0, 0])
  })

  test('take over what the chain already logged about each', async () => {
    const orders = [newOrder(), newOrder(), newOrder(), newOrder()]
    const [traded, presigned, invalidated, quiet] = orders
    if (!traded || !presigned || !invalidated || !quiet) throw new Error('four')
    const amounts = { sellAmount: 10n, buyAmount: 20n, feeAmount: 0n }
    await database.db.transaction((tx) =>
      insertChainFacts(tx, chainId, {
        trades: [
          {
            ...traded,
            ...amounts,
            ...place(0),
            chainId,
            orderUid: traded.uid,
            orderId: null,
            auctionId: null,
          },
        ],
        presignatures: [{ ...place(1), orderUid: presigned.uid, owner: presigned.owner, signed: true }],
        invalidations: [{ ...place(2), orderUid: invalidated.uid }],
        settlements: [],
        executions: [],
      }),
    )
    const ids = (await storeOrders(database.db, orders)) as bigint[]
    const stored = new Map((await findOrdersById(database.db, ids)).map((order) => [order.uid, order]))
    const seen = ({ uid }: NewOrder) => {
      const order = stored.get(uid)
      return [
        order?.executedSellAmount,
        order?.executedBuyAmount,
        order?.presigned,
        order?.invalidatedOnChain,
      ]
    }
    expect(orders.map(seen)).toEqual([
      [10n, 20n, false, false],
      [0n, 0n, true, false],
      [0n, 0n, false, true],
      [0n, 0n, false, false],
    ])
    const { rows } = await client.query('SELECT order_id FROM trades')
    expect(rows).toEqual([{ order_id: String(ids[0]) }])
  })
})

test('what is written about a UID while its order waits for the lock is taken over', async () => {
  const order = newOrder()
  const { db } = database
  const indexing = await holdTransaction(db, async (tx) => {
    await lockOrders(tx, [order.uid])
    await insertChainFacts(tx, chainId, {
      ...noFacts,
      presignatures: [{ ...place(1), orderUid: order.uid, owner: order.owner, signed: true }],
    })
  })
  const placing = storeOrders(db, [order])
  await eventually('the order waits', isSomebodyWaiting)
  await indexing.commit()
  const [id] = await placing
  expect(await findOrdersById(db, [id as bigint])).toMatchObject([{ uid: order.uid, presigned: true }])
})

describe('an order that only has the hash of a document which arrives at the same moment', () => {
  const document = '{"appCode":"Shop","metadata":{"referrer":{"code":"ALPHA"}}}'
  const appData = keccakText(document)
  const bare = () => newOrder({ appData, fullAppData: null })
  const bringing = () => newOrder({ appData, fullAppData: document })
  const namesOfOrders = async () =>
    (await client.query('SELECT app_code, referrer_code FROM orders')).rows.map(Object.values)
  const names = ['Shop', 'ALPHA']

  test.each([
    ['uploaded', () => storeAppData(database.db, appData, document), [names]],
    ['brought by another', () => storeOrders(database.db, [bringing()]), [names, names]],
  ])('placed first, then %s', async (_, bring, expected) => {
    const placing = await holdTransaction(database.db, (tx) => insertOrders(tx, [bare()]))
    const storing = bring()
    await eventually('the document waits', isSomebodyWaiting)
    await placing.commit()
    await storing
    expect(await namesOfOrders()).toEqual(expected)
  })

  test.each([
    ['uploaded', (tx: Tx) => insertAppData(tx, appData, document), [names]],
    ['brought by another', (tx: Tx) => insertOrders(tx, [bringing()]), [names, names]],
  ])('%s first, then placed', async (_, bring, expected) => {
    const storing = await holdTransaction<unknown>(database.db, bring)
    const placing = storeOrders(database.db, [bare()])
    await eventually('the order waits', isSomebodyWaiting)
    await storing.commit()
    await placing
    expect(await namesOfOrders()).toEqual(expected)
  })

  test('can be placed together with an order that has the document', async () => {
    await storeOrders(database.db, [bare(), bringing(), bare()])
    expect(await namesOfOrders()).toEqual([names, names, names])
  })

  test('does not wait for others that only have the hash', async () => {
    const placing = await holdTransaction(database.db, (tx) => insertOrders(tx, [bare()]))
    expect(await storeOrders(database.db, [bare()])).toEqual([expect.any(BigInt)])
    await placing.commit()
  })

  test('gets lost codes back when the document is uploaded again', async () => {
    await storeOrders(database.db, [bringing()])
    await client.query('UPDATE orders SET app_code = NULL, referrer_code = NULL')
    expect(await storeAppData(database.db, appData, document)).toBe(false)
    expect(await namesOfOrders()).toEqual([names])
  })
})

test('an unreachable database is an outage', async () => {
  const db = openDatabase({ url: 'postgresql://nobody:none@127.0.0.1:1/none', maxConnections: 2 })
  await expect(storeOrders(db, [newOrder(), newOrder()])).rejects.toThrow(Outage)
  await expect(areTaken(db, chainId, [newOrder().uid])).rejects.toThrow(Outage)
  await db.close()
})

test('quotes are found by id, many in one statement, on their own network only', async () => {
  const { id: _, ...offer } = quoteOf({ verified: true, expiration: new Date(1_800_000_000_123) })
  const ids = [
    await insertQuote(database.db, offer),
    await insertQuote(database.db, { ...offer, chainId: 1 }),
  ]
  const asked = [...ids, 999_999n, ids[0] ?? 0n]
  const found = { ...offer, id: ids[0] }
  expect(await statementsOf(() => findQuotes(database.db, chainId, asked))).toBe(1)
  expect(await findQuotes(database.db, chainId, asked)).toEqual([found, undefined, undefined, found])
})
