import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Outage, Refusal } from '../../src/domain/errors/error.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

let failure: unknown
let server: TestServer
let base: string
beforeAll(async () => {
  const fail = () => Promise.reject(failure)
  server = await openTestServer({ quote: fail, placeOrder: fail, cancelOrders: fail })
  base = `${server.url}/sepolia`
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(() => {
  failure = new Error('SELECT secret FROM /srv/app.ts failed')
  server.faults.splice(0)
})

const { uid } = sampleOrder()
const owner = numbered('0f')
const over = `${2n ** 256n}`
const signature = `0x${'00'.repeat(65)}`
const quote = {
  kind: 'sell',
  sellAmountBeforeFee: '5',
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  from: owner,
}
const order = {
  sellToken: numbered('aa'),
  buyToken: numbered('bb'),
  sellAmount: '5',
  buyAmount: '5',
  validTo: 2_000_000_000,
  appData: '{}',
  feeAmount: '0',
  kind: 'sell',
  partiallyFillable: false,
  signingScheme: 'eip712',
  signature,
}
const cancellation = { orderUids: [uid], signature, signingScheme: 'eip712' }
const without = (body: object, key: string) => ({ ...body, [key]: undefined })

interface Bad {
  call: [method: string, path: string, body?: unknown]
  status?: number
  code?: string
  says: string
}

const cases: Record<string, Bad> = {
  'quote without sellToken': {
    call: ['POST', '/api/v1/quote', without(quote, 'sellToken')],
    says: 'sellToken is required',
  },
  'quote without kind': { call: ['POST', '/api/v1/quote', without(quote, 'kind')], says: 'kind is required' },
  'quote of an unknown kind': {
    call: ['POST', '/api/v1/quote', { ...quote, kind: 'give' }],
    says: 'kind must be one of buy, sell',
  },
  'quote without from': {
    call: ['POST', '/api/v1/quote', { ...quote, from: '0x12' }],
    says: 'from must be an address',
  },
  'quote without an amount': {
    call: ['POST', '/api/v1/quote', without(quote, 'sellAmountBeforeFee')],
    says: 'sellAmountBeforeFee is required',
  },
  'quote of hex': {
    call: ['POST', '/api/v1/quote', { ...quote, sellAmountBeforeFee: '0x5' }],
    says: 'sellAmountBeforeFee must be',
  },
  'quote of a number': {
    call: ['POST', '/api/v1/quote', { ...quote, sellAmountBeforeFee: 5 }],
    says: 'sellAmountBeforeFee must be',
  },
  'quote of a fraction': {
    call: ['POST', '/api/v1/quote', { ...quote, sellAmountBeforeFee: '1.5' }],
    says: 'sellAmountBeforeFee must be',
  },
  'quote of a negative amount': {
    call: ['POST', '/api/v1/quote', { ...quote, sellAmountBeforeFee: '-5' }],
    says: 'sellAmountBeforeFee must be',
  },
  'quote of zero': {
    call: ['POST', '/api/v1/quote', { ...quote, sellAmountBeforeFee: '0' }],
    says: 'sellAmountBeforeFee must be positive',
  },
  'quote over uint256': {
    call: ['POST', '/api/v1/quote', { ...quote, sellAmountBeforeFee: over }],
    code: 'SellAmountOverflow',
    says: 'sellAmountBeforeFee exceeds uint256',
  },
  'quote of a list': { call: ['POST', '/api/v1/quote', [quote]], says: 'a JSON object is expected' },
  'quote of null': { call: ['POST', '/api/v1/quote', null], says: 'a JSON object is expected' },
  'quote of broken JSON': { call: ['POST', '/api/v1/quote', '{"kind": '], says: 'the body is not JSON' },
  'quote with a wrong hash': {
    call: ['POST', '/api/v1/quote', { ...quote, appData: '{}', appDataHash: `0x${'00'.repeat(32)}` }],
    code: 'AppDataHashMismatch',
    says: 'appData hashes to',
  },
  'quote of an order on chain that a key signs': {
    call: ['POST', '/api/v1/quote', { ...quote, onchainOrder: true }],
    code: 'IncompatibleSigningScheme',
    says: 'onchainOrder needs signingScheme presign or eip1271',
  },
  'order without signature': {
    call: ['POST', '/api/v1/orders', without(order, 'signature')],
    says: 'signature is required',
  },
  'order without sellAmount': {
    call: ['POST', '/api/v1/orders', without(order, 'sellAmount')],
    says: 'sellAmount is required',
  },
  'order with bare signature': {
    call: ['POST', '/api/v1/orders', { ...order, signature: '00' }],
    says: 'signature must be',
  },
  'order with odd signature': {
    call: ['POST', '/api/v1/orders', { ...order, signature: '0x0' }],
    says: 'signature must be',
  },
  'order that sells over uint256': {
    call: ['POST', '/api/v1/orders', { ...order, sellAmount: over }],
    code: 'SellAmountOverflow',
    says: 'sellAmount',
  },
  'order that buys over uint256': {
    call: ['POST', '/api/v1/orders', { ...order, buyAmount: over }],
    code: 'BuyAmountOverflow',
    says: 'buyAmount',
  },
  'order with an overlong amount': {
    call: ['POST', '/api/v1/orders', { ...order, sellAmount: '1'.repeat(101) }],
    says: 'sellAmount must be',
  },
  'order with validTo as a string': {
    call: ['POST', '/api/v1/orders', { ...order, validTo: '2000000000' }],
    says: 'validTo must be',
  },
  'order with validTo in milliseconds': {
    call: ['POST', '/api/v1/orders', { ...order, validTo: 2_000_000_000_000 }],
    says: 'validTo must be',
  },
  'order without appData': {
    call: ['POST', '/api/v1/orders', without(order, 'appData')],
    says: 'appData is required',
  },
  'order of broken JSON': { call: ['POST', '/api/v1/orders', 'order'], says: 'the body is not JSON' },
  'order over the limit': {
    call: ['POST', '/api/v1/orders', { ...order, appData: 'x'.repeat(17_000) }],
    status: 413,
    code: 'PayloadTooLarge',
    says: '16384',
  },
  'cancelling without UIDs': {
    call: ['DELETE', '/api/v1/orders', without(cancellation, 'orderUids')],
    says: 'orderUids is required',
  },
  'cancelling a malformed UID': {
    call: ['DELETE', '/api/v1/orders', { ...cancellation, orderUids: [uid, '0x12'] }],
    says: 'orderUids[1] must be an order UID',
  },
  'cancelling too many': {
    call: ['DELETE', '/api/v1/orders', { ...cancellation, orderUids: Array(129).fill(uid) }],
    says: 'at most 128',
  },
  'cancelling by presign': {
    call: ['DELETE', '/api/v1/orders', { ...cancellation, signingScheme: 'presign' }],
    says: 'signingScheme must be one of',
  },
  'order by a short UID': { call: ['GET', '/api/v1/orders/0x12'], says: 'uid must be an order UID' },
  'unknown order': {
    call: ['GET', `/api/v1/orders/${uid}`],
    status: 404,
    code: 'NotFound',
    says: 'Order was not found',
  },
  'report by a short UID': { call: ['GET', '/api/v1/debug/order/0x12'], says: 'uid must be' },
  'report of an unknown order': {
    call: ['GET', `/restricted/api/v1/debug/order/${uid}`],
    status: 404,
    code: 'NotFound',
    says: 'not found',
  },
  'orders of a malformed owner': {
    call: ['GET', '/api/v1/account/0x12/orders'],
    says: 'owner must be an address',
  },
  'page of size zero': {
    call: ['GET', `/api/v1/account/${owner}/orders?limit=0`],
    code: 'LIMIT_OUT_OF_BOUNDS',
    says: 'limit',
  },
  'page too large': {
    call: ['GET', `/api/v1/account/${owner}/orders?limit=1001`],
    code: 'LIMIT_OUT_OF_BOUNDS',
    says: 'limit',
  },
  'page of an enormous size': {
    call: ['GET', `/api/v1/account/${owner}/orders?limit=99999999999999999999`],
    code: 'LIMIT_OUT_OF_BOUNDS',
    says: 'limit',
  },
  'page with a text as size': {
    call: ['GET', `/api/v1/account/${owner}/orders?limit=many`],
    says: 'limit must be a whole number',
  },
  'page with a negative offset': {
    call: ['GET', `/api/v1/account/${owner}/orders?offset=-1`],
    says: 'offset must be',
  },
  'trades without a filter': {
    call: ['GET', '/api/v2/trades'],
    code: 'InvalidTradeFilter',
    says: 'exactly one',
  },
  'trades with both filters': {
    call: ['GET', `/api/v1/trades?owner=${owner}&orderUid=${uid}`],
    code: 'InvalidTradeFilter',
    says: 'exactly one',
  },
  'trades of a short UID': { call: ['GET', '/api/v2/trades?orderUid=0x12'], says: 'orderUid must be' },
  'trades over the limit': {
    call: ['GET', `/api/v2/trades?owner=${owner}&limit=1001`],
    code: 'InvalidLimit',
    says: 'limit',
  },
  'document with a short hash': { call: ['GET', '/api/v1/app_data/0x12'], says: 'hash must be 32 bytes' },
  'unknown document': {
    call: ['GET', `/api/v1/app_data/0x${'12'.repeat(32)}`],
    status: 404,
    code: 'NotFound',
    says: 'no document',
  },
  'upload without a document': { call: ['PUT', '/api/v1/app_data', {}], says: 'fullAppData is required' },
  'upload of invalid JSON': {
    call: ['PUT', '/api/v1/app_data', { fullAppData: 'x' }],
    code: 'AppDataInvalid',
    says: 'JSON',
  },
  'upload under a wrong hash': {
    call: ['PUT', `/api/v1/app_data/0x${'12'.repeat(32)}`, { fullAppData: '{}' }],
    code: 'AppDataHashMismatch',
    says: 'hashes to',
  },
  'upload of too much': {
    call: ['PUT', '/api/v1/app_data', { fullAppData: JSON.stringify({ a: 'x'.repeat(8_200) }) }],
    status: 413,
    code: 'PayloadTooLarge',
    says: '8192',
  },
  'unknown path': {
    call: ['GET', '/api/v1/nothing'],
    status: 404,
    code: 'NotFound',
    says: 'nothing at this path',
  },
  'badly escaped path': { call: ['GET', '/api/v1/orders/%E0%A4%A'], says: 'uid must be' },
  'unknown method': {
    call: ['PATCH', '/api/v1/orders', {}],
    status: 405,
    code: 'MethodNotAllowed',
    says: 'POST, DELETE',
  },
}

describe('bad input', () => {
  test.each(Object.entries(cases))(
    '%s',
    async (_what, { call: [method, path, body], status = 400, code, says }) => {
      const answer = await request(`${base}${path}`, method, body)
      expect(answer.status).toBe(status)
      expect(Object.keys(answer.body)).toEqual(expect.arrayContaining(['errorType', 'description']))
      expect(answer.body.errorType).toBe(code ?? 'InvalidParameter')
      expect(answer.body.description).toContain(says)
      expect(JSON.stringify(answer.body)).not.toMatch(/stack|select |node_modules|\.ts\b/i)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(server.faults).toEqual([])
    },
  )
})

describe('request bodies and methods', () => {
  test('an undeclared body is refused, except on a cancellation', async () => {
    const post = await fetch(`${base}/api/v1/orders`, { method: 'POST', body: JSON.stringify(order) })
    expect([post.status, ((await post.json()) as { errorType: string }).errorType]).toEqual([
      415,
      'UnsupportedMediaType',
    ])
    failure = new Refusal('OrderNotFound', 'no such order')
    const cancel = await fetch(`${base}/api/v1/orders`, {
      method: 'DELETE',
      body: JSON.stringify(cancellation),
    })
    expect([cancel.status, await cancel.json()]).toEqual([
      404,
      { errorType: 'OrderNotFound', description: 'no such order' },
    ])
  })

  test('a chunked body that grows past the limit is cut off', async () => {
    const chunk = new TextEncoder().encode('x'.repeat(4_096))
    let sent = 0
    const body = new ReadableStream({ pull: (to) => (sent++ < 8 ? to.enqueue(chunk) : to.close()) })
    const init = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'content-type': 'application/json' },
    } as RequestInit
    const response = await fetch(`${base}/api/v1/orders`, init)
    expect([response.status, ((await response.json()) as { errorType: string }).errorType]).toEqual([
      413,
      'PayloadTooLarge',
    ])
  })
})

describe('problem details', () => {
  const send = (path: string, accept: string, body?: object) =>
    fetch(`${server.url}${path}`, {
      headers: { accept, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
  const problem = 'application/problem+json'
  const malformed = { ...quote, sellAmountBeforeFee: '0' }

  test.each([problem, `application/json, ${problem}`, `${problem};q=0.5, */*`])(
    'a client that accepts %s gets them from both families',
    async (accept) => {
      const refused = await send('/sepolia/api/v1/quote', accept, malformed)
      expect([refused.status, refused.headers.get('content-type')]).toEqual([400, problem])
      expect(refused.headers.get('vary')).toContain('Accept')
      expect(await refused.json()).toEqual({
        type: '/docs/errors.md#InvalidParameter',
        title: 'The request is malformed; the description names the field.',
        status: 400,
        detail: 'sellAmountBeforeFee must be positive',
        code: 'InvalidParameter',
        field: 'sellAmountBeforeFee',
        retryable: false,
      })
      const elsewhere = await send(`/atlantis/tokens/${owner}/usdPrice`, accept)
      expect(await elsewhere.json()).toMatchObject({ status: 400, code: 'NotFound', retryable: false })
      const nowhere = await send('/nowhere', accept)
      expect([nowhere.status, (await nowhere.json()).code]).toEqual([404, 'NotFound'])
    },
  )

  test.each(['*/*', 'application/*', 'application/json', `${problem};q=0`])(
    'a client that accepts %s gets the published form',
    async (accept) => {
      const refused = await send('/sepolia/api/v1/quote', accept, malformed)
      expect(refused.headers.get('content-type')).toBe('application/json')
      expect(await refused.json()).toEqual({
        errorType: 'InvalidParameter',
        description: 'sellAmountBeforeFee must be positive',
      })
    },
  )

  test('faults and refusals outside the tables have them too', async () => {
    const failed = await send('/sepolia/api/v1/quote', problem, quote)
    expect(await failed.json()).toMatchObject({
      status: 500,
      code: 'InternalServerError',
      detail: 'Internal server error',
      requestId: failed.headers.get('x-request-id'),
    })
    server.faults.splice(0)
    const method = await send('/health/live', problem, {})
    expect([method.status, method.headers.get('allow'), await method.json()]).toEqual([
      405,
      'GET, HEAD, OPTIONS',
      expect.objectContaining({ code: 'MethodNotAllowed', detail: 'use GET or HEAD' }),
    ])
    const file = await send('/docs/nothing.js', problem)
    expect([file.status, (await file.json()).code]).toEqual([404, 'NotFound'])
  })
})

test('the error for an unknown network names it', async () => {
  const { status, body } = await request(`${server.url}/nowhere/api/v1/version`)
  expect([status, body]).toEqual([
    404,
    { errorType: 'NotFound', description: 'there is no network nowhere, but sepolia' },
  ])
})

test('a 405 lists the allowed methods', async () => {
  const { headers } = await request(`${base}/api/v1/orders/${uid}`, 'PUT', {})
  expect(headers.get('allow')).toBe('GET, DELETE, HEAD, OPTIONS')
})

test('errors of account routes have a message', async () => {
  const { status, body, headers } = await request(`${server.url}/accounts/0x12/notifications`)
  expect([status, body]).toEqual([
    400,
    { message: 'account must be an address: 20 bytes of hex with 0x in front' },
  ])
  expect(headers.get('cache-control')).toBe('no-store')
})

describe('errors of the order and quote services', () => {
  test.each([
    [
      new Refusal('InvalidSignature', 'not yours'),
      400,
      { errorType: 'InvalidSignature', description: 'not yours' },
    ],
    [new Refusal('DuplicatedOrder', 'twice'), 400, { errorType: 'DuplicatedOrder', description: 'twice' }],
    [new Refusal('Forbidden', 'banned'), 403, { errorType: 'Forbidden', description: 'banned' }],
    [new Refusal('RateLimited', 'slow down'), 429, { errorType: 'RateLimited', description: 'slow down' }],
    [
      new Outage('the node'),
      503,
      { errorType: 'Unavailable', description: 'the node is unavailable: try again later' },
    ],
  ])('%s', async (refusal, status, body) => {
    failure = refusal
    const answer = await request(`${base}/api/v1/orders`, 'POST', order)
    expect([answer.status, answer.body]).toEqual([status, body])
    expect(answer.headers.get('retry-after')).toBe(status === 429 || status === 503 ? '1' : null)
  })

  test('no liquidity is 400 for a quote, and the error’s data is returned', async () => {
    failure = new Refusal('NoLiquidity', 'no route')
    expect((await request(`${base}/api/v1/quote`, 'POST', quote)).status).toBe(400)
    failure = new Refusal('SellAmountDoesNotCoverFee', 'too little', { data: { fee_amount: '0x1f' } })
    const { body } = await request(`${base}/api/v1/quote`, 'POST', quote)
    expect(body).toEqual({
      errorType: 'SellAmountDoesNotCoverFee',
      description: 'too little',
      data: { fee_amount: '0x1f' },
    })
  })

  test.each([
    'TradingOutsideAllowedWindow',
    'TokenTemporarilySuspended',
    'InsufficientLiquidity',
    'CustomSolverError',
    'QuoteNotVerified',
  ] as const)('%s is 400 for a quote, with its own description', async (code) => {
    failure = new Refusal(code, 'from nine to five')
    const { status, body } = await request(`${base}/api/v1/quote`, 'POST', quote)
    expect([status, body]).toEqual([400, { errorType: code, description: 'from nine to five' }])
  })

  test('only the owner may cancel', async () => {
    failure = new Refusal('WrongOwner', 'not yours')
    expect((await request(`${base}/api/v1/orders`, 'DELETE', cancellation)).status).toBe(401)
  })

  test('an internal fault reveals no details', async () => {
    const { status, body } = await request(`${base}/api/v1/orders`, 'POST', order)
    expect([status, body]).toEqual([
      500,
      { errorType: 'InternalServerError', description: 'Internal server error' },
    ])
    expect(server.faults).toHaveLength(1)
  })
})

/** The raw response to bytes that no client library would send. */
function raw(bytes: string, hangUp = false): Promise<string> {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes, () => hangUp && setImmediate(() => socket.resetAndDestroy()))
    })
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

const post = (path: string, host: string, length = 2) =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{}`

describe('malformed HTTP', () => {
  test.each(['[', 'a b[:', 'x:99999', '%', '<x>', 'a/b', ''])('a Host of %o', async (host) => {
    for (const path of ['/graphql', '/graphql/stream', '/sepolia/api/v1/quote']) {
      const answer = await raw(post(path, host))
      expect(answer).toMatch(/^HTTP\/1.1 400 /)
      expect(answer).toContain('"InvalidParameter"')
      expect(answer).not.toMatch(/node_modules|\bat .*:\d+/)
    }
    expect(server.faults).toEqual([])
  })

  test.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s', async (_what, bytes, status) => {
    const answer = await raw(bytes)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toMatch(/access-control-allow-origin: \*/i)
    expect(answer).toMatch(/connection: close/i)
  })

  test('an aborted upload is no fault', async () => {
    for (const path of ['/graphql', '/graphql/stream', '/sepolia/api/v1/quote']) {
      await raw(post(path, 'x', 1_000), true)
    }
    await request(`${server.url}/health/live`)
    expect(server.faults).toEqual([])
  })

  test('health and metrics are read-only', async () => {
    for (const path of ['/health/live', '/health/ready', '/metrics']) {
      const { status, headers, body } = await request(`${server.url}${path}`, 'POST', {})
      expect([status, headers.get('allow'), body.errorType]).toEqual([
        405,
        'GET, HEAD, OPTIONS',
        'MethodNotAllowed',
      ])
      expect(await request(`${server.url}${path}`, 'HEAD').catch(String)).toBeTruthy()
    }
  })
})
