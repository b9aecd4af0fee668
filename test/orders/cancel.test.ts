import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cancellation } from '../../src/domain/order/creation.ts'
import type { Order, OrderUid } from '../../src/domain/order/order.ts'
import { orderStatus } from '../../src/domain/order/status.ts'
import {
  cancellationDigest,
  cancellationsDigest,
  type EcdsaScheme,
} from '../../src/domain/signing/signing.ts'
import { cancelByPolicy, cancelOrder, cancelOrders } from '../../src/orders/cancel.ts'
import { sql } from '../../src/storage/database/database.ts'
import { numbered, signingDomain } from '../fakes/order.ts'
import { alice, bob, createOrderServices, signedCancellation, testTime } from '../fakes/order-services.ts'
import { readOrder, storeOrder } from '../fakes/stored-order.ts'
import { eventsOfOrders, listNotifications } from '../fakes/stored-story.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
let made = 0
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const openUntil = testTime + 600
const placeOrder = (overrides: Partial<Order> = {}) =>
  storeOrder(database.db, {
    owner: alice.address,
    validTo: ++made,
    effectiveValidTo: openUntil,
    ...overrides,
  })
const cancel = (cancellation: Cancellation) => cancelOrders(cancellation, createOrderServices(database.db))
const statusOf = async (order: Order) => orderStatus(await readOrder(database.db, order), testTime)
const labelsOf = async ({ id }: Order) => (await eventsOfOrders(database.db, [id])).map(({ label }) => label)

async function notificationsOf({ uid }: Order) {
  const list = await listNotifications(database.db, alice.address, 1_000)
  return list.filter(({ metadata }) => metadata.orderId === uid)
}

async function progress(order: Order, change: { executedSell?: string; invalidated?: boolean }) {
  await sql(database.db).order.update({ where: { id: order.id }, data: change })
  return order
}

test('cancels every order of the list, notifies the owner, and records the events', async () => {
  const orders = [await placeOrder(), await placeOrder()]
  const uids = orders.map(({ uid }) => uid)
  expect(await cancel(signedCancellation(uids))).toEqual(uids)
  for (const order of orders) {
    expect(await statusOf(order)).toBe('cancelled')
    expect((await readOrder(database.db, order)).cancelledAt).toEqual(new Date(testTime * 1_000 + 999))
    expect(await labelsOf(order)).toEqual(['created', 'cancelled'])
    expect(await notificationsOf(order)).toMatchObject([
      { type: 'order_cancelled', metadata: { source: 'api' }, account: alice.address },
    ])
  }
})

test('cancels an order that is listed twice once, if the signature covers the list as sent', async () => {
  const { uid, ...order } = await placeOrder()
  const cancellation = signedCancellation([uid, uid])
  await expect(cancel({ ...cancellation, orderUids: [uid] })).rejects.toMatchObject({ code: 'WrongOwner' })
  expect(await cancel(cancellation)).toEqual([uid])
  expect(await labelsOf({ uid, ...order })).toEqual(['created', 'cancelled'])
  expect(await notificationsOf({ uid, ...order })).toHaveLength(1)
})

test('of several at once, one succeeds', async () => {
  const { uid } = await placeOrder()
  const results = await Promise.allSettled([1, 2, 3, 4].map(() => cancel(signedCancellation([uid]))))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const codes = results.flatMap((result) => (result.status === 'rejected' ? result.reason.code : []))
  expect(codes).toEqual(Array(3).fill('AlreadyCancelled'))
})

test('takes an ethsign signature', async () => {
  const order = await placeOrder()
  await cancel(signedCancellation([order.uid], alice, 'ethsign'))
  expect(await statusOf(order)).toBe('cancelled')
})

test('does nothing for an empty list whose signature recovers', async () => {
  expect(await cancel(signedCancellation([]))).toEqual([])
  await expect(cancel({ ...signedCancellation([]), signature: '0x' })).rejects.toMatchObject({
    code: 'InvalidSignature',
  })
})

describe('a single order', () => {
  const forms = {
    'by itself': (uid: OrderUid) => cancellationDigest(signingDomain, uid),
    'as a list of one': (uid: OrderUid) => cancellationsDigest(signingDomain, [uid]),
  }
  const signed = (uid: OrderUid, form: keyof typeof forms, scheme: EcdsaScheme, trader = alice) => ({
    orderUid: uid,
    signingScheme: scheme,
    signature: trader.sign(scheme, forms[form](uid)),
  })

  test.each([
    ['by itself', 'eip712'],
    ['by itself', 'ethsign'],
    ['as a list of one', 'eip712'],
    ['as a list of one', 'ethsign'],
  ] as const)('may be signed %s with %s', async (form, scheme) => {
    const order = await placeOrder()
    const services = createOrderServices(database.db)
    const bobs = cancelOrder(signed(order.uid, form, scheme, bob), services)
    await expect(bobs).rejects.toMatchObject({ code: 'WrongOwner' })
    expect(await cancelOrder(signed(order.uid, form, scheme), services)).toBe(order.uid)
    expect(await statusOf(order)).toBe('cancelled')
    expect(await labelsOf(order)).toEqual(['created', 'cancelled'])
  })

  test('signed as a single order is not valid as a list', async () => {
    const { uid } = await placeOrder()
    const { signature } = signed(uid, 'by itself', 'eip712')
    const list = cancel({ orderUids: [uid], signingScheme: 'eip712', signature })
    await expect(list).rejects.toMatchObject({ code: 'WrongOwner' })
  })
})

describe('cancelling by policy', () => {
  const byPolicy = (orderUids: OrderUid[], reason: string | null = null) =>
    cancelByPolicy({ orderUids, reason }, createOrderServices(database.db))
  const reasonsOf = async ({ id }: Order) =>
    (await eventsOfOrders(database.db, [id])).map(({ reason }) => reason)

  test('cancels orders of any owner and signing scheme, and records the source', async () => {
    const orders = [
      await placeOrder(),
      await placeOrder({ signingScheme: 'presign', presigned: false }),
      await placeOrder({ signingScheme: 'eip1271' }),
    ]
    const uids = orders.map(({ uid }) => uid)
    expect(await byPolicy([...uids, ...uids])).toEqual(uids)
    for (const order of orders) {
      expect(await statusOf(order)).toBe('cancelled')
      expect(await reasonsOf(order)).toEqual([null, 'policy'])
      expect(await notificationsOf(order)).toMatchObject([
        { type: 'order_cancelled', metadata: { source: 'policy' } },
      ])
    }
  })

  test('records the reason if there is one', async () => {
    const order = await placeOrder()
    await byPolicy([order.uid], 'the token is a fake')
    expect(await reasonsOf(order)).toEqual([null, 'policy: the token is a fake'])
    expect(await notificationsOf(order)).toMatchObject([{ metadata: { reason: 'the token is a fake' } }])
  })

  test('cancels all orders or none', async () => {
    const order = await placeOrder()
    const expired = await placeOrder({ effectiveValidTo: testTime - 1 })
    await expect(byPolicy([order.uid, expired.uid])).rejects.toMatchObject({ code: 'OrderExpired' })
    expect(await statusOf(order)).toBe('open')
  })
})

test('a long list is read in one statement', async () => {
  const orders = await Promise.all(Array.from({ length: 30 }, () => placeOrder()))
  const reads = database.statements.length
  await cancel(signedCancellation(orders.map(({ uid }) => uid)))
  const statements = database.statements.slice(reads)
  expect(statements.filter((text) => text.includes('FROM orders o'))).toHaveLength(1)
  expect(await Promise.all(orders.slice(0, 3).map(statusOf))).toEqual(['cancelled', 'cancelled', 'cancelled'])
})

describe('refuses', () => {
  const unknown: OrderUid = `0x${'99'.repeat(56)}` as const
  const cases: [code: string, make: () => Promise<OrderUid>][] = [
    ['OrderNotFound', async () => unknown],
    [
      'OrderFullyExecuted',
      async () => (await progress(await placeOrder({ sellAmount: 5n }), { executedSell: '5' })).uid,
    ],
    [
      'AlreadyCancelled',
      async () => {
        const order = await placeOrder()
        await cancel(signedCancellation([order.uid]))
        return order.uid
      },
    ],
    ['AlreadyCancelled', async () => (await progress(await placeOrder(), { invalidated: true })).uid],
    ['OrderExpired', async () => (await placeOrder({ effectiveValidTo: testTime - 1 })).uid],
    ['OnChainOrder', async () => (await placeOrder({ signingScheme: 'presign' })).uid],
    ['WrongOwner', async () => (await placeOrder({ owner: bob.address })).uid],
  ]

  test.each(cases)('with %s, and cancels no order of the list', async (code, make) => {
    const other = await placeOrder()
    const bad = await make()
    const before = database.statements.length
    for (const uids of [
      [other.uid, bad],
      [bad, other.uid],
    ]) {
      await expect(cancel(signedCancellation(uids))).rejects.toMatchObject({ name: 'Refusal', code })
    }
    expect(database.statements.slice(before).join()).not.toContain('UPDATE orders')
    expect(await statusOf(other)).toBe('open')
    expect(await labelsOf(other)).toEqual(['created'])
    expect(await notificationsOf(other)).toEqual([])
  })

  test("with the first fault: each order in the list's sequence, then the signature, then the owners", async () => {
    const expired = await placeOrder({ effectiveValidTo: testTime - 1 })
    const presign = await placeOrder({ signingScheme: 'presign', effectiveValidTo: testTime - 1 })
    const bobs = await placeOrder({ owner: bob.address })
    const fault = async (uids: OrderUid[], change: Partial<Cancellation> = {}) =>
      cancel({ ...signedCancellation(uids), ...change }).then(
        () => 'none',
        ({ code }) => code,
      )
    expect(await fault([expired.uid, unknown])).toBe('OrderExpired')
    expect(await fault([unknown, expired.uid])).toBe('OrderNotFound')
    expect(await fault([presign.uid])).toBe('OrderExpired')
    expect(await fault([bobs.uid, unknown], { signature: '0x' })).toBe('OrderNotFound')
    expect(await fault([bobs.uid], { signature: '0x' })).toBe('InvalidSignature')
    expect(await fault([bobs.uid])).toBe('WrongOwner')
  })

  test('an order of another network as unknown', async () => {
    const order = await placeOrder({ chainId: 1, owner: numbered('0f') })
    await expect(cancel(signedCancellation([order.uid]))).rejects.toMatchObject({ code: 'OrderNotFound' })
  })
})
