import { getIntrospectionQuery } from 'graphql'
import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numbered, sampleOrder } from '../../fakes/order.ts'
import { storeNotification, storeOrder, storeSettledOrder } from '../../fakes/story.ts'
import { openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  await storeSettledOrder(server.database.db, 9n, numbered('0f'))
  await storeOrder(server.database.db, { owner: numbered('0f'), buyAmount: 1n })
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (query: string, variables = {}) => request(`${server.url}/graphql`, 'POST', { query, variables })

const around = (depth: number) =>
  `{orders(first:1000){nodes{${'auctions{nodes{orders{nodes{'.repeat(depth)}uid${'}}}}'.repeat(depth)}}}}`

const page = `query ($first: Int! = 1000, $with: Boolean! = true) {
  orders(first: $first) { nodes { auctions @include(if: $with) { nodes { orders { nodes { uid } } } } } } }`

/** CPU time of this process alone: expanding a document would take seconds, a busy machine adds none. */
const cpuMs = () => process.cpuUsage().user / 1_000

describe('documents that are refused before they are executed', () => {
  test.each([
    ['two lists in each other', around(1), {}],
    ['four', around(2), {}],
    ['ten', around(5), {}],
    ['a page from a variable', page, { first: 1000 }],
    ['a page from the default of a variable', page, {}],
    [
      'lists in fragments',
      `{orders(first:1000){edges{node{...A}}}} fragment A on Order{auctions{nodes{...B}}} fragment B on Auction{orders{nodes{uid}}}`,
      {},
    ],
    [
      'fragments that multiply',
      `{orders{nodes{...F0}}} ${Array.from({ length: 40 }, (_, index) => `fragment F${index} on Order{uid ...F${index + 1} ...F${index + 1}}`).join(' ')} fragment F40 on Order{uid}`,
      {},
    ],
    ['UIDs of many auctions', '{orders(first:9){nodes{auctions(first:1000){nodes{orderUids}}}}}', {}],
    [
      'one long value under many names',
      `{orders(owner:"${numbered('0f')}",first:1000){nodes{a:fullAppData b:fullAppData}}}`,
      {},
    ],
    [
      'descriptions under many names',
      `{__schema{types{fields{${Array.from({ length: 12 }, (_, index) => `a${index}:description`).join(' ')}}}}}`,
      {},
    ],
    [
      'introspection by aliases',
      `{${Array.from({ length: 50 }, (_, index) => `a${index}:__schema{types{fields{name}}}`).join('')}}`,
      {},
    ],
  ])('%s', async (_what, query, variables) => {
    const started = cpuMs()
    const { status, body } = await ask(query, variables)
    expect(cpuMs() - started).toBeLessThan(500)
    expect([status, body.data, body.errors[0].extensions.code]).toEqual([200, undefined, 'QueryTooComplex'])
  })

  test('five at once do not delay other requests', async () => {
    const heavy = Array.from({ length: 5 }, () => ask(around(2)))
    const started = cpuMs()
    expect((await request(`${server.url}/health/live`)).status).toBe(200)
    expect(cpuMs() - started).toBeLessThan(1_000)
    for (const { body } of await Promise.all(heavy)) expect(body.errors).toHaveLength(1)
  })
})

const costOf = async (query: string, variables = {}) => (await ask(query, variables)).body.extensions?.cost

describe('responses that report their cost', () => {
  const onePage =
    'query ($first: Int!) { orders(first: $first) { nodes { uid trades(first: 3) { nodes { txHash } } } } }'
  const named = 'query ($tokens: [Address!]!) { tokens(addresses: $tokens) { symbol } }'
  const { uid } = sampleOrder({ owner: numbered('0f'), buyAmount: 1n })

  test.each<[string, string, object, number]>([
    ['nothing but values', '{ version }', {}, 0],
    ['a list of ten at most', '{ networks { name } }', {}, 10],
    ['a page: its connection, its orders, three trades of each', onePage, { first: 3 }, 1 + 3 + 3 + 9],
    ['the same with another size', onePage, { first: 4 }, 1 + 4 + 4 + 12],
    ['the same from its end', onePage.replace('first: $first', 'last: $first'), { first: 4 }, 1 + 4 + 4 + 12],
    [
      'the same answered by the database alone',
      onePage.replace('(first:', `(owner: "${numbered('0f')}" first:`),
      { first: 3 },
      16,
    ],
    ['one order, answered by the database alone', `{ order(uid: "${uid}") { uid } }`, {}, 1],
    [
      'as many as are named',
      `{ tokens(addresses: ["${numbered('aa')}", "${numbered('bb')}"]) { symbol } }`,
      {},
      2,
    ],
    ['as many as a variable names', named, { tokens: [numbered('aa')] }, 1],
    ['the same with more', named, { tokens: [numbered('aa'), numbered('bb'), numbered('cc')] }, 3],
    ['a branch that is left out', page, { first: 2, with: false }, 3],
    ['the same with it', page, { first: 2, with: true }, 3 + 2 + 20 + 20 + 200],
    [
      'long values',
      `{ order(uid: "${uid}") { uid fullAppData signature again: signature } }`,
      {},
      1 + 8 + 4 + 4,
    ],
    ['a field that fails', `{ node(id: "Order:x") { id } }`, {}, 1],
  ])('%s', async (_what, query, variables, requested) => {
    for (let round = 0; round < 2; round++)
      expect(await costOf(query, variables)).toEqual({ requested, limit: 10_000 })
  })

  test('a refused document reports its cost; one that fails for another reason reports none', async () => {
    expect(await costOf(around(1))).toEqual({
      requested: 1 + 1_000 + 1_000 + 10_000 + 10_000 + 100_000,
      limit: 10_000,
    })
    const { body } = await ask(around(1))
    expect(body.errors[0].message).toContain('more than 10000 objects (122001 by the estimate)')
    expect(await costOf(onePage, { first: 'x' })).toBeUndefined()
    expect(await costOf('{ nothing }')).toBeUndefined()
    expect(await costOf('query A { version } query B { version }')).toBeUndefined()
    // Its cost is cached; the reason that it cannot be executed is still returned.
    const one =
      'query ($uid: OrderUid!) { order(uid: $uid) { debugReport { auctions { nodes { auctionId } } } } }'
    expect(await costOf(one, { uid })).toEqual({ requested: 13, limit: 10_000 })
    expect(await costOf(one, { uid: 'x' })).toBeUndefined()
  })

  test('a document at the limit is answered, and one above it is refused', async () => {
    const max = [1_000, 999].map(
      (first, index) =>
        `page${index}: orders(first: ${first}) { nodes { trades(first: 3) { nodes { txHash } } } }`,
    )
    const one = (name: string) => `${name}: node(id: "Order:x") { id }`
    const lasts = ['last0', 'last1', 'last2']
    const { body } = await ask(`{ ${max.join(' ')} ${lasts.map(one).join(' ')} }`)
    expect([body.extensions.cost.requested, Object.keys(body.data)]).toEqual([
      10_000,
      ['page0', 'page1', ...lasts],
    ])
    const more = await ask(`{ ${max.join(' ')} ${[...lasts, 'over'].map(one).join(' ')} }`)
    expect([more.body.extensions.cost.requested, more.body.data]).toEqual([10_001, undefined])
  })

  test('the cost is that of the named operation among several', async () => {
    const query = 'query A { version } query B { networks { name } }'
    for (const [operationName, requested] of [
      ['A', 0],
      ['B', 10],
      ['A', 0],
    ]) {
      const { body } = await request(`${server.url}/graphql`, 'POST', { query, operationName })
      expect(body.extensions.cost.requested).toBe(requested)
    }
  })

  test('a subscription reports its cost with its first event, and REST never does', async () => {
    const account = numbered('0f')
    await storeNotification(server.database.db, account, 1)
    await storeNotification(server.database.db, account, 2)
    const client = createClient({ url: `${server.url}/graphql/stream`, retryAttempts: 0 })
    const events = client.iterate({
      query: `subscription { notifications(account: "${account}", after: "earliest") { notification { message } } }`,
    })
    const [first, second] = [await events.next(), await events.next()]
    expect(first.value).toMatchObject({ extensions: { cost: { requested: 2, limit: 10_000 } } })
    expect(second.value).toEqual({ data: { notifications: { notification: { message: 'notification 2' } } } })
    await events.return?.()
    client.dispose()
    const { body } = await request(`${server.url}/sepolia/api/v1/orders/${uid}`)
    expect(body).not.toHaveProperty('extensions')
  })
})

test('the same holds over a stream', async () => {
  const response = await fetch(`${server.url}/graphql/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({ query: around(2) }),
  })
  expect(await response.text()).toContain('QueryTooComplex')
})

test.each([
  ['introspection', getIntrospectionQuery(), {}],
  ['the largest page', '{orders(first:1000){nodes{uid status sellToken{symbol} buyToken{symbol}}}}', {}],
  ['the largest page with its documents', '{orders(first:1000){nodes{uid fullAppData}}}', {}],
  ['a page with its branch left out', page, { with: false }],
  ['a small page', page, { first: 20 }],
  [
    'a page with its whole story',
    `{orders(first:50){nodes{uid trades(first:3){nodes{txHash}} events{nodes{label}}
      auctions(first:3){nodes{id solutions{ranking orders{executedSell order{uid}}}}}}}}`,
    {},
  ],
])('admitted: %s', async (_what, query, variables) => {
  const { body } = await ask(query, variables)
  expect(body.errors).toBeUndefined()
  expect(body.data).toBeTruthy()
})

test.each([
  ['the UIDs of an auction', '{latestAuction{a:orderUids b:orderUids}}', 101],
  ['a sum over all trades', `{account(address:"${numbered('0f')}"){a:totalSurplus b:totalSurplus}}`, 201],
])('%s count as much as they take, each time', async (_name, query, requested) => {
  const { body } = await ask(query)
  expect(body.errors).toBeUndefined()
  expect(body.extensions.cost.requested).toBe(requested)
})
