import type { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { maxUint256 } from '../../src/domain/amount.ts'
import { toAppDataInput } from '../../src/domain/app-data/document.ts'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import type { OrderCreation } from '../../src/domain/order/creation.ts'
import type { Order, OrderUid } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { findAppData, storeAppData } from '../../src/storage/app-data.ts'
import { findOrder } from '../../src/storage/order/orders.ts'
import { dollar, numbered, sampleOrder, signingDomain, wrapped } from '../fakes/order.ts'
import { alice, bob, createOrderServices, quoteOf, signedOrder, testTime } from '../fakes/order-services.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import { eventsOfOrders } from '../fakes/stored-story.ts'
import { type TestDatabase, useTables } from '../setup/database.ts'

let database: TestDatabase
let client: Client
useTables((tables) => {
  ;({ database, client } = tables)
})

const place = (creation: OrderCreation, services: Partial<OrderServices> = {}) =>
  placeOrder(creation, createOrderServices(database.db, services))

async function rowsWritten(): Promise<number> {
  const { rows } = await client.query(`SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM app_data)
    + (SELECT count(*) FROM order_events) + (SELECT count(*) FROM order_quotes) AS count`)
  return Number(rows[0].count)
}

async function refusalOf(creation: OrderCreation, services: Partial<OrderServices> = {}): Promise<Refusal> {
  const thrown = await place(creation, services).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (thrown instanceof Refusal) return thrown
  throw new Error(`no refusal: ${thrown}`)
}

describe('an order that is accepted', () => {
  test('is committed with its event, its document and its quote', async () => {
    const document = '{"metadata":{"validFrom":1800000100}}'
    const creation = signedOrder({ document, from: alice.address, receiver: numbered('11') })
    const quote = quoteOf()
    const uid = await place(creation, { quoteFor: async () => quote })
    expect(uid).toBe(orderUid(signingDomain, { ...creation, appData: creation.appData.hash }, alice.address))
    const order = await findOrder(database.db, uid)
    const { sellToken, buyToken, sellAmount, buyAmount, validTo, receiver, signature } = creation
    expect(order).toMatchObject({ sellToken, buyToken, sellAmount, buyAmount, validTo, receiver, signature })
    expect(order).toMatchObject({
      owner: alice.address,
      class: 'limit',
      fullAppData: document,
      validFrom: 1_800_000_100,
      quoteId: 42n,
      effectiveValidTo: validTo,
      creationDate: new Date(testTime * 1_000 + 999),
    })
    expect(order?.quote).toMatchObject({ sellAmount: quote.sellAmount, gasPrice: 7n, gasAmount: 100_000n })
    expect(await eventsOfOrders(database.db, [order?.id ?? 0n])).toMatchObject([
      { label: 'created', reason: null, timestamp: order?.creationDate },
    ])
    expect(await findAppData(database.db, creation.appData.hash)).toBe(document)
  })

  test.each([
    ['an ethsign one', signedOrder({ signingScheme: 'ethsign' })],
    ['a presign one without funds', signedOrder({ signingScheme: 'presign', from: bob.address })],
    [
      'a presign one with the highest validTo',
      signedOrder({ signingScheme: 'presign', from: bob.address, validTo: 2 ** 32 - 1 }),
    ],
    ['one that buys the native coin', signedOrder({ sellToken: numbered('bb'), buyToken: nativeMarker })],
    ['the shortest one', signedOrder({ validTo: testTime + 60 })],
    ['the longest one', signedOrder({ validTo: testTime + 31_536_000 })],
    ['the largest one', signedOrder({ sellAmount: maxUint256, buyAmount: maxUint256 })],
  ])('may be %s', async (_, creation) => {
    const poor = async () => ({ balance: 0n, allowance: 0n })
    await place(creation, creation.signingScheme === 'presign' ? { spendable: poor } : {})
    expect(await rowsWritten()).toBe(3)
  })

  test('that is sent twice at once is stored once', async () => {
    const creation = signedOrder()
    const results = await Promise.allSettled([1, 2, 3].map(() => place(creation)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const failures = results.flatMap((result) => (result.status === 'rejected' ? result.reason.code : []))
    expect(failures).toEqual(['DuplicatedOrder', 'DuplicatedOrder'])
    expect(await rowsWritten()).toBe(3)
  })

  test('keeps the document that was first stored under its hash', async () => {
    await place(signedOrder({ validTo: testTime + 100 }))
    await place(signedOrder({ validTo: testTime + 200 }))
    expect(await rowsWritten()).toBe(5)
  })
})

/** One fault of an order. Faults combine, except for the pairs that `apart` names. */
interface Fault {
  code: string
  order?: (order: Change) => Change
  metadata?: Record<string, unknown>
  document?: string
  limits?: Partial<OrderServices['limits']>
  policy?: Partial<OrderServices['policy']>
  services?: Partial<OrderServices>
  /** An order that the database holds beforehand. */
  stored?: (uid: OrderUid) => Partial<Order>
}
type Change = NonNullable<Parameters<typeof signedOrder>[0]>

const bobs = sampleOrder({ owner: bob.address, validTo: testTime + 600, effectiveValidTo: testTime + 600 })
const checked = {
  balance: maxUint256,
  allowance: maxUint256,
  transfer: 'ok',
  signature: 'unasked',
  signatureGas: 0n,
  ownerHasCode: false,
  exhausted: false,
} as const
const hook = (gasLimit: string) => ({ target: numbered('11'), callData: '0x', gasLimit })

/** In the order of the checks. */
const faults: Fault[] = [
  { code: 'InvalidAppData', document: 'no JSON' },
  { code: 'InvalidSignature', order: (order) => ({ ...order, from: bob.address }) },
  { code: 'AppdataFromMismatch', metadata: { signer: bob.address } },
  { code: 'ZeroAmount', order: (order) => ({ ...order, sellAmount: 0n }) },
  { code: 'Forbidden', policy: { deniedAccounts: new Set([alice.address]) } },
  { code: 'UnsupportedOrderType', order: (order) => ({ ...order, feeAmount: 1n, partiallyFillable: true }) },
  { code: 'UnsupportedBuyTokenDestination', order: (order) => ({ ...order, buyTokenBalance: 'internal' }) },
  { code: 'UnsupportedSellTokenSource', order: (order) => ({ ...order, sellTokenBalance: 'external' }) },
  { code: 'InsufficientValidTo', order: (order) => ({ ...order, validTo: testTime + 59 }) },
  { code: 'ExcessiveValidTo', order: (order) => ({ ...order, validTo: testTime + 40_000_000 }) },
  { code: 'SameBuyAndSellToken', order: (order) => ({ ...order, buyToken: order.sellToken ?? wrapped }) },
  { code: 'InvalidNativeSellToken', order: (order) => ({ ...order, sellToken: nativeMarker }) },
  { code: 'UnsupportedToken', policy: { deniedTokens: new Set([dollar, wrapped, nativeMarker]) } },
  // Needs the database: wrappers in the document, then other orders.
  {
    code: 'UnsupportedOrderType',
    metadata: { wrappers: [{ address: numbered('11'), data: '0x' }] },
  },
  { code: 'DuplicatedOrder', stored: (uid) => ({ uid, owner: alice.address }) },
  { code: 'OrderNotFound', metadata: { replacedOrder: { uid: `0x${'99'.repeat(56)}` } } },
  // Needs the chain.
  {
    code: 'InsufficientBalance',
    metadata: { hooks: { pre: [hook('0')] } },
    services: {
      checkOrder: async () => ({ ...checked, balance: 0n }),
      spendable: async () => ({ balance: 0n, allowance: 0n }),
    },
  },
  { code: 'NoLiquidity', services: { quoteFor: () => Promise.reject(new Refusal('NoLiquidity', 'no')) } },
  { code: 'NonZeroFee', order: (order) => ({ ...order, feeAmount: 1n }) },
  { code: 'TooManyLimitOrders', limits: { maxOutOfMarket: 0 } },
  { code: 'TooMuchGas', limits: { maxGas: 0n }, metadata: { hooks: { post: [hook('1')] } } },
  { code: 'InvalidValidFrom', metadata: { validFrom: testTime + 999_999_999 } },
  { code: 'WrongOwner', metadata: { replacedOrder: { uid: bobs.uid } }, stored: () => bobs },
]

/**
 * Whether two faults exclude each other: an order has one validTo, and its document one `replacedOrder` and
 * one `hooks`.
 */
function apart(first: Fault, second: Fault): boolean {
  const is = (...codes: string[]) => codes.includes(first.code) && codes.includes(second.code)
  const both = (key: string) => first.metadata?.[key] !== undefined && second.metadata?.[key] !== undefined
  return is('InsufficientValidTo', 'ExcessiveValidTo') || both('replacedOrder') || both('hooks')
}

async function refusalOfFaults(...wrong: readonly Fault[]): Promise<Refusal> {
  const merged = Object.assign({}, ...wrong.map(({ metadata }) => metadata))
  const document = wrong.find((fault) => fault.document)?.document ?? JSON.stringify({ metadata: merged })
  // Applied last to first, so that the first fault's change stays.
  const change = wrong.toReversed().reduce<Change>((order, fault) => fault.order?.(order) ?? order, {})
  const creation = signedOrder({ ...change, document })
  const uid = orderUid(signingDomain, { ...creation, appData: creation.appData.hash }, alice.address)
  for (const { stored } of wrong) if (stored) await storeOrder(database.db, stored(uid))
  const services = createOrderServices(database.db)
  for (const { limits, policy } of wrong) {
    Object.assign(services.limits, limits)
    Object.assign(services.policy, policy)
  }
  const before = await rowsWritten()
  const refusal = await refusalOf(creation, Object.assign(services, ...wrong.map((fault) => fault.services)))
  expect(await rowsWritten()).toBe(before)
  return refusal
}

describe('an order that is refused', () => {
  test.each(faults)('with $code writes nothing', async (fault) => {
    expect((await refusalOfFaults(fault)).code).toBe(fault.code)
  })

  const neighbours = faults.flatMap((first, index) => {
    const second = faults.slice(index + 1).find((other) => !apart(first, other))
    return second ? [{ first, second }] : []
  })
  test.each(neighbours)('with $first.code and $second.code reports the first', async ({ first, second }) => {
    expect((await refusalOfFaults(first, second)).code).toBe(first.code)
  })

  test('by checks in memory causes no call and no statement', async () => {
    const before = database.statements.length
    const unasked = () => Promise.reject(new Error('asked'))
    const services = { spendable: unasked, checkOrder: unasked, quoteFor: unasked, isTaken: unasked }
    const bare = toAppDataInput(toAppDataInput('{"a":1}').hash)
    for (const fault of faults.slice(1, 13)) {
      const order = { ...fault.order?.({}), document: JSON.stringify({ metadata: fault.metadata ?? {} }) }
      const policy = { ...createOrderServices(database.db).policy, ...fault.policy }
      expect((await refusalOf(signedOrder(order), { ...services, policy })).code).toBe(fault.code)
      if (fault.metadata) continue
      const creation = { ...signedOrder({ ...fault.order?.({}), document: '{"a":1}' }), appData: bare }
      expect((await refusalOf(creation, { ...services, policy })).code).toBe(fault.code)
    }
    expect(database.statements.length).toBe(before)
  })

  test('for its document is also refused when the document came as a bare hash', async () => {
    const store = (metadata: object) =>
      storeAppData(database.db, hashOf(metadata), JSON.stringify({ metadata }))
    const hashOf = (metadata: object) => toAppDataInput(JSON.stringify({ metadata })).hash
    const bareOrder = (metadata: object, change: Change = {}) => ({
      ...signedOrder({ document: JSON.stringify({ metadata }), ...change }),
      appData: toAppDataInput(hashOf(metadata)),
    })
    const signer = { signer: bob.address }
    expect((await refusalOf(bareOrder(signer))).code).toBe('InvalidAppData')
    await store(signer)
    expect((await refusalOf(bareOrder(signer))).code).toBe('AppdataFromMismatch')
    const presign: Change = { signingScheme: 'presign' }
    expect((await refusalOf(bareOrder(signer, { ...presign, from: alice.address }))).code).toBe(
      'AppdataFromMismatch',
    )
    const uid = await place(bareOrder(signer, presign))
    expect(await findOrder(database.db, uid)).toMatchObject({ owner: bob.address })
    await store({})
    expect((await refusalOf(bareOrder({}, presign))).code).toBe('MissingFrom')
  })

  test("reports the owner's balance or allowance, and the amount needed", async () => {
    const refusal = await refusalOf(signedOrder(), {
      spendable: async () => ({ balance: 10n ** 18n, allowance: 1n }),
    })
    expect(refusal).toMatchObject({
      code: 'InsufficientAllowance',
      data: { have: '1', need: String(10n ** 18n) },
    })
  })

  test('as a duplicate is refused before any call to the chain', async () => {
    await place(signedOrder())
    const spendable = async () => Promise.reject(new Outage('the node'))
    expect((await refusalOf(signedOrder(), { spendable })).code).toBe('DuplicatedOrder')
    expect(await rowsWritten()).toBe(3)
  })

  test('for a bare hash whose document is unknown is accepted once the document is stored', async () => {
    const bare = toAppDataInput(toAppDataInput('{"a":1}').hash)
    const known = signedOrder({ document: '{"a":1}' })
    const creation = { ...known, appData: bare }
    expect((await refusalOf(creation)).code).toBe('InvalidAppData')
    await place({ ...signedOrder({ document: '{"a":1}', validTo: testTime + 99 }) })
    await place(creation)
    expect(await rowsWritten()).toBe(5)
  })
})

test('an outage is passed on and writes nothing', async () => {
  const spendable = async () => Promise.reject(new Outage('the node'))
  await expect(place(signedOrder(), { spendable })).rejects.toThrow('the node is unavailable')
  expect(await rowsWritten()).toBe(0)
})

test('an order without liquidity is accepted without a quote', async () => {
  const uid = await place(signedOrder(), { quoteFor: async () => null })
  expect(await findOrder(database.db, uid)).toMatchObject({ quote: null, quoteId: null })
})
