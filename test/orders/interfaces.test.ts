import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { maxUint256 } from '../../src/domain/amount.ts'
import { toAppDataInput } from '../../src/domain/app-data/document.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { orderStatus } from '../../src/domain/order/status.ts'
import type { QuoteRequest } from '../../src/domain/quote/quote.ts'
import { cancellationDigest, cancellationsDigest } from '../../src/domain/signing/signing.ts'
import { operatorCheck } from '../../src/graphql/context/access.ts'
import { cancelByPolicy, cancelOrder, cancelOrders } from '../../src/orders/cancel.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { quote } from '../../src/quotes/quote.ts'
import { findOrder } from '../../src/storage/order/orders.ts'
import { dollar, nativeMarker, numbered, signingDomain, wrapped } from '../fakes/order.ts'
import {
  alice,
  bob,
  createOrderServices,
  quoteOf,
  signedCancellation,
  signedOrder,
  testTime,
} from '../fakes/order-services.ts'
import { createQuoteServices, quoteRequest } from '../fakes/quote-services.ts'
import { readOrder, storeOrder } from '../fakes/stored-order.ts'
import { eventsOfOrders } from '../fakes/stored-story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'
import { cancelling, placing } from './refusals.ts'

const key = 'a-key-of-the-operator'
let server: TestServer
let services: OrderServices
let base: string
beforeAll(async () => {
  server = await openTestServer(
    {
      placeOrder: (creation) => placeOrder(creation, services),
      cancelOrder: (cancellation) => cancelOrder(cancellation, services),
      cancelOrders: (cancellation) => cancelOrders(cancellation, services),
      cancelByPolicy: (wish) => cancelByPolicy(wish, services),
    },
    { isOperator: operatorCheck(key), maxOrderUids: 2 },
  )
  base = `${server.url}/sepolia`
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  services = createOrderServices(server.database.db)
})

let made = 0
const open = () =>
  storeOrder(server.database.db, { owner: alice.address, validTo: ++made, effectiveValidTo: testTime + 600 })
const statusOf = async (order: Parameters<typeof readOrder>[1]) =>
  orderStatus(await readOrder(server.database.db, order), testTime)

describe('DELETE /orders/:uid', () => {
  test('accepts a signature over the UID, and one over a list of it', async () => {
    for (const digest of [
      cancellationDigest,
      (domain: typeof signingDomain, uid: `0x${string}`) => cancellationsDigest(domain, [uid]),
    ]) {
      const order = await open()
      const signature = alice.sign('eip712', digest(signingDomain, order.uid))
      const answer = await request(`${base}/api/v1/orders/${order.uid}`, 'DELETE', {
        signature,
        signingScheme: 'eip712',
      })
      expect([answer.status, answer.body]).toEqual([200, 'Cancelled'])
      expect(await statusOf(order)).toBe('cancelled')
    }
  })

  test.each([
    ['of another owner', { trader: bob }, 401, 'WrongOwner'],
    ['without a signature', { body: { signingScheme: 'eip712' } }, 400, 'InvalidParameter'],
    ['that is a list', { body: [] }, 400, 'InvalidParameter'],
    ['for a short UID', { uid: '0x12' }, 400, 'InvalidParameter'],
    ['for an unknown UID', { uid: `0x${'99'.repeat(56)}` }, 404, 'OrderNotFound'],
  ])(
    'refuses one %s',
    async (_, {
      trader = alice,
      body,
      uid,
    }: { trader?: typeof alice; body?: object; uid?: string }, status, code) => {
      const order = await open()
      const signature = trader.sign('eip712', cancellationDigest(signingDomain, order.uid))
      const url = `${base}/api/v1/orders/${uid ?? order.uid}`
      const answer = await request(url, 'DELETE', body ?? { signature, signingScheme: 'eip712' })
      expect([answer.status, answer.body.errorType]).toEqual([status, code])
      expect(await statusOf(order)).toBe('open')
    },
  )
})

test("an empty list with a valid signature succeeds; a list over the deployment's limit is refused", async () => {
  const cancel = (call: ReturnType<typeof cancelling>) =>
    request(`${base}${call.path}`, call.method, call.body)
  expect((await cancel(cancelling(signedCancellation([])))).body).toBe('Cancelled')
  const orders = [await open(), await open(), await open()]
  const three = await cancel(cancelling(signedCancellation(orders.map(({ uid }) => uid))))
  expect(three).toMatchObject({
    status: 400,
    body: { errorType: 'InvalidParameter', description: 'orderUids must name at most 2 orders' },
  })
  const two = await cancel(cancelling(signedCancellation(orders.slice(1).map(({ uid }) => uid))))
  expect(two.status).toBe(200)
})

describe('cancelling by policy', () => {
  const ask = async (uids: string[], headers: Record<string, string>, reason?: string | null) => {
    const query = `mutation ($input: CancelOrdersByPolicyInput!) {
      cancelOrdersByPolicy(input: $input) { orders { uid status } }
    }`
    const input = { network: 'sepolia', orderUids: uids, reason }
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query, variables: { input } }),
    })
    return { status: response.status, body: await response.json() }
  }

  test.each([
    ['a bearer token', { authorization: `Bearer ${key}` }],
    ['X-API-Key', { 'x-api-key': key }],
    ['a key from its own pages', { 'x-api-key': key, origin: 'https://trade.example' }],
  ])('is allowed with %s', async (_, headers) => {
    const [order, other] = [await open(), await open()]
    expect(await ask([order.uid], headers, 'a fake token')).toMatchObject({
      status: 200,
      body: { data: { cancelOrdersByPolicy: { orders: [{ uid: order.uid, status: 'CANCELLED' }] } } },
    })
    await ask([other.uid], headers)
    const reasons = await eventsOfOrders(server.database.db, [order.id, other.id])
    expect(reasons.map(({ label, reason }) => [label, reason])).toEqual([
      ['created', null],
      ['created', null],
      ['cancelled', 'policy: a fake token'],
      ['cancelled', 'policy'],
    ])
  })

  test.each([
    ['no key', {}],
    ['another key', { 'x-api-key': key.replace('key', 'kex') }],
    ['a part of the key', { authorization: `Bearer ${key.slice(0, -1)}` }],
    ['the key from a page of another origin', { 'x-api-key': key, origin: 'https://evil.example' }],
    ['the bearer token from a file', { authorization: `Bearer ${key}`, origin: 'null' }],
    ['a key of another scheme', { authorization: `Basic ${key}` }],
  ])('is refused with %s', async (_, headers: Record<string, string>) => {
    const order = await open()
    const { status, body } = await ask([order.uid], headers)
    expect([status, body.data, body.errors[0].extensions]).toEqual([
      401,
      null,
      { code: 'Unauthorized', retryable: false },
    ])
    expect(await statusOf(order)).toBe('open')
  })

  test('refuses a reason that is not one line of 1 to 200 characters, and more orders than allowed', async () => {
    const order = await open()
    for (const reason of ['', 'two\nlines', 'x'.repeat(201)]) {
      const { body } = await ask([order.uid], { 'x-api-key': key }, reason)
      expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'reason' })
    }
    const { body } = await ask([order.uid, order.uid, order.uid], { 'x-api-key': key })
    expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'orderUids' })
    expect(await statusOf(order)).toBe('open')
  })

  test('is refused to every key when none is configured', () => {
    const check = operatorCheck(undefined)
    expect([check(undefined), check(''), check('undefined')]).toEqual([false, false, false])
  })
})

describe('a bare hash', () => {
  const document =
    '{"appCode":"published","metadata":{"partnerFee":{"recipient":"0x1111111111111111111111111111111111111111","bps":5}}}'
  const bare = { ...signedOrder({ document }), appData: toAppDataInput(keccakText(document)) }
  const send = () => {
    const { method, path, body } = placing(bare)
    return request(`${base}${path}`, method, body)
  }

  test('is refused while its document is unknown, unavailable during a gateway outage, then stored with it', async () => {
    expect((await send()).body).toMatchObject({ errorType: 'InvalidAppData' })
    services.appDataSources.gateway = { find: async () => Promise.reject(new Outage('the gateway')) }
    expect(await send()).toMatchObject({ status: 503, body: { errorType: 'Unavailable' } })
    const asked: string[] = []
    services.appDataSources.gateway = {
      async find(hash) {
        asked.push(hash)
        return document
      },
    }
    const { status, body: uid } = await send()
    expect([status, asked]).toEqual([201, [keccakText(document)]])
    expect(await findOrder(server.database.db, uid)).toMatchObject({ fullAppData: document })
    expect((await request(`${base}/api/v1/app_data/${keccakText(document)}`)).body).toEqual({
      fullAppData: document,
    })
  })

  test("is looked up only after the order's own fields passed", async () => {
    services.appDataSources.gateway = { find: () => Promise.reject(new Error('asked')) }
    const creation = {
      ...signedOrder({ document: '{"b":1}', sellAmount: 0n }),
      appData: toAppDataInput(keccakText('{"b":1}')),
    }
    const { method, path, body } = placing(creation)
    expect((await request(`${base}${path}`, method, body)).body).toMatchObject({ errorType: 'ZeroAmount' })
  })
})

describe("the deployment's policy", () => {
  const size = { form: 'sellAmountBeforeFee', amount: 10n } as const
  /** A market without trades: a request that reaches it passed the policy. Ten atoms never cover the gas. */
  const quoted = (change: Partial<QuoteRequest>, policy: Partial<OrderServices['policy']>) => {
    const quoteServices = createQuoteServices(services.db, {
      policy: { ...services.policy, ...policy },
      look: async () => ({ block: 1, gasPrice: 1n, pools: [] }),
    })
    return quote(quoteRequest({ size, priceQuality: 'fast', ...change }), quoteServices).then(
      () => 'quoted',
      ({ code }) => code,
    )
  }
  const deny = (...list: `0x${string}`[]) => ({ deniedAccounts: new Set(list), deniedTokens: new Set(list) })
  const zero = numbered('00')

  test.each([
    ['of an account on the list', {}, deny(alice.address), 'Forbidden'],
    ['for an account on the list', { receiver: bob.address }, deny(bob.address), 'Forbidden'],
    ['without owner and receiver', { from: zero, receiver: zero }, deny(zero), 'NoLiquidity'],
    ['that sells a token on the list', {}, deny(wrapped), 'UnsupportedToken'],
    ['that buys a token on the list', {}, deny(dollar), 'UnsupportedToken'],
    [
      'of an account on the list for a token for itself',
      { buyToken: wrapped },
      deny(alice.address),
      'Forbidden',
    ],
    ['of a token for itself', { buyToken: wrapped }, {}, 'SameBuyAndSellToken'],
    [
      'of a token for itself where sales are allowed',
      { buyToken: wrapped },
      { sameToken: 'allow-sell' },
      'SellAmountDoesNotCoverFee',
    ],
    [
      'that unwraps where sales are allowed',
      { buyToken: nativeMarker },
      { sameToken: 'allow-sell' },
      'SellAmountDoesNotCoverFee',
    ],
    [
      'that buys a token with itself where sales are allowed',
      { kind: 'buy', size: { form: 'buyAmountAfterFee', amount: 1n }, buyToken: wrapped },
      { sameToken: 'allow-sell' },
      'SameBuyAndSellToken',
    ],
    [
      'that buys a token with itself where all is allowed',
      { kind: 'buy', size: { form: 'buyAmountAfterFee', amount: 1n }, buyToken: wrapped },
      { sameToken: 'allow' },
      'quoted',
    ],
  ] as [string, Partial<QuoteRequest>, Partial<OrderServices['policy']>, string][])(
    'a quote %s',
    async (_, change, policy, code) => {
      expect(await quoted(change, policy)).toBe(code)
    },
  )

  test('an order that trades a token for itself is placed where the policy allows it', async () => {
    const sell = signedOrder({ buyToken: wrapped, sellAmount: maxUint256 })
    const buy = signedOrder({ kind: 'buy', buyToken: wrapped })
    services.policy.sameToken = 'allow-sell'
    expect(await placeOrder(sell, services)).toMatch(/^0x/)
    await expect(placeOrder(buy, services)).rejects.toMatchObject({ code: 'SameBuyAndSellToken' })
    services.policy.sameToken = 'allow'
    expect(await placeOrder(buy, services)).toMatch(/^0x/)
  })

  test('the zero address on the list does not deny an order without a receiver', async () => {
    services.policy.deniedAccounts = new Set([zero])
    expect(await placeOrder(signedOrder({ receiver: zero }), services)).toMatch(/^0x/)
  })
})

describe('open orders out of market', () => {
  test('are limited per owner; orders in the market do not count', async () => {
    services.limits.maxOutOfMarket = 2
    const trader = bob
    const market = { sellAmount: 10n ** 18n, buyAmount: 2_900n * 10n ** 6n, feeAmount: 0n }
    services.quoteFor = async () => quoteOf(market)
    const place = (validTo: number, buyAmount: bigint) =>
      placeOrder(signedOrder({ validTo, buyAmount }, trader), services)
    await place(testTime + 100, market.buyAmount)
    await place(testTime + 101, market.buyAmount + 1n)
    const second = await place(testTime + 102, market.buyAmount + 1n)
    const third = place(testTime + 103, market.buyAmount + 1n)
    await expect(third).rejects.toMatchObject({ code: 'TooManyLimitOrders', data: { limit: 2 } })
    await place(testTime + 104, market.buyAmount)
    await cancelOrders(signedCancellation([second], trader), services)
    await place(testTime + 103, market.buyAmount + 1n)
  })
})
