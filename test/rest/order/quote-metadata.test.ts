import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hexToBytes } from '../../../src/domain/evm/hex.ts'
import type { NewOrderQuote, Order, QuoteCalls } from '../../../src/domain/order/order.ts'
import { placeOrder } from '../../../src/orders/place.ts'
import { findOrder, storeCancellations } from '../../../src/storage/order/orders.ts'
import { refreshProgress } from '../../../src/storage/order/progress.ts'
import { numbered, sampleQuote } from '../../fakes/order.ts'
import { createOrderServices, quoteOf, signedOrder } from '../../fakes/order-services.ts'
import { storeOrder } from '../../fakes/stored-order.ts'
import { connectDirectly } from '../../setup/database.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { graphql, request } from '../../setup/trader.ts'

/** The calls of an order's quote are published once no solver or searcher can front-run the order. */

let server: TestServer
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  server = await openTestServer()
  client = await connectDirectly(server.database.url)
})
afterAll(async () => {
  await client?.end()
  await server?.[Symbol.asyncDispose]()
})

const call = (digits: string) => ({
  target: numbered(digits),
  value: 2n ** 255n,
  callData: `0x${digits}` as const,
})
const calls: QuoteCalls = { preInteractions: [call('01')], interactions: [call('02'), call('03')] }
const written = (digits: string) => ({ ...call(digits), value: `${2n ** 255n}` })
const published = {
  version: '1.0',
  interactions: [written('02'), written('03')],
  preInteractions: [written('01')],
  jitOrders: [],
}

let validTo = 2_000_000_000
async function store(overrides: Partial<Order> = {}, own: QuoteCalls | null = calls): Promise<Order> {
  validTo++
  const quote: NewOrderQuote = { ...sampleQuote({ sellAmount: 5n }), calls: own }
  return storeOrder(server.database.db, { validTo, effectiveValidTo: validTo, quote, ...overrides })
}

/** In every interface: REST, the report, GraphQL as text and GraphQL as the resolvers execute it. */
async function everywhere({ uid }: Order): Promise<unknown[]> {
  const base = `${server.url}/sepolia/api/v1`
  const [order, report] = await Promise.all([
    request(`${base}/orders/${uid}`),
    request(`${base}/debug/order/${uid}`),
  ])
  const fields = 'quote { sellAmount metadata }'
  const statements = server.database.statements.length
  const compiled = await graphql(server.url, `query ($uid: OrderUid!) { order(uid: $uid) { ${fields} } }`, {
    uid,
  })
  expect(server.database.statements.length - statements).toBe(1)
  const ordinary = await graphql(
    server.url,
    `query ($uid: OrderUid!) { order(uid: $uid) @include(if: true) { ${fields} } }`,
    { uid },
  )
  const quotes = [order.body.quote, report.body.order.quote, compiled.order.quote, ordinary.order.quote]
  expect(quotes.map(({ sellAmount }) => sellAmount)).toEqual(['5', '5', '5', '5'])
  return quotes.map(({ metadata }) => metadata)
}

const everyInterface = (metadata: unknown) => [metadata, metadata, metadata, metadata]

describe('the calls of an order’s quote', () => {
  test('are hidden while it is open or waits for its signature', async () => {
    const open = await store()
    const pending = await store({ signingScheme: 'presign' })
    expect(await everywhere(open)).toEqual(everyInterface(null))
    expect(await everywhere(pending)).toEqual(everyInterface(null))
  })

  test('are returned once it is fulfilled, cancelled or expired', async () => {
    const { db } = server.database
    const fulfilled = await store()
    await client.query('UPDATE orders SET executed_sell = sell_amount WHERE id = $1', [fulfilled.id])
    const cancelled = await store()
    await db.transaction((tx) => storeCancellations(tx, [cancelled.id], new Date(1_800_000_000_000)))
    const expired = await store({ validTo: 1_799_999_999, effectiveValidTo: 1_799_999_999 })
    const lastSecond = await store({ validTo: 1_800_000_000, effectiveValidTo: 1_800_000_000 })
    for (const order of [fulfilled, cancelled, expired]) {
      expect(await everywhere(order)).toEqual(everyInterface(published))
    }
    expect(await everywhere(lastSecond)).toEqual(everyInterface(null))
    await db.transaction((tx) => refreshProgress(tx, [fulfilled.id]))
    expect(await everywhere(fulfilled)).toEqual(everyInterface(null))
  })

  test.each([null, { preInteractions: [], interactions: [] }])(
    'are null where there are none: %o',
    async (own) => {
      const order = await store({ validTo: 1_700_000_000 + validTo, effectiveValidTo: 5 }, own)
      expect(await everywhere(order)).toEqual(everyInterface(null))
      const { rows } = await client.query('SELECT metadata FROM order_quotes WHERE order_id = $1', [order.id])
      expect(rows).toEqual([{ metadata: null }])
    },
  )

  test('are those of the quote that it was placed with', async () => {
    const { db } = server.database
    const quote = quoteOf({ id: 7n, calls })
    const services = createOrderServices(db, { quoteFor: async () => quote })
    const uid = await placeOrder(signedOrder({ quoteId: 7n }), services)
    expect(await findOrder(db, uid)).toMatchObject({ quoteId: 7n, quote: { sellAmount: quote.sellAmount } })
    await client.query('UPDATE orders SET effective_valid_to = 5 WHERE uid = $1', [hexToBytes(uid)])
    const { body } = await request(`${server.url}/sepolia/api/v1/orders/${uid}`)
    expect(body.quote.metadata).toEqual(published)
  })

  test('of many orders are read together, and only for orders that have ended', async () => {
    const owner = numbered('77')
    for (const end of [5, 6, 2_000_000_000])
      await store({ owner, effectiveValidTo: end, validTo: validTo + end })
    const before = server.database.statements.length
    const { account } = await graphql(
      server.url,
      'query ($owner: Address!) { account(address: $owner) { orders { nodes { quote { metadata } } } } }',
      { owner },
    )
    const nodes: { quote: { metadata: unknown } }[] = account.orders.nodes
    expect(nodes.map(({ quote }) => quote.metadata).sort()).toEqual([published, published, null])
    expect(server.database.statements.length - before).toBe(1)
  })
})
