import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Refusal } from '../../src/domain/errors/error.ts'
import type { Order, OrderUid } from '../../src/domain/order/order.ts'
import { cancelOrders } from '../../src/orders/cancel.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { forgetTransaction, storeTransaction } from '../../src/storage/auction/settlement-attempts.ts'
import { sql, type Tx } from '../../src/storage/database/database.ts'
import { findOrder } from '../../src/storage/order/orders.ts'
import { lockOrders } from '../../src/storage/order/progress.ts'
import { fakeTransaction } from '../fakes/auction-services.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { holdTransaction } from '../fakes/held-transaction.ts'
import { numbered } from '../fakes/order.ts'
import {
  alice,
  bob,
  createOrderServices,
  signedCancellation,
  signedOrder,
  testTime,
} from '../fakes/order-services.ts'
import { readOrder, storeOrder } from '../fakes/stored-order.ts'
import { eventsOfOrders, listNotifications } from '../fakes/stored-story.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'

let database: TestDatabase
let made = 0
let auctions = 0n
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const openUntil = testTime + 600
const open = (overrides: Partial<Order> = {}) =>
  storeOrder(database.db, {
    owner: alice.address,
    validTo: ++made,
    effectiveValidTo: openUntil,
    ...overrides,
  })
/** A new order that replaces another; unique in each call. */
const successor = (uid: OrderUid, change: Parameters<typeof signedOrder>[0] = {}, trader = alice) =>
  signedOrder(
    { document: JSON.stringify({ metadata: { replacedOrder: { uid } }, n: ++made }), ...change },
    trader,
  )
const place = (creation: ReturnType<typeof signedOrder>) =>
  placeOrder(creation, createOrderServices(database.db))
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: Refusal) => error.code,
  )
const ordersInAll = () => sql(database.db).order.count()
const labelsOf = async ({ id }: Order) => (await eventsOfOrders(database.db, [id])).map(({ label }) => label)

/** @returns the auction */
async function bidOn(order: Order): Promise<bigint> {
  const fills = [{ order, fill: { sell: order.sellAmount, buy: 3_000n * 10n ** 6n } }]
  await storeCompetition(database.db, { id: ++auctions, solver: numbered('50'), fills })
  return auctions
}

test('replaces an order: the old one is cancelled in the same commit, and its owner is notified', async () => {
  const old = await open()
  const uid = await place(successor(old.uid))
  const stored = await findOrder(database.db, uid)
  const replaced = await readOrder(database.db, old)
  expect(stored).toMatchObject({ owner: alice.address, cancelledAt: null })
  expect(replaced.cancelledAt).toEqual(stored?.creationDate)
  expect(await labelsOf(replaced)).toEqual(['created', 'cancelled'])
  expect(stored && (await labelsOf(stored))).toEqual(['created'])
  const notifications = await listNotifications(database.db, alice.address, 1_000)
  expect(notifications.filter(({ metadata }) => metadata.orderId === old.uid)).toMatchObject([
    { type: 'order_cancelled', metadata: { source: 'replacement', replacedBy: uid } },
  ])
})

test('may replace an order that is filled in part, or that no solver bid on lately', async () => {
  const partly = await open({ partiallyFillable: true })
  await sql(database.db).order.update({ where: { id: partly.id }, data: { executedSell: '5' } })
  await place(successor(partly.uid))
  expect((await readOrder(database.db, partly)).cancelledAt).not.toBeNull()

  const [old, other] = [await open(), await open()]
  await bidOn(old)
  for (let later = 0; later < 4; later++) await bidOn(other)
  expect(await codeOf(place(successor(old.uid)))).toBe('OldOrderActivelyBidOn')
  await bidOn(other)
  await place(successor(old.uid))
  expect((await readOrder(database.db, old)).cancelledAt).not.toBeNull()
})

test('is refused while a settlement of the old order is pending, however long', async () => {
  const [old, other] = [await open(), await open()]
  const settling = await bidOn(old)
  for (let later = 0; later < 5; later++) await bidOn(other)
  const attempt = { auctionId: settling, solutionUid: 0 }
  expect(
    await storeTransaction(database.db, attempt, { raw: '0x02', submission: '', hash: fakeTransaction }),
  ).toBe(true)
  expect(await codeOf(place(successor(old.uid)))).toBe('OldOrderActivelyBidOn')
  await forgetTransaction(database.db, attempt)
  await place(successor(old.uid))
  expect((await readOrder(database.db, old)).cancelledAt).not.toBeNull()
})

describe('changes nothing when it is refused', () => {
  test.each([
    ['WrongOwner', {}, bob],
    ['InvalidSignature', { signingScheme: 'presign', from: alice.address }, alice],
    ['TooMuchGas', {}, alice],
  ] as const)('with %s', async (code, change, trader) => {
    const old = await open()
    const before = await ordersInAll()
    const services = createOrderServices(database.db)
    if (code === 'TooMuchGas') services.limits.maxGas = -1n
    expect(await codeOf(placeOrder(successor(old.uid, change, trader), services))).toBe(code)
    expect(await readOrder(database.db, old)).toEqual(old)
    expect(await ordersInAll()).toBe(before)
  })
})

test('of several replacements of one order, one succeeds', async () => {
  const old = await open()
  const before = await ordersInAll()
  const results = await Promise.all([1, 2, 3, 4, 5].map(() => codeOf(place(successor(old.uid)))))
  expect(results.toSorted()).toEqual([...Array(4).fill('AlreadyCancelled'), 'none'])
  expect(await ordersInAll()).toBe(before + 1)
})

describe('waits for the transaction that holds the order, and then sees', () => {
  /** Replaces an order while another transaction holds it. */
  async function meanwhile(old: Order, work: (tx: Tx) => Promise<unknown>): Promise<string> {
    const held = await holdTransaction(database.db, async (tx) => {
      await lockOrders(tx, [old.uid])
      await work(tx)
    })
    const placing = codeOf(place(successor(old.uid)))
    await using client = await connectDirectly(database.url)
    await eventually('the replacement waits for the lock', async () => {
      const { rowCount } =
        await client.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
      return rowCount === 1
    })
    await held.commit()
    return placing
  }

  test('that the order was filled', async () => {
    const old = await open()
    const before = await ordersInAll()
    const fill = (tx: Tx) =>
      sql(tx).order.update({ where: { id: old.id }, data: { executedSell: `${old.sellAmount}` } })
    expect(await meanwhile(old, fill)).toBe('OrderFullyExecuted')
    expect((await readOrder(database.db, old)).cancelledAt).toBeNull()
    expect(await ordersInAll()).toBe(before)
  })

  test('that a solver bid on the order', async () => {
    const old = await open()
    expect(await meanwhile(old, () => bidOn(old))).toBe('OldOrderActivelyBidOn')
    expect((await readOrder(database.db, old)).cancelledAt).toBeNull()
  })
})

test("replacements and cancellations of each other's orders cause no deadlock", async () => {
  const orders = await Promise.all(Array.from({ length: 12 }, () => open()))
  const uids = orders.map(({ uid }) => uid)
  const services = createOrderServices(database.db)
  const work = uids.flatMap((uid, index) => [
    place(successor(uid)),
    place(successor(uid)),
    cancelOrders(signedCancellation([uid, uids[(index + 5) % 12] ?? uid]), services),
  ])
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected' && !(result.reason instanceof Refusal)) throw result.reason
  }
  const after = await Promise.all(orders.map((order) => readOrder(database.db, order)))
  expect(after.filter(({ cancelledAt }) => cancelledAt === null)).toEqual([])
})

test('a replacing order that is sent again, later or at the same time, is refused as a duplicate', async () => {
  const order = successor((await open()).uid)
  const codes = await Promise.all(Array.from({ length: 6 }, () => codeOf(place(order))))
  expect(codes.sort()).toEqual([...Array.from({ length: 5 }, () => 'DuplicatedOrder'), 'none'])
  expect(await codeOf(place(order))).toBe('DuplicatedOrder')
})

test('a replacing order whose copy is stored during its checks is refused as a duplicate', async () => {
  const order = successor((await open()).uid)
  const services = createOrderServices(database.db)
  let looks = 0
  const isTaken = async (uid: OrderUid) => {
    if (++looks > 1) return services.isTaken(uid)
    await place(order)
    return false
  }
  expect(await codeOf(placeOrder(order, { ...services, isTaken }))).toBe('DuplicatedOrder')
})
