import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLiveBook } from '../../../src/auctions/admission/order-book.ts'
import { zeroAppData } from '../../../src/domain/app-data/document.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { createLateDocumentReader } from '../../../src/orders/late-document.ts'
import { storeAppData } from '../../../src/storage/app-data.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
import { storeOrders } from '../../../src/storage/order/insert.ts'
import { insertOrder, storeCancellations } from '../../../src/storage/order/orders.ts'
import { type HeldTransaction, holdTransaction } from '../../fakes/held-transaction.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered, sampleOrder, signingDomain } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { storeOrder } from '../../fakes/stored-order.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'

const now = 1_000
let database: TestDatabase
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
})
afterAll(() => database[Symbol.asyncDispose]())

let numbers = 0
/** Has no document: its lock would last as long as its transaction, and the book would look for it. */
const another = ({ validTo = 2_000_000_000 + ++numbers, ...more }: Partial<Order> = {}) => ({
  owner: numbered('0b'),
  validTo,
  effectiveValidTo: validTo,
  appData: zeroAppData,
  fullAppData: null,
  ...more,
})
const openBook = (maxOrders = 10_000) =>
  createLiveBook({
    db,
    chainId: signingDomain.chainId,
    log: silentLog,
    maxOrders,
    readDocument: createLateDocumentReader({
      network: sampleNetwork,
      limits: { maxGas: 8_000_000n, minValidity: 60 },
    }),
  })
const heldIds = (book: ReturnType<typeof openBook>) =>
  [...book.orders()].map(({ id }) => id).sort((a, b) => Number(a - b))

async function liveIds(): Promise<bigint[]> {
  const rows = await sql(db).order.findMany({
    where: { cancelledAt: null, invalidated: false, executedSell: 0, effectiveValidTo: { gte: now } },
    orderBy: { id: 'asc' },
  })
  return rows
    .filter(({ signingScheme, presigned }) => signingScheme !== 'presign' || presigned)
    .map(({ id }) => id)
}

test('a book reads what is there, then only what was written since', async () => {
  const [first, second] = [await storeOrder(db, another()), await storeOrder(db, another())]
  const unsigned = await storeOrder(db, another({ signingScheme: 'presign' }))
  const expired = await storeOrder(db, another({ validTo: now - 1 }))
  const book = openBook()
  expect(await book.read(now)).toEqual({
    unsigned: [{ id: unsigned.id, uid: unsigned.uid }],
    ended: [],
    expired: [],
  })
  expect(heldIds(book)).toEqual([first.id, second.id])

  // What was written while a transaction of another test ran is read again.
  await eventually('no older transaction runs', async () => (await book.read(now)).unsigned.length === 0)
  const before = database.statements.length
  expect(await book.read(now)).toEqual({ unsigned: [], ended: [], expired: [] })
  expect(database.statements.length - before).toBe(1)

  await db.transaction((tx) => storeCancellations(tx, [first.id], new Date()))
  await sql(db).order.update({ where: { id: unsigned.id }, data: { presigned: true } })
  await sql(db).order.update({ where: { id: second.id }, data: { executedSell: 1 } })
  const third = await storeOrder(db, another({ validTo: now + 1 }))
  expect(await book.read(now)).toEqual({ unsigned: [], ended: [first.id], expired: [] })
  expect(heldIds(book)).toEqual([second.id, unsigned.id, third.id])
  expect([...book.orders()].find(({ id }) => id === second.id)?.executedSellAmount).toBe(1n)
  // Beside what a running transaction makes the book read twice.
  expect((await book.read(now + 2)).expired).toContain(third.id)
  expect(heldIds(book)).not.toContain(expired.id)
  await sql(db).order.deleteMany()
})

test('transactions that commit against the order of their start are read, each order in its last state', async () => {
  const book = openBook()
  await book.read(now)
  const open: HeldTransaction<unknown>[] = []
  for (let step = 0; step < 60; step++) {
    if (step % 3 === 0) {
      open.push(
        await holdTransaction(db, async (tx) => {
          const orderId = await insertOrder(tx, sampleOrder(another()))
          await appendEvents(tx, [
            { orderId: orderId ?? 0n, label: 'created', reason: null, timestamp: new Date() },
          ])
        }),
      )
    } else await storeOrder(db, another(step % 5 === 0 ? { signingScheme: 'presign' } : {}))
    const ids = heldIds(book)
    if (step % 4 === 0 && ids[step % ids.length] !== undefined)
      await db.transaction((tx) => storeCancellations(tx, [ids[step % ids.length] ?? 0n], new Date()))
    // Of the open ones, sometimes the newest commits first.
    if (open.length > 3) await open.splice((step * 7) % open.length, 1)[0]?.commit()
    await book.read(now)
    expect(heldIds(book)).toEqual(await liveIds())
  }
  for (const transaction of open.reverse()) await transaction.commit()
  await book.read(now)
  expect(heldIds(book)).toEqual(await liveIds())
})

test('a book that is full keeps the orders that expire first, and starts anew after a reset', async () => {
  await sql(db).order.deleteMany()
  const orders = [
    await storeOrder(db, another()),
    await storeOrder(db, another()),
    await storeOrder(db, another()),
  ]
  const book = openBook(2)
  await book.read(now)
  expect(heldIds(book)).toEqual(orders.slice(0, 2).map(({ id }) => id))
  await sql(db).order.delete({ where: { id: orders[0]?.id ?? 0n } })
  book.reset()
  await book.read(now)
  expect(heldIds(book)).toEqual(orders.slice(1).map(({ id }) => id))
})

const hook = { target: numbered('0c'), callData: '0x12', gasLimit: '50000' }
const documentOf = (pre: object[], post: object[] = [], more = {}) =>
  JSON.stringify({ metadata: { hooks: { pre, post }, ...more } })
const byHash = (document: string, more: Partial<Order> = {}) =>
  sampleOrder(another({ appData: keccakText(document), signingScheme: 'eip1271', ...more }))

test('1,500 orders that share a document which comes later get its hooks in two reads, once each', async () => {
  await sql(db).order.deleteMany()
  const document = documentOf([hook], [hook])
  await storeOrders(
    db,
    Array.from({ length: 1_500 }, () => byHash(document)),
  )
  const book = openBook()
  await book.read(now)
  expect(heldIds(book)).toHaveLength(1_500)
  const before = database.statements.length
  await storeAppData(db, keccakText(document), document)
  // One more transaction than with one order: begin, lock, insert, commit.
  expect(database.statements.length - before).toBeLessThanOrEqual(4)
  await book.read(now)
  expect(heldIds(book)).toHaveLength(1_000)
  await book.read(now)
  expect(heldIds(book)).toHaveLength(1_500)
  for (const { interactions, fullAppData } of book.orders()) {
    expect(fullAppData).toBe(document)
    expect([interactions.pre.length, interactions.post.length]).toEqual([1, 1])
    expect(interactions.pre[0]?.target).toBe(sampleNetwork.hooksTrampoline)
  }
  const stored = new Map([...book.orders()].map((order) => [order.id, order]))
  const afresh = openBook()
  await afresh.read(now)
  for (const order of afresh.orders()) expect(order).toEqual(stored.get(order.id))
  expect(heldIds(afresh)).toHaveLength(1_500)
  // Nothing is left to do.
  await eventually('no older transaction runs', async () => {
    const count = database.statements.length
    await book.read(now)
    return database.statements.length - count === 1
  })
})

test('hashes without a document are looked up a thousand at a time, and each is reached', async () => {
  await sql(db).order.deleteMany()
  const documents = Array.from({ length: 2_500 }, (_, index) => documentOf([hook], [], { index }))
  await storeOrders(
    db,
    documents.map((document) => byHash(document)),
  )
  const book = openBook()
  await book.read(now)
  const last = documents.at(-1) ?? ''
  await storeAppData(db, keccakText(last), last)
  const withHooks = () => [...book.orders()].filter(({ interactions }) => interactions.pre.length > 0)
  for (let reads = 0; reads < 3; reads++) await book.read(now)
  expect(withHooks().map(({ appData }) => appData)).toEqual([keccakText(last)])
})

test('a document that comes later adds its hooks after the call of a contract that owns the order', async () => {
  await sql(db).order.deleteMany()
  const wrap = { target: numbered('0b'), value: 0n, callData: '0x4c84c1c8' } as const
  // The gas limit of orders does not hold on chain: their coins are with the contract already.
  const heavy = { ...hook, gasLimit: '9000000' }
  const document = documentOf([heavy], [hook], { validFrom: 1_500, signer: numbered('0d') })
  const onChain = byHash(document, { onchainUser: numbered('0f'), interactions: { pre: [wrap], post: [] } })
  await storeOrders(db, [onChain])
  const book = openBook()
  await book.read(now)
  await storeAppData(db, keccakText(document), document)
  await book.read(now)
  const [order] = book.orders()
  expect(order?.interactions.pre.map(({ target }) => target)).toEqual([
    wrap.target,
    sampleNetwork.hooksTrampoline,
  ])
  expect(order?.interactions.post).toHaveLength(1)
  expect(order?.validFrom).toBe(1_500)
  expect(order && book.faultOf(order)).toBeUndefined()
})

test.each([
  [
    'too much gas',
    documentOf([{ ...hook, gasLimit: '8000000' }]),
    /^the order needs 8\d+ gas, 8000000 are allowed$/,
  ],
  ['another signer', documentOf([hook], [], { signer: numbered('0d') }), /^appData metadata\.signer is 0x/],
  [
    'wrappers',
    documentOf([], [], { wrappers: [{ address: numbered('0d'), data: '0x' }] }),
    /^wrappers are not available/,
  ],
  ['a start after its end', documentOf([hook], [], { validFrom: 3_999_999_999 }), /after appData validFrom$/],
])('an order stays without its document that comes later if that has %s', async (_name, document, fault) => {
  await sql(db).order.deleteMany()
  await storeOrders(db, [byHash(document)])
  const book = openBook()
  await book.read(now)
  await storeAppData(db, keccakText(document), document)
  await book.read(now)
  const [order] = book.orders()
  expect(order?.interactions).toEqual({ pre: [], post: [] })
  expect(order && book.faultOf(order)).toMatch(fault)
})
