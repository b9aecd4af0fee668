import { createHash } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import type { Order } from '../../src/domain/order/order.ts'
import type { TradingServices } from '../../src/graphql/context/networks.ts'
import type { ServerOptions } from '../../src/server/server.ts'
import { graphQuoteInput } from '../fakes/graph-input.ts'
import { dollar, numbered, wrapped } from '../fakes/order.ts'
import { storeOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { type Answer, request } from '../setup/trader.ts'

const rateLimits = { reads: 50, quotes: 10, orders: 5 }
let now = 1_800_000_000_000
let client = 0
let placed: Order
const opened: TestServer[] = []

/** A server with limits behind a trusted proxy, so that a test can choose the client's address. */
async function limitedServers(more: Partial<ServerOptions> = {}): Promise<TestServer> {
  const services: Partial<TradingServices> = {
    placeOrder: async () => placed.uid,
    cancelOrders: async () => [placed.uid],
    balances: async (_, tokens) => ({ block: 1, balances: tokens.map(() => 'absent') }),
    async *watchBalances() {
      yield { block: 1, isComplete: true, isAvailable: true, changes: [] }
    },
  }
  const isTrustedProxy = (address: string) => address === '127.0.0.1'
  const server = await openTestServer(services, { now: () => now, rateLimits, isTrustedProxy, ...more })
  placed = await storeOrder(server.database.db)
  opened.push(server)
  return server
}

const server = await limitedServers()
afterAll(() => Promise.all(opened.map((each) => each[Symbol.asyncDispose]())))
beforeEach(() => {
  client++
})

interface Ask {
  method?: string
  body?: unknown
  headers?: Record<string, string>
  from?: string
  at?: TestServer
}

/** Sends a request as a new client, unless `from` is given. */
async function ask(
  path: string,
  { method = 'GET', body, headers = {}, from, at = server }: Ask = {},
): Promise<Answer> {
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: {
      'x-forwarded-for': from ?? `198.51.100.${client}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text ? JSON.parse(text) : text,
  }
}

const order = {
  sellToken: wrapped,
  buyToken: dollar,
  sellAmount: '5',
  buyAmount: '6',
  validTo: 2_000_000_000,
  appData: '{}',
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: true,
  signingScheme: 'eip712',
  signature: `0x${'ab'.repeat(65)}`,
}
const quote = {
  kind: 'sell',
  sellAmountBeforeFee: '5',
  sellToken: wrapped,
  buyToken: dollar,
  from: numbered('0f'),
}
const place = (more: Ask = {}) => ask('/sepolia/api/v1/orders', { method: 'POST', body: order, ...more })
const graphql = (query: string, variables?: object, more: Ask = {}) =>
  ask('/graphql', { method: 'POST', body: { query, variables }, ...more })
const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')

/** The remaining requests of a kind. */
function left({ headers }: Answer, kind: string): number {
  return Number(new RegExp(`"${kind}";r=(\\d+)`).exec(headers.get('ratelimit') ?? '')?.[1])
}

describe('the most that is documented', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, n) => numbered((0x10_000 + n).toString(16)))
  const session = (body: object) =>
    ask(`/sepolia/sessions/${numbered('0f')}`, {
      method: 'POST',
      body,
      headers: { 'x-client-id': '0d4b2d6e-62cf-4fc9-a0a6-0d2bd3cf7d9f' },
    })
  const subscription =
    'subscription ($tokens: [TokenAddress!]!) { balances(account: "0x000000000000000000000000000000000000000f", tokens: $tokens) { block } }'
  const events = { accept: 'text/event-stream' }

  test.each<[string, () => Promise<Answer>, number]>([
    [
      'a subscription of balances',
      () => graphql(subscription, { tokens: named(1_500) }, { headers: events }),
      200,
    ],
    [
      'a stream of balances',
      () =>
        ask(`/sepolia/accounts/${numbered('0f')}/balances/sse`, {
          method: 'POST',
          body: { tokens: named(1_500) },
        }),
      200,
    ],
    ['a session of balances', () => session({ customTokens: named(1_500) }), 201],
    // Not one of the addresses that may be read.
    [
      'lists of a session',
      () => session({ customTokens: named(1_500), tokensListsUrls: Array(20).fill('x') }),
      400,
    ],
    [
      'a page of balances',
      () => ask(`/sepolia/accounts/${numbered('0f')}/balances?tokens=${named(350)}`),
      200,
    ],
    [
      'tokens with prices',
      () =>
        graphql(
          'query ($of: [Address!]!) { tokens(network: SEPOLIA, addresses: $of) { usdPrice { source } } }',
          {
            of: named(32),
          },
        ),
      200,
    ],
  ])('is within the limits of a new client: %s', async (_, send, status) => {
    const answer = await send()
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      status,
      expect.not.stringMatching(/QueryTooComplex|RateLimited/),
    ])
  })
})

describe('order submissions', () => {
  test('are limited to ten at once and five a second, then get 429 with the time to wait', async () => {
    for (let count = 1; count <= 10; count++) {
      const answer = await place()
      expect([answer.status, left(answer, 'orders')]).toEqual([201, 10 - count])
    }
    const refused = await place()
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        errorType: 'RateLimited',
        description: 'over 5 orders, sign-ins and other changes a second: wait 1 s',
        data: { limit: 'orders', retryAfterMs: 200 },
      },
    ])
    const names = ['retry-after', 'ratelimit', 'ratelimit-policy']
    expect(names.map((name) => refused.headers.get(name))).toEqual([
      '1',
      '"orders";r=0;t=2',
      '"orders";q=10;w=2',
    ])
    // Each kind and each client has its own bucket.
    expect((await ask('/sepolia/api/v1/version')).status).toBe(200)
    expect((await ask('/sepolia/api/v1/quote', { method: 'POST', body: quote })).status).toBe(200)
    expect((await place({ from: '198.51.100.250' })).status).toBe(201)

    now += 1_000
    const after = []
    for (let count = 0; count < 6; count++) after.push((await place()).status)
    expect(after).toEqual([201, 201, 201, 201, 201, 429])
  })

  test('include cancellations, and each alias of a mutation counts as one', async () => {
    const cancel = { orderUids: [placed.uid], signature: order.signature, signingScheme: 'eip712' }
    expect(left(await ask('/sepolia/api/v1/orders', { method: 'DELETE', body: cancel }), 'orders')).toBe(9)
    const cancelling = `cancelOrders(input: { orderUids: ["${placed.uid}"], signature: "${order.signature}", signingScheme: EIP712 }) { orders { uid } }`
    const cancelled = await graphql(`mutation { ${aliases(3, cancelling)} }`)
    expect([cancelled.body.errors, left(cancelled, 'orders')]).toEqual([undefined, 6])
    const mixed = `mutation ($input: QuoteInput!) { quote(input: $input) { quoteId } ${cancelling} }`
    const both = await graphql(mixed, { input: graphQuoteInput(quote) })
    expect([left(both, 'quotes'), left(both, 'orders')]).toEqual([19, 5])
    // A document over the limit is not executed and not counted.
    const refused = await graphql(`mutation { ${aliases(6, cancelling)} }`)
    expect([refused.status, left(refused, 'orders')]).toEqual([429, 5])
    // The refused request took one unit of reads for its parsing; the others took none.
    expect(left(await ask('/sepolia/api/v1/version'), 'reads')).toBe(98)
  })

  test('are not reduced by uploads of appData documents, which count as reads', async () => {
    const body = { fullAppData: '{}' }
    for (let count = 1; count <= 5; count++) {
      const uploaded = await ask('/sepolia/api/v1/app_data', { method: 'PUT', body })
      expect([uploaded.status < 300, left(uploaded, 'reads')]).toEqual([true, 100 - 10 * count + 5])
      const uploadedToo = await graphql('mutation { uploadAppData(input: { document: "{}" }) { hash } }')
      expect([uploadedToo.body.errors, left(uploadedToo, 'reads')]).toEqual([undefined, 100 - 10 * count])
      const answers = [await place(), await place()]
      expect(answers.map((answer) => [answer.status, left(answer, 'orders')])).toEqual([
        [201, 11 - 2 * count],
        [201, 10 - 2 * count],
      ])
    }
  })
})

test('fifty aliases count as fifty reads', async () => {
  const document = `{ ${aliases(50, 'version')} }`
  expect(left(await graphql(document), 'reads')).toBe(50)
  expect(left(await graphql(document), 'reads')).toBe(0)
  const refused = await graphql(document)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(refused.body.errors[0].extensions).toEqual({
    code: 'RateLimited',
    retryable: true,
    data: { limit: 'reads', retryAfterMs: 20 },
  })
  // The document is parsed only once one unit is free, and parsing takes a part of that unit.
  now += 20
  const { status, body } = await graphql(document)
  expect([status, body.errors[0].extensions.data.retryAfterMs]).toEqual([429, expect.any(Number)])
  const wait = body.errors[0].extensions.data.retryAfterMs
  expect(wait).toBeGreaterThan(980)
  expect(wait).toBeLessThan(1_000)
  now += wait
  expect((await graphql(document)).status).toBe(200)
})

test('all interfaces share one bucket of reads', async () => {
  const orderQuery = 'query ($uid: OrderUid!) { order(uid: $uid) { uid } }'
  const variables = { uid: placed.uid }
  const sha256Hash = createHash('sha256').update(orderQuery).digest('hex')
  const extensions = { persistedQuery: { version: 1, sha256Hash } }
  const stream = { accept: 'text/event-stream' }
  const requests: [string, () => Promise<Answer>, number][] = [
    ['REST', () => ask(`/sepolia/api/v1/orders/${placed.uid}`), 99],
    ['REST, HEAD', () => ask('/sepolia/api/v1/version', { method: 'HEAD' }), 98],
    ['GraphQL, answered by the database alone', () => graphql(orderQuery, variables), 97],
    ['GraphQL, executed', () => graphql('{ version networks { name } }'), 95],
    ['GraphQL, GET', () => ask(`/graphql?query=${encodeURIComponent('{ a: version b: version }')}`), 93],
    ['an unknown hash', () => ask('/graphql', { method: 'POST', body: { variables, extensions } }), 92],
    [
      'registering a persisted query',
      () => ask('/graphql', { method: 'POST', body: { query: orderQuery, variables, extensions } }),
      91,
    ],
    [
      'a persisted query by its hash',
      () => ask('/graphql', { method: 'POST', body: { variables, extensions } }),
      90,
    ],
    [
      'a stream’s query',
      () =>
        ask('/graphql/stream', {
          method: 'POST',
          body: { query: '{ a: version b: version }' },
          headers: stream,
        }),
      88,
    ],
    [
      'a stream’s query, GET',
      () => ask(`/graphql/stream?query=${encodeURIComponent('{ version }')}`, { headers: stream }),
      87,
    ],
    ['a reserved stream', () => ask('/graphql/stream', { method: 'PUT' }), 86],
    ['accounts', () => ask(`/accounts/${numbered('0f')}/notifications`), 85],
  ]
  for (const [what, send, expected] of requests)
    expect([what, left(await send(), 'reads')]).toEqual([what, expected])
  await graphql(`{ ${aliases(50, 'version')} }`)
  await graphql(`{ ${aliases(35, 'version')} }`)
  for (const [what, send] of requests) {
    const { status, headers } = await send()
    expect([what, status, headers.get('retry-after')]).toEqual([what, 429, '1'])
  }
})

test('skipped fields do not count, and a malformed request counts as one', async () => {
  const conditional = `query ($no: Boolean!) {
    ...Fields a: version @skip(if: true) b: version @include(if: $no) c: version c: version
  } fragment Fields on Query { d: version @skip(if: $no) e: version }`
  const counted: [string, Ask, number][] = [
    ['/graphql', { method: 'POST', body: { query: conditional, variables: { no: false } } }, 97],
    ['/graphql', { method: 'POST', body: { query: conditional, variables: { no: true } } }, 94],
    ['/graphql', { method: 'POST', body: { query: conditional } }, 93],
    ['/graphql', { method: 'POST', body: '{' }, 92],
    ['/graphql', { method: 'POST', body: { query: '{ nothing' } }, 91],
    ['/graphql', { method: 'POST', body: { query: '{ version @skip }' } }, 90],
    ['/graphql', { method: 'POST', body: { query: `{ version } ${'x'.repeat(300_000)}` } }, 89],
    ['/graphql', { method: 'PATCH' }, 88],
    ['/graphql?variables=1', {}, 87],
    ['/graphql/stream', { method: 'POST', body: '{' }, 86],
    ['/sepolia/api/v1/nothing', {}, 85],
    ['/nowhere/api/v1/version', {}, 84],
    ['/sepolia/api/v1/version', { method: 'POST', body: {} }, 83],
  ]
  for (const [path, how, expected] of counted) {
    expect([path, how, left(await ask(path, how), 'reads')]).toEqual([path, how, expected])
  }
  expect(left(await place({ body: '{' }), 'orders')).toBe(9)
})

test('only the named operation of a document counts', async () => {
  const query = 'query A { version } query B { a: version b: version c: version }'
  expect(left(await ask('/graphql', { method: 'POST', body: { query, operationName: 'B' } }), 'reads')).toBe(
    97,
  )
  expect(left(await ask('/graphql', { method: 'POST', body: { query, operationName: 'A' } }), 'reads')).toBe(
    96,
  )
  const twice = new URLSearchParams([
    ['query', `{ ${aliases(9, 'version')} }`],
    ['query', '{ version }'],
  ])
  const { body, ...answer } = await ask(`/graphql?${twice}`)
  expect([Object.keys(body.data), left({ body, ...answer }, 'reads')]).toEqual([
    expect.objectContaining({ length: 9 }),
    87,
  ])
})

test('a query over the size of the full bucket is 400 QueryTooComplex, not 429', async () => {
  const small = await limitedServers({ rateLimits: { ...rateLimits, reads: 10 } })
  const { status, body, headers } = await graphql(`{ ${aliases(21, 'version')} }`, {}, { at: small })
  expect([status, headers.get('retry-after')]).toEqual([400, null])
  expect(body.errors[0].extensions).toEqual({
    code: 'QueryTooComplex',
    retryable: false,
    data: { limit: 'reads' },
  })
  // The check took a part of one unit.
  expect((await graphql(`{ ${aliases(19, 'version')} }`, {}, { at: small })).status).toBe(200)
})

describe('a client', () => {
  test('is a /64 of IPv6, or one IPv4 address in any spelling', async () => {
    const reads = async (from: string) => left(await ask('/sepolia/api/v1/version', { from }), 'reads')
    expect(await reads('2001:db8:0:1::1')).toBe(99)
    expect(await reads('2001:db8:0:1:ffff::2')).toBe(98)
    expect(await reads('2001:db8:0:2::1')).toBe(99)
    expect(await reads('192.0.2.1')).toBe(99)
    expect(await reads('::ffff:192.0.2.1')).toBe(98)
  })

  test('is identified by the address from a trusted proxy, not by its own header', async () => {
    const reads = async (from: string, at: TestServer) =>
      left(await ask('/sepolia/api/v1/version', { from, at }), 'reads')
    expect(await reads('1.1.1.1, 192.0.2.2', server)).toBe(99)
    expect(await reads('2.2.2.2, 192.0.2.2', server)).toBe(98)
    const direct = await limitedServers({ isTrustedProxy: () => false })
    expect(await reads('1.1.1.1', direct)).toBe(99)
    expect(await reads('2.2.2.2', direct)).toBe(98)
  })

  test('has its limit of streams by the same key', async () => {
    const few = await limitedServers({ streamLimits: { perClient: 1 } })
    const announce = async (from: string) => {
      const { status, headers } = await ask('/graphql/stream', { method: 'PUT', from, at: few })
      return [status, headers.get('retry-after')]
    }
    expect(await announce('2001:db8::1')).toEqual([201, null])
    expect(await announce('2001:db8::2')).toEqual([429, expect.stringMatching(/^[2-6]$/)])
    expect(await announce('2001:db8:1::1')).toEqual([201, null])
  })
})

test('a limit of 0 turns it off for its kind', async () => {
  const reading = await limitedServers({ rateLimits: { reads: 50, quotes: 0, orders: 0 } })
  const statuses = []
  for (let count = 0; count < 30; count++) statuses.push((await place({ at: reading })).status)
  expect(new Set(statuses)).toEqual(new Set([201]))
  expect((await place({ at: reading })).headers.get('ratelimit')).toBeNull()
  expect(left(await ask('/sepolia/api/v1/version', { at: reading }), 'reads')).toBe(99)
})

test('health and metrics are not limited, and metrics count limited requests', async () => {
  const counted = await limitedServers({ rateLimits: { ...rateLimits, orders: 1 } })
  for (let count = 0; count < 5; count++) await place({ at: counted })
  for (let count = 0; count < 120; count++) {
    expect((await ask('/health/live', { at: counted })).headers.get('ratelimit')).toBeNull()
  }
  const { status, body } = await ask('/metrics', { at: counted })
  expect(status).toBe(200)
  expect(body).toContain('tradegraph_rate_limited_total{limit="orders"} 3')
})

test('a browser may read the headers of the limits', async () => {
  const { headers } = await request(`${server.url}/sepolia/api/v1/version`)
  expect(headers.get('access-control-expose-headers')).toContain('Retry-After, RateLimit, RateLimit-Policy')
})

test('a GraphQL answer has the units that it took and those that are left', async () => {
  const costOf = ({ body }: Answer) => body.extensions.cost
  const read = await graphql('{ networks { name } }')
  expect(costOf(read)).toEqual({ requested: 10, limit: 10_000, actual: 1, left: 99 })
  expect(left(read, 'reads')).toBe(99)
  const several = await graphql(`{ ${aliases(5, 'networks { name }')} }`)
  expect(costOf(several)).toMatchObject({ requested: 50, actual: 5, left: 94 })
  const compiled = await graphql(`{ order(uid: "0x${'ab'.repeat(56)}") { status } }`)
  expect(costOf(compiled)).toMatchObject({ actual: 1, left: 93 })
  // The answer is cached for all clients.
  const introspected = await graphql('{ __schema { queryType { name } } }')
  expect(costOf(introspected)).toEqual({ requested: 1, limit: 10_000 })
})
