import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage, Refusal } from '../../../src/domain/errors/error.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'
import { eventually } from '../../setup/eventually.ts'
import { network, openTestServer, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

let failure: unknown
let params: (() => Promise<never>) | undefined
let server: TestServer
beforeAll(async () => {
  server = await openTestServer({
    quote: () => params?.() ?? Promise.reject(failure),
    placeOrder: () => Promise.reject(failure),
  })
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => server.faults.splice(0))

const quoteInput = {
  amount: { sellBeforeFee: '5' },
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  from: numbered('0f'),
}
const quoteMutation = 'mutation ($input: QuoteInput!) { quote(input: $input) { quoteId } }'

const { uid } = sampleOrder()
const orderInput = {
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  sellAmount: '5',
  buyAmount: '5',
  validTo: 2_000_000_000,
  appData: '{}',
  feeAmount: '0',
  kind: 'SELL',
  partiallyFillable: false,
  signingScheme: 'EIP712',
  signature: `0x${'00'.repeat(65)}`,
}
const placeMutation = 'mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { order { uid } } }'

async function firstError(query: string, variables: Record<string, unknown> = {}) {
  const { body } = await request(`${server.url}/graphql`, 'POST', { query, variables })
  return body.errors[0]
}

describe('a failure in the server', () => {
  test('by an exception is returned without its message or stack, and logged once with the request id', async () => {
    failure = new Error('SELECT secret FROM /srv/app.ts failed')
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: quoteMutation, variables: { input: quoteInput } }),
    })
    const text = await response.text()
    expect(JSON.parse(text).errors).toEqual([
      {
        message: 'Internal server error',
        path: ['quote'],
        locations: [{ line: 1, column: 34 }],
        extensions: {
          code: 'InternalServerError',
          retryable: true,
          requestId: response.headers.get('x-request-id'),
        },
      },
    ])
    expect(text).not.toMatch(/secret|stack|\.ts/)
    expect(server.faults).toHaveLength(1)
    expect(server.faults[0]?.fields).toMatchObject({
      requestId: response.headers.get('x-request-id'),
      path: 'quote',
    })
  })

  test('by an outage can be retried, and names no internals', async () => {
    failure = new Outage('the node of sepolia', new Error('connect ECONNREFUSED 10.0.0.1'))
    const error = await firstError(quoteMutation, { input: quoteInput })
    expect(error.extensions).toEqual({
      code: 'Unavailable',
      retryable: true,
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    })
    expect(error.message).toBe('the node of sepolia is unavailable: try again later')
    expect(server.faults).toEqual([])
  })
})

test('a client that disconnects is not logged as a fault, and its request runs to the end', async () => {
  let finish = (_: unknown) => {}
  const entered = new Promise<void>((resolve) => {
    params = () => {
      resolve()
      return new Promise((_, reject) => {
        finish = reject
      })
    }
  })
  const leaving = new AbortController()
  const left = fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: quoteMutation, variables: { input: quoteInput } }),
    signal: leaving.signal,
  }).catch((error: Error) => error.name)
  await entered
  leaving.abort()
  expect(await left).toBe('AbortError')
  await eventually('the request is counted', async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    return metrics.includes('method="POST",route="unknown"')
  })
  finish(new Refusal('NoLiquidity', 'nobody reads this'))
  params = undefined
  expect(await firstError('{ nothing }')).toBeDefined()
  expect(server.faults).toEqual([])
})

test('a refusal keeps its code, field and data', async () => {
  failure = new Refusal('SellAmountDoesNotCoverFee', 'too little', {
    field: 'sellAmount',
    data: { fee_amount: '0x1f' },
  })
  const error = await firstError(quoteMutation, { input: quoteInput })
  expect(error).toMatchObject({
    message: 'too little',
    extensions: {
      code: 'SellAmountDoesNotCoverFee',
      retryable: false,
      field: 'sellAmount',
      data: { fee_amount: '0x1f' },
    },
  })
})

const orderQuery = 'query ($uid: OrderUid!) { order(uid: $uid) { uid } }'

test('a variable that is missing is named as one, with its type', async () => {
  const { message } = await firstError(
    `query ($n: Int!) { account(address: "${numbered('0f')}") { latestNotifications(first: $n) { id } } }`,
    {},
  )
  expect(message).toBe('the variable $n of type Int! is required')
})

describe('an error about malformed input names its field', () => {
  test.each([
    ['a scalar in a variable', orderQuery, { uid: '0x12' }, 'uid'],
    ['a missing variable', orderQuery, {}, 'uid'],
    ['a variable of the wrong type', orderQuery, { uid: 5 }, 'uid'],
    ['a scalar as a literal', '{ account(address: "0x12") { address } }', {}, 'address'],
    [
      'a literal in an input object',
      `mutation { quote(input: { amount: { sellBeforeFee: "1" }, sellToken: "x", buyToken: "${numbered('bb')}", from: "${numbered('bb')}" }) { quoteId } }`,
      {},
      'sellToken',
    ],
    ['a field of an input object', quoteMutation, { input: { ...quoteInput, from: 'nobody' } }, 'from'],
    ['a missing field', quoteMutation, { input: { ...quoteInput, from: undefined } }, 'from'],
    [
      'an unknown enum member',
      quoteMutation,
      { input: { ...quoteInput, signingScheme: 'GIVE' } },
      'signingScheme',
    ],
    [
      'an amount with other characters than digits',
      quoteMutation,
      { input: { ...quoteInput, amount: { sellBeforeFee: '0x5' } } },
      'amount.sellBeforeFee',
    ],
    [
      'an amount as a number',
      quoteMutation,
      { input: { ...quoteInput, amount: { sellBeforeFee: 5 } } },
      'amount.sellBeforeFee',
    ],
    [
      'an amount of zero',
      quoteMutation,
      { input: { ...quoteInput, amount: { sellBeforeFee: '0' } } },
      'amount.sellBeforeFee',
    ],
    [
      'two amounts',
      quoteMutation,
      { input: { ...quoteInput, amount: { sellBeforeFee: '5', buyAfterFee: '5' } } },
      'amount',
    ],
    ['no amount', quoteMutation, { input: { ...quoteInput, amount: {} } }, 'amount'],
    [
      'an amount of null',
      quoteMutation,
      { input: { ...quoteInput, amount: { buyAfterFee: null } } },
      'amount.buyAfterFee',
    ],
    [
      'two expiries',
      quoteMutation,
      { input: { ...quoteInput, validity: { validTo: 2_000_000_000, validFor: 60 } } },
      'validity',
    ],
    [
      'a hash without its document',
      quoteMutation,
      { input: { ...quoteInput, appDataHash: `0x${'00'.repeat(32)}` } },
      'appDataHash',
    ],
    ['validTo beyond uint32', placeMutation, { input: { ...orderInput, validTo: 2 ** 32 } }, 'validTo'],
    [
      'a signature without 0x',
      placeMutation,
      { input: { ...orderInput, signature: '00'.repeat(65) } },
      'signature',
    ],
    [
      'an item of a list',
      'mutation ($u: [OrderUid!]!) { cancelOrders(input: { orderUids: $u, signature: "0x", signingScheme: EIP712 }) { orders { uid } } }',
      { u: [uid, '0x12'] },
      'u[1]',
    ],
    ['an unknown cursor', '{ orders(after: "x") { nodes { uid } } }', {}, 'after'],
    ['a page that is too large', '{ orders(first: 1001) { nodes { uid } } }', {}, 'first'],
    [
      'an unknown feed cursor',
      `{ notifications(account: "${numbered('0f')}", after: "x") { cursor } }`,
      {},
      'after',
    ],
  ])('%s', async (_what, query, variables, field) => {
    const error = await firstError(query, variables)
    expect(error.extensions).toMatchObject({ code: 'InvalidParameter', retryable: false, field })
    expect(server.faults).toEqual([])
  })

  test('an order with amounts over uint256 is refused with the code of each amount', async () => {
    const over = `${2n ** 256n}`
    const sell = await firstError(placeMutation, { input: { ...orderInput, sellAmount: over } })
    expect(sell.extensions).toEqual({ code: 'SellAmountOverflow', retryable: false, field: 'sellAmount' })
    const buy = await firstError(placeMutation, { input: { ...orderInput, buyAmount: over } })
    expect(buy.extensions).toEqual({ code: 'BuyAmountOverflow', retryable: false, field: 'buyAmount' })
  })

  test('cancelling more than 128 orders is refused', async () => {
    const query =
      'mutation ($orderUids: [OrderUid!]!) { cancelOrders(input: { orderUids: $orderUids, signature: "0x", signingScheme: EIP712 }) { orders { uid } } }'
    const error = await firstError(query, { orderUids: Array(129).fill(uid) })
    expect(error.extensions).toMatchObject({ code: 'InvalidParameter', field: 'orderUids' })
  })
})

describe('a document is refused', () => {
  test.each([
    ['that is no GraphQL', '{ order(', 'InvalidQuery'],
    ['with an unknown field', '{ nothing }', 'InvalidQuery'],
    ['without the name of one of its operations', 'query A { version } query B { version }', 'InvalidQuery'],
    [
      'with too many aliases',
      `{ ${Array.from({ length: 51 }, (_, index) => `a${index}: version`).join(' ')} }`,
      'QueryTooComplex',
    ],
    [
      'that is too deep',
      `{ account(address: "${numbered('0f')}") { orders { nodes ${'{ auctions { orders '.repeat(8)} { uid } ${'} }'.repeat(8)} } } }`,
      'QueryTooComplex',
    ],
    ['with too many tokens', `{ ${'version '.repeat(5_000)} }`, 'QueryTooComplex'],
    ['with lists nested beyond any stack', `{ order(uid: ${'['.repeat(2_500)}`, 'QueryTooComplex'],
    ['with fields nested beyond any stack', '{a'.repeat(10_000), 'QueryTooComplex'],
    [
      'for a wrong value, not for the brackets in its string',
      `{ account(address: "${'['.repeat(300)}") { address } }`,
      'InvalidParameter',
    ],
  ])('%s', async (_what, query, code) => {
    const { status, body } = await request(`${server.url}/graphql`, 'POST', { query })
    expect([status, body.errors[0].extensions.code]).toEqual([expect.any(Number), code])
    expect(server.faults).toEqual([])
  })

  test('full introspection and a debug query of fifteen levels are accepted', async () => {
    const introspection = await request(`${server.url}/graphql`, 'POST', { query: getIntrospectionQuery() })
    expect(introspection.body.errors).toBeUndefined()
    const deep = `query ($uid: OrderUid!) { order(uid: $uid) { auctions(first: 2) { nodes { solutions { orders { order {
      auctions(first: 2) { nodes { solutions { orders { order { debugReport { auctions(first: 2) { nodes { auctionId } } } } } } } } } } } } } } }`
    const { body } = await request(`${server.url}/graphql`, 'POST', { query: deep, variables: { uid } })
    expect(body).toEqual({
      data: { order: null },
      extensions: { cost: { requested: expect.any(Number), limit: 10_000 } },
    })
  })

  test('the limits of a document are checked each time it is sent', async () => {
    for (let round = 0; round < 3; round++) {
      const error = await firstError('{ nothing }')
      expect(error.extensions).toEqual({ code: 'InvalidQuery', retryable: false })
    }
  })
})

describe('an invalid request is refused', () => {
  const json = { 'content-type': 'application/json' }
  const query = JSON.stringify({ query: '{version}' })
  test.each<[string, string, RequestInit, number, string, string]>([
    [
      'variables that are no JSON',
      '?query={version}&variables=x',
      {},
      400,
      'InvalidQuery',
      'variables must be',
    ],
    [
      'a body that is too large',
      '',
      { method: 'POST', headers: json, body: ' '.repeat(262_145) },
      413,
      'PayloadTooLarge',
      'bytes',
    ],
    ['a body that is no JSON', '', { method: 'POST', headers: json, body: '{' }, 400, 'InvalidQuery', 'JSON'],
    ['an empty body', '', { method: 'POST', headers: json, body: '' }, 400, 'InvalidQuery', ''],
    [
      'a form',
      '',
      { method: 'POST', body: new URLSearchParams({ query: '{version}' }) },
      415,
      'UnsupportedMediaType',
      'application/json',
    ],
    [
      'a request for an image',
      '',
      { method: 'POST', headers: { ...json, accept: 'image/png' }, body: query },
      406,
      'NotAcceptable',
      'application/json',
    ],
    ['PUT', '', { method: 'PUT', headers: json, body: query }, 405, 'MethodNotAllowed', 'POST'],
  ])('%s', async (_what, path, init, status, code, says) => {
    const response = await fetch(`${server.url}/graphql${path}`, init)
    const [error] = ((await response.json()) as { errors: { message: string; extensions: object }[] }).errors
    expect(response.status).toBe(status)
    expect(error?.extensions).toMatchObject({ code, retryable: false })
    expect(error?.message).toContain(says)
    if (status === 405) expect(response.headers.get('allow')).toBe('GET, HEAD, POST, OPTIONS')
    expect(server.faults).toEqual([])
  })
})

describe('a stream at /graphql', () => {
  test('a client that accepts only a stream gets one', async () => {
    const response = await fetch(`${server.url}/graphql?query={version}`, {
      headers: { accept: 'text/event-stream' },
    })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect(await response.text()).toContain('event: next\ndata: {"data":{"version":"test-build"}')
  })

  test('a client that also accepts JSON gets JSON', async () => {
    const accept = 'text/event-stream, application/json'
    const response = await fetch(`${server.url}/graphql?query={version}`, { headers: { accept } })
    expect(await response.json()).toMatchObject({ data: { version: 'test-build' } })
  })

  test('a subscription by a client that accepts no stream gets 406 with the path of the streams', async () => {
    const query = `subscription { notifications(account: "${numbered('0f')}") { cursor } }`
    const { status, body } = await request(`${server.url}/graphql`, 'POST', { query })
    expect(status).toBe(406)
    expect(body.errors[0].message).toContain('/graphql/stream')
  })
})

test('GraphiQL loads nothing from another host', async () => {
  const response = await fetch(`${server.url}/graphql`, { headers: { accept: 'text/html' } })
  const page = await response.text()
  expect(page).toContain('Tradegraph')
  expect(page).not.toMatch(/<(script|link|img|iframe)[^>]+(src|href)="?(https?:)?\/\//)
})

test('an unknown network name is refused with the names of known networks', async () => {
  const error = await firstError(
    '{ orders(network: "nowhere", owner: "0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f") { nodes { uid } } }',
  )
  expect(error).toMatchObject({
    message: 'there is no network nowhere, but sepolia',
    extensions: { code: 'NotFound', field: 'network' },
  })
  const { body } = await request(`${server.url}/graphql`, 'POST', {
    query: '{ networks { name chainId settlementContract } }',
  })
  expect(body.data.networks).toEqual([
    { name: network.name, chainId: 11155111, settlementContract: network.settlement },
  ])
})

describe('null for an argument that takes none', () => {
  test.each([
    [
      `query ($n: Int) { account(address: "${numbered('0f')}") { latestNotifications(first: $n) { id } } }`,
      'first',
    ],
    [`query ($n: OrderUid) { orders(first: 1) { nodes { uid } } order(uid: $n) { uid } }`, undefined],
    ['query ($n: OrderStatus) { orders(filter: { statuses: [$n] }) { nodes { uid } } }', undefined],
    ['query ($n: Int = 5) { account(address: "0x00") { latestNotifications(first: $n) { id } } }', undefined],
  ])('%s', async (query, field) => {
    const { extensions } = await firstError(query, { n: null })
    expect(['InvalidParameter', 'InvalidQuery']).toContain(extensions.code)
    expect(extensions.retryable).toBe(false)
    if (field) expect(extensions).toMatchObject({ code: 'InvalidParameter', field })
    expect(server.faults).toEqual([])
  })

  test.each(['first', 'last'])('means the default page size: %s', async (argument) => {
    const query = `query ($n: Int) { orders(${argument}: $n) { nodes { uid } } }`
    const { body } = await request(`${server.url}/graphql`, 'POST', { query, variables: { n: null } })
    expect([body.errors, body.extensions.cost.requested]).toEqual([undefined, 11])
  })
})
