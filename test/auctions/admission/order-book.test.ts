import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOrderBook } from '../../../src/auctions/admission/order-book.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import { appendEvents } from '../../../src/storage/order/events.ts'
import { cancelOrders, insertOrder } from '../../../src/storage/order/orders.ts'
import { type HeldTransaction, holdTransaction } from '../../fakes/held-transaction.ts'
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
/** Without a document, whose lock would be held as long as its transaction. */
const another = ({ validTo = 2_000_000_000 + ++numbers, ...more }: Partial<Order> = {}) => ({
  owner: numbered('0b'),
  validTo,
  effectiveValidTo: validTo,
  fullAppData: null,
  ...more,
})
const openBook = (maxOrders = 10_000) =>
  createOrderBook({ db, chainId: signingDomain.chainId, log: silentLog, maxOrders })
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

  await db.transaction((tx) => cancelOrders(tx, [first.id], new Date()))
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
      await db.transaction((tx) => cancelOrders(tx, [ids[step % ids.length] ?? 0n], new Date()))
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
