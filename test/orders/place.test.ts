import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nativeMarker, zeroAddress } from '../../src/domain/address.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { toAppDataInput } from '../../src/domain/app-data.ts'
import { Outage, Refusal } from '../../src/domain/error.ts'
import type { OrderCreation } from '../../src/domain/order-creation.ts'
import { orderUid } from '../../src/domain/signing.ts'
import type { OrderDesk } from '../../src/orders/check.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { findAppData } from '../../src/storage/app-data.ts'
import { eventsOfOrders } from '../../src/storage/events.ts'
import { findOrder } from '../../src/storage/orders.ts'
import { connectDirectly, emptyTables } from '../fakes/direct-client.ts'
import { numbered, signingDomain, wrapped } from '../fakes/order.ts'
import { alice, bob, createOrderDesk, deskTime, quoteOf, signedOrder } from '../fakes/order-desk.ts'
import { createTestDatabase, type TestDatabase } from '../world.ts'

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
beforeEach(() => emptyTables(client))
afterAll(async () => {
  await client.end()
  await database[Symbol.asyncDispose]()
})

const place = (creation: OrderCreation, desk: Partial<OrderDesk> = {}) =>
  placeOrder(creation, createOrderDesk(database.db, desk))

async function rowsWritten(): Promise<number> {
  const { rows } = await client.query(`SELECT (SELECT count(*) FROM orders) + (SELECT count(*) FROM app_data)
    + (SELECT count(*) FROM order_events) + (SELECT count(*) FROM order_quotes) AS count`)
  return Number(rows[0].count)
}

async function refusalOf(creation: OrderCreation, desk: Partial<OrderDesk> = {}): Promise<Refusal> {
  const thrown = await place(creation, desk).then(
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
      creationDate: new Date(deskTime * 1_000 + 999),
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
      'a presign one that lasts for ever',
      signedOrder({ signingScheme: 'presign', from: bob.address, validTo: 2 ** 32 - 1 }),
    ],
    ['one that buys the native coin', signedOrder({ sellToken: numbered('bb'), buyToken: nativeMarker })],
    ['the shortest one', signedOrder({ validTo: deskTime + 60 })],
    ['the longest one', signedOrder({ validTo: deskTime + 31_536_000 })],
    ['the largest one', signedOrder({ sellAmount: maxUint256, buyAmount: maxUint256 })],
  ])('may be %s', async (_, creation) => {
    const poor = async () => ({ balance: 0n, allowance: 0n })
    await place(creation, creation.signingScheme === 'presign' ? { spendable: poor } : {})
    expect(await rowsWritten()).toBe(3)
  })

  test('of two at once is stored once', async () => {
    const creation = signedOrder()
    const results = await Promise.allSettled([1, 2, 3].map(() => place(creation)))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const failures = results.flatMap((result) => (result.status === 'rejected' ? result.reason.code : []))
    expect(failures).toEqual(['DuplicatedOrder', 'DuplicatedOrder'])
    expect(await rowsWritten()).toBe(3)
  })

  test('keeps the first document of a hash', async () => {
    await place(signedOrder({ validTo: deskTime + 100 }))
    await place(signedOrder({ validTo: deskTime + 200 }))
    expect(await rowsWritten()).toBe(5)
  })
})

/** A fault and the code it is refused with, in the order that they are told. */
const faults: [code: string, order: Parameters<typeof signedOrder>[0], desk?: Partial<OrderDesk>][] = [
  ['InvalidAppData', { document: 'no JSON' }],
  ['InvalidSignature', { from: bob.address }],
  ['ZeroAmount', { sellAmount: 0n }],
  ['UnsupportedOrderType', { feeAmount: 1n, partiallyFillable: true }],
  ['UnsupportedBuyTokenDestination', { buyTokenBalance: 'internal' }],
  ['UnsupportedSellTokenSource', { sellTokenBalance: 'external' }],
  ['InsufficientValidTo', { validTo: deskTime + 59 }],
  ['SameBuyAndSellToken', { buyToken: wrapped }],
  ['InsufficientBalance', {}, { spendable: async () => ({ balance: 10n ** 18n - 1n, allowance: 0n }) }],
  [
    'NoLiquidity',
    {},
    {
      quoteFor: async () => {
        throw new Refusal('NoLiquidity', 'no')
      },
    },
  ],
  ['NonZeroFee', { feeAmount: 1n }],
  ['TooMuchGas', {}, { quoteFor: async () => quoteOf({ gasAmount: 8_000_001n }) }],
  ['InvalidValidFrom', { document: `{"metadata":{"validFrom":${deskTime + 541}}}` }],
]

describe('an order that is refused', () => {
  test.each(faults)('with %s writes nothing', async (code, order, desk) => {
    expect((await refusalOf(signedOrder(order), desk)).code).toBe(code)
    expect(await rowsWritten()).toBe(0)
  })

  const pairs = faults.flatMap((first, index) =>
    faults.slice(index + 1).flatMap((second) => {
      // Two faults of the same member can't be made together, but for those that the later one leaves in place.
      const members = Object.keys({ ...first[1] }).filter((key) => Object.hasOwn({ ...second[1] }, key))
      const desks = Object.keys({ ...first[2] }).filter((key) => Object.hasOwn({ ...second[2] }, key))
      return members.length + desks.length > 0 ? [] : [[first, second] as const]
    }),
  )
  test('for two faults is told the first', async () => {
    expect(pairs.length).toBeGreaterThan(70)
    for (const [[code, order, desk], [, other, otherDesk]] of pairs) {
      const creation = signedOrder({ ...other, ...order })
      const refusal = await refusalOf(creation, { ...otherDesk, ...desk })
      expect([refusal.code, Object.keys({ ...other, ...order })]).toEqual([
        code,
        Object.keys({ ...other, ...order }),
      ])
    }
    expect(await rowsWritten()).toBe(0)
  })

  const signature = signedOrder().signature
  const hooks = (member: string) =>
    `{"metadata":{"hooks":{"${member}":[{"target":"${zeroAddress}","callData":"0x","gasLimit":"1"}]}}}`
  test.each([
    ['ZeroAmount', { buyAmount: 0n }],
    ['SellAmountOverflow', { sellAmount: maxUint256, feeAmount: 1n }],
    ['OrderExpired', { validTo: deskTime - 1 }],
    ['InsufficientValidTo', { validTo: deskTime }],
    ['ExcessiveValidTo', { validTo: deskTime + 31_536_001 }],
    ['ExcessiveValidTo', { validTo: deskTime + 10_801, feeAmount: 1n }],
    ['SameBuyAndSellToken', { buyToken: nativeMarker }],
    ['InvalidNativeSellToken', { sellToken: nativeMarker }],
    ['InvalidParameter', { signature: `0x${signature.slice(2, 130)}1d` as const }],
    ['InvalidParameter', { signature: '0x12' as const }],
    ['InvalidParameter', { signingScheme: 'presign' as const, signature, from: bob.address }],
    ['IncompatibleSigningScheme', { signingScheme: 'eip1271' as const, from: bob.address }],
    ['MissingFrom', { signingScheme: 'presign' as const }],
    ['AppdataFromMismatch', { document: `{"metadata":{"signer":"${bob.address}"}}` }],
    [
      'AppdataFromMismatch',
      {
        document: `{"metadata":{"signer":"${bob.address}"}}`,
        signingScheme: 'presign' as const,
        from: alice.address,
      },
    ],
    ['InvalidAppData', { document: `{"metadata":{"pad":"${'x'.repeat(8_192)}"}}` }],
    ['UnsupportedOrderType', { document: hooks('pre') }],
    ['UnsupportedOrderType', { document: hooks('post') }],
    ['UnsupportedOrderType', { document: `{"metadata":{"replacedOrder":{"uid":"0x${'00'.repeat(56)}"}}}` }],
  ])('%s', async (code, order) => {
    expect((await refusalOf(signedOrder(order))).code).toBe(code)
    expect(await rowsWritten()).toBe(0)
  })

  test('says what the owner may spend, and who may spend it', async () => {
    const refusal = await refusalOf(signedOrder(), {
      spendable: async () => ({ balance: 10n ** 18n, allowance: 1n }),
    })
    expect(refusal).toMatchObject({
      code: 'InsufficientAllowance',
      data: { have: '1', need: String(10n ** 18n) },
    })
  })

  test('as a duplicate is so before the chain is asked', async () => {
    await place(signedOrder())
    const spendable = async () => Promise.reject(new Outage('the node'))
    expect((await refusalOf(signedOrder(), { spendable })).code).toBe('DuplicatedOrder')
    expect(await rowsWritten()).toBe(3)
  })

  test('for a bare hash that nobody uploaded, until somebody did', async () => {
    const bare = toAppDataInput(toAppDataInput('{"a":1}').hash)
    const known = signedOrder({ document: '{"a":1}' })
    const creation = { ...known, appData: bare }
    expect((await refusalOf(creation)).code).toBe('InvalidAppData')
    await place({ ...signedOrder({ document: '{"a":1}', validTo: deskTime + 99 }) })
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
