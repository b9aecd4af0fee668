import { parse } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { maxUint256 } from '../../src/domain/amount.ts'
import { orderStatus } from '../../src/domain/order/status.ts'
import { chargeOf } from '../../src/execution/admission/charge.ts'
import { Operation } from '../../src/execution/operation.ts'
import { cancelOrder, cancelOrders } from '../../src/orders/cancel.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { findOrder } from '../../src/storage/order/orders.ts'
import { graphInput } from '../fakes/graph-input.ts'
import {
  alice,
  bob,
  createOrderServices,
  signedCancellation,
  signedOrder,
  testTime,
} from '../fakes/order-services.ts'
import { readOrder, storeOrder } from '../fakes/stored-order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql, request } from '../setup/trader.ts'
import { cancelling, placing } from './refusals.ts'

let server: TestServer
let services: OrderServices
beforeAll(async () => {
  server = await openTestServer({
    placeOrder: (creation) => placeOrder(creation, services),
    cancelOrder: (wish) => cancelOrder(wish, services),
    cancelOrders: (wish) => cancelOrders(wish, services),
  })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  server.faults.splice(0)
  services = createOrderServices(server.database.db)
})

let made = 0
const fresh = (change: Parameters<typeof signedOrder>[0] = {}) =>
  signedOrder({ validTo: testTime + 600 + ++made, ...change })
const inputOf = (...change: Parameters<typeof placing>) =>
  graphInput(placing(...change).body as Record<string, unknown>)

describe('placeOrders', () => {
  const query = `mutation ($input: PlaceOrdersInput!) { placeOrders(input: $input) { results {
    index order { uid status } error { code message field retryable index data }
  } } }`
  const place = async (orders: unknown[]) =>
    (await graphql(server.url, query, { input: { orders } })).placeOrders.results
  const refusalOf = async (orders: unknown[]) => {
    const { body } = await request(`${server.url}/graphql`, 'POST', {
      query,
      variables: { input: { orders } },
    })
    return body.errors[0].extensions
  }

  test('returns a result for each order', async () => {
    const placed = fresh()
    await placeOrder(placed, services)
    const results = await place([
      inputOf(fresh()),
      inputOf(placed),
      { ...inputOf(fresh()), sellAmount: `${maxUint256 + 1n}` },
      { ...inputOf(fresh()), appDataHash: `0x${'12'.repeat(32)}` },
      inputOf(fresh({ sellAmount: 0n })),
      inputOf(fresh()),
    ])
    const refused = (index: number, code: string, more: object = {}) => ({
      index,
      order: null,
      error: { code, index, retryable: false, message: expect.any(String), field: null, data: null, ...more },
    })
    const stored = (index: number) => ({
      index,
      order: { uid: expect.stringMatching(/^0x[0-9a-f]{112}$/), status: 'OPEN' },
      error: null,
    })
    expect(results).toEqual([
      stored(0),
      refused(1, 'DuplicatedOrder', { data: results[1].error.data, field: results[1].error.field }),
      refused(2, 'SellAmountOverflow', { field: 'sellAmount', message: 'sellAmount exceeds uint256' }),
      refused(3, 'AppDataHashMismatch', { field: 'appDataHash' }),
      refused(4, 'ZeroAmount', { field: results[4].error.field }),
      stored(5),
    ])
    for (const index of [0, 5])
      expect(await findOrder(server.database.db, results[index].order.uid)).toBeDefined()
    expect(server.faults).toEqual([])
  })

  test('reports a bug as an internal error only, and stores the other orders', async () => {
    const [bad, good] = [fresh(), fresh()]
    services = {
      ...services,
      isTaken: async (uid) => {
        if (uid.endsWith(bad.validTo.toString(16))) throw new Error('a secret')
        return false
      },
    }
    const [first, second] = await place([inputOf(bad), inputOf(good)])
    expect(first.error).toMatchObject({
      code: 'InternalServerError',
      retryable: true,
      message: 'Internal server error',
    })
    expect(second.order.status).toBe('OPEN')
    expect(server.faults).toHaveLength(1)
  })

  test('refuses an empty list, more than ten orders, and malformed orders', async () => {
    const order = inputOf(fresh())
    expect(await refusalOf([])).toMatchObject({ code: 'InvalidParameter', field: 'orders' })
    expect(await refusalOf(Array(11).fill(order))).toMatchObject({
      code: 'InvalidParameter',
      field: 'orders',
    })
    expect(await refusalOf([order, { ...order, sellAmount: '0x1' }])).toMatchObject({
      code: 'InvalidParameter',
      field: 'orders[1].sellAmount',
    })
  })

  test('counts each order against the rate limit', () => {
    const order = inputOf(fresh())
    const charged = (text: string, variables = {}) =>
      chargeOf(new Operation({ variables }, parse(text))).orders
    const three = { orders: [order, order, order] }
    expect(charged(query, { input: three })).toBe(3)
    expect(charged(query, { input: { orders: [order] } })).toBe(1)
    const member =
      'mutation ($orders: [OrderInput!]!) { placeOrders(input: { orders: $orders }) { results { index } } }'
    expect(charged(member, three)).toBe(3)
    const literal =
      'mutation { a: placeOrders(input: { orders: [{}, {}] }) { results { index } } uploadAppData(input: { document: "{}" }) { created } }'
    // An upload does not count as a submission.
    expect(charged(literal)).toBe(2)
  })
})

describe('cancelOrders', () => {
  const query =
    'mutation ($input: CancelOrdersInput!) { cancelOrders(input: $input) { orders { uid status } } }'
  const open = (change: object = {}) =>
    storeOrder(server.database.db, {
      owner: alice.address,
      validTo: ++made,
      effectiveValidTo: testTime + 600,
      ...change,
    })
  const cancel = async (uids: Parameters<typeof signedCancellation>[0], by = alice) => {
    const signed = signedCancellation(uids, by)
    const input = graphInput({ ...signed })
    const { body } = await request(`${server.url}/graphql`, 'POST', { query, variables: { input } })
    const call = cancelling(signed)
    const rest = () => request(`${server.url}/sepolia${call.path}`, call.method, call.body)
    return { ...body, rest }
  }

  test('returns each order once', async () => {
    const [one, two] = [await open(), await open()]
    const { data } = await cancel([two.uid, one.uid, two.uid])
    expect(data.cancelOrders.orders).toEqual([
      { uid: two.uid, status: 'CANCELLED' },
      { uid: one.uid, status: 'CANCELLED' },
    ])
  })

  test('lists the orders that prevent the cancellation, and cancels none; REST reports only the first', async () => {
    const good = await open()
    const expired = await open({ effectiveValidTo: testTime - 1 })
    const onChain = await open({ signingScheme: 'presign', presigned: true })
    const unknown = `0x${'99'.repeat(56)}` as const
    const { errors, rest } = await cancel([good.uid, expired.uid, onChain.uid, unknown])
    expect(errors[0].extensions).toMatchObject({
      code: 'OrderExpired',
      field: 'orderUids',
      data: {
        uid: expired.uid,
        items: [
          { uid: expired.uid, code: 'OrderExpired', message: 'the order has expired' },
          { uid: onChain.uid, code: 'OnChainOrder', message: 'presign orders are cancelled on chain' },
          { uid: unknown, code: 'OrderNotFound', message: `no order ${unknown} on sepolia` },
        ],
      },
    })
    expect(orderStatus(await readOrder(server.database.db, good), testTime)).toBe('open')
    expect((await rest()).body).toEqual({
      errorType: 'OrderExpired',
      description: 'the order has expired',
      data: { uid: expired.uid },
    })
    const missing = await cancel([unknown])
    expect((await missing.rest()).body).toEqual({
      errorType: 'OrderNotFound',
      description: `no order ${unknown} on sepolia`,
    })
  })

  test('lists the orders that the signer does not own', async () => {
    const [own, other, third] = [await open({ owner: bob.address }), await open(), await open()]
    const { errors, rest } = await cancel([own.uid, other.uid, third.uid], bob)
    expect(errors[0].extensions).toMatchObject({
      code: 'WrongOwner',
      data: {
        uid: other.uid,
        signer: bob.address,
        items: [
          { uid: other.uid, code: 'WrongOwner' },
          { uid: third.uid, code: 'WrongOwner' },
        ],
      },
    })
    expect((await rest()).body.data).toEqual({ uid: other.uid, signer: bob.address })
  })
})
