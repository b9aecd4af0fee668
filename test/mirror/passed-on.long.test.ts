import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as sendRaw } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { zeroAddress } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { Log } from '../../src/domain/log.ts'
import { readPlaced } from '../../src/mirror/read-placed.ts'
import { findAppData } from '../../src/storage/app-data.ts'
import { sql } from '../../src/storage/database/database.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

interface Call {
  call: string
  headers: IncomingMessage['headers']
  body: Buffer
}
type Answer = (call: Call, res: ServerResponse) => void

/** An order book that records the calls of clients, and answers as a test says. */
const answers = new Map<string, Answer>()
const calls: Call[] = []
const server = createServer(async (req, res) => {
  const call = `${req.method} ${req.url}`
  const body = await buffer(req)
  if (call !== ownCall()) calls.push({ call, headers: req.headers, body })
  const answer = answers.get(call)
  if (answer) answer({ call, headers: req.headers, body }, res)
  else json(res, 404, { errorType: 'NotFound', description: 'there is no such thing' })
})
/** Another origin, to which nothing may be sent. */
const elsewhere: Call['headers'][] = []
const other = createServer((req, res) => {
  elsewhere.push(req.headers)
  res.end()
})

function json(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const urlOf = (of: typeof server) => `http://127.0.0.1:${(of.address() as AddressInfo).port}`
const listen = (of: typeof server) =>
  new Promise<void>((resolve) => of.listen(0, '127.0.0.1', () => resolve()))

const ownKey = 'key-of-this-service-at-the-book'
const operatorKey = 'key-of-the-operator-here'
const clientKey = 'key-of-a-partner-0001'

const withoutPools = { poolFactory: zeroAddress, baseTokens: [] }

/** The price that the service reads by itself, at any time. */
const ownCall = () => `GET /api/v1/token/${chain.market.tokens.WETH.address.toLowerCase()}/native_price`

let chain: TestChain
let database: TestDatabase
let follower: App
let base: string
let trader: ReturnType<typeof createTrader>
const logged: string[] = []
const write = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`)
const log: Log = { debug: write, info: write, warn: write, error: write }

beforeAll(async () => {
  await Promise.all([listen(server), listen(other)])
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  const orderBook = { url: urlOf(server), callsPerMinute: 1_000_000, apiKey: ownKey, forwardKeys: true }
  follower = await startProgram(
    { database, chain },
    { ...unlimited, ADMIN_API_KEY: operatorKey, METRICS_PORT: '0' },
    {
      networks: [{ network: { ...chain.market.network, ...withoutPools }, rpcUrl: chain.rpcUrl, orderBook }],
      log,
    },
  )
  base = `${follower.url}/sepolia`
  trader = createTrader(follower.url ?? '', chain.market)
})
afterAll(async () => {
  await follower?.close()
  server.close()
  other.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  answers.clear()
  calls.length = 0
  elsewhere.length = 0
})

async function send(
  call: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const [method = '', path] = call.split(' ')
  const response = await fetch(`${base}${path}`, {
    method,
    body,
    headers: { 'content-type': 'application/json', ...headers },
  })
  const [retryAfter, type] = ['retry-after', 'content-type'].map((name) => response.headers.get(name))
  return { status: response.status, text: await response.text(), type, retryAfter }
}

const uid = `0x${'ab'.repeat(56)}`
const hash = keccakText('{}')
const writes = [
  'POST /api/v1/quote',
  'POST /api/v1/orders',
  'DELETE /api/v1/orders',
  `DELETE /api/v1/orders/${uid}`,
  `PUT /api/v1/app_data/${hash}`,
  'PUT /api/v1/app_data',
]

describe.each(writes)('%s', (call) => {
  test('passes its bytes unchanged, and the answer back', async () => {
    // Refused here in four ways: members, spacing, a byte that is no UTF-8, no JSON at its end.
    const body = new Uint8Array([...Buffer.from(' {"sellToken" : 7, "no":["\u20ac"]'), 0xff, 0x7d, 0x7d])
    const text = ' { "errorType":"TooManyMoons",\n"description":"two", "data":{"moons":2.0}, "more":1 }'
    answers.set(call, (_, res) =>
      res.writeHead(418, { 'content-type': 'application/json', 'retry-after': '7', 'x-more': '1' }).end(text),
    )
    const answer = await send(call, body)
    expect(answer).toEqual({ status: 418, text, type: 'application/json', retryAfter: '7' })
    expect(calls.map((each) => each.call)).toEqual([call])
    expect(calls[0]?.body.equals(body)).toBe(true)
    expect(calls[0]?.headers['x-api-key']).toBe(ownKey)
  })

  test('passes plain text, a fault in JSON and a 429 back, and hides other text', async () => {
    for (const [status, type, text] of [
      [422, 'text/plain; charset=utf-8', 'Failed to deserialize the JSON body: kind'],
      [500, 'application/json', '{"errorType":"InternalServerError","description":""}'],
      [400, 'application/json', ''],
    ] as const) {
      answers.set(call, (_, res) => res.writeHead(status, { 'content-type': type }).end(text))
      expect(await send(call, '{}')).toEqual({ status, text, type, retryAfter: null })
    }
    answers.set(call, (_, res) => res.writeHead(403, { 'content-type': 'text/html' }).end('<script>'))
    expect(await send(call, '{}')).toMatchObject({
      status: 403,
      text: '{"errorType":"UpstreamRefused","description":"upstream refuses the request with status 403"}',
    })
    answers.set(call, (_, res) => res.writeHead(302, { location: `${urlOf(other)}/` }).end())
    expect((await send(call, '{}', { 'x-api-key': clientKey })).status).toBe(503)
    expect(elsewhere).toEqual([])
  })

  test('is refused here for its size and its media type only', async () => {
    expect((await send(call, ' '.repeat(16_385))).status).toBe(413)
    expect((await send(call, '{}', { 'content-encoding': 'gzip' })).status).toBe(415)
    expect(calls).toEqual([])
  })
})

describe("a client's own key", () => {
  const quote = 'POST /api/v1/quote'
  const keys = () => calls.map(({ headers }) => headers['x-api-key'])

  test('is passed on in place of the own one, also over GraphQL and on reads', async () => {
    answers.set(quote, (_, res) => json(res, 400, { errorType: 'NoLiquidity', description: 'none' }))
    await send(quote, '{}', { 'x-api-key': clientKey })
    const surplus = `/api/v1/users/0x${'11'.repeat(20)}/total_surplus`
    answers.set(`GET ${surplus}`, (_, res) => json(res, 200, { totalSurplus: '5' }))
    for (const headers of [{ 'x-api-key': clientKey }, {}, {}])
      expect(await (await fetch(`${base}${surplus}`, { headers })).text()).toBe('{"totalSurplus":"5"}')
    const query = `mutation { uploadAppData(input: {document: "{}"}) { hash } }`
    await fetch(`${follower.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': clientKey },
      body: JSON.stringify({ query }),
    })
    // Clients without a key share one answer.
    expect(keys()).toEqual([clientKey, clientKey, ownKey, clientKey])
  })

  test.each([
    ['the own one at the order book', ownKey],
    ['the operator’s', operatorKey],
    ['one that holds it', `Bearer:${operatorKey}`],
    ['the token of a session', `tgs_${'a'.repeat(43)}`],
    ['short', 'abc'],
  ])('is not passed on if it is %s', async (_, key) => {
    await send(quote, '{}', { 'x-api-key': key })
    await send(quote, '{}', { authorization: `Bearer ${clientKey}` })
    expect(keys()).toEqual([ownKey, ownKey])
  })

  test('is not in answers, logs, metrics or the database', async () => {
    const key = 'key-of-a-partner-with-"quotes"'
    answers.set(quote, ({ headers }, res) =>
      json(res, 403, { errorType: 'Forbidden', description: `the key ${headers['x-api-key']} is unknown` }),
    )
    const headers = { 'x-api-key': key, 'idempotency-key': 'once' }
    const answer = await send(quote, '{}', headers)
    expect(answer.text).toBe('{"errorType":"Forbidden","description":"the key [redacted] is unknown"}')
    expect((await send(quote, '{}', headers)).text).toBe(answer.text)
    expect(keys()).toEqual([key])
    const metrics = await (await fetch(`${follower.metricsUrl}/metrics`)).text()
    expect(`${metrics}${logged.join('\n')}`).not.toContain('key-of-a-partner')
    expect(logged.length).toBeGreaterThan(0)
    const rows = await sql(database.db).$queryRaw<{ text: string }[]>`
      SELECT query_to_xml('SELECT * FROM idempotency_keys', true, true, '')::text AS text`
    expect(rows[0]?.text).toContain('<row')
    expect(rows[0]?.text).not.toContain('key-of-a-partner')
  })

  test('is not in answers, if it is the own one', async () => {
    const owner = `0x${'21'.repeat(20)}`
    const fault = { errorType: 'Forbidden', description: `the key ${ownKey} is suspended` }
    answers.set(`GET /api/v1/users/${owner}/total_surplus`, (_, res) => json(res, 403, fault))
    const answer = await fetch(`${base}/api/v1/users/${owner}/total_surplus`)
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { errorType: 'Forbidden', description: 'the key [redacted] is suspended' },
    ])
  })

  test('is paused alone by a 429', async () => {
    answers.set(quote, ({ headers }, res) =>
      headers['x-api-key'] === 'key-of-a-partner-0002'
        ? json(res, 429, { errorType: 'RateLimited', description: 'slowly' }, { 'retry-after': '60' })
        : json(res, 400, { errorType: 'NoLiquidity', description: 'none' }),
    )
    const limited = { 'x-api-key': 'key-of-a-partner-0002' }
    expect(await send(quote, '{}', limited)).toMatchObject({ status: 429, retryAfter: '60' })
    expect(await send(quote, '{}', limited)).toMatchObject({ status: 429, retryAfter: '60' })
    expect((await send(quote, '{}', { 'x-api-key': clientKey })).status).toBe(400)
    expect((await send(quote, '{}')).status).toBe(400)
    expect(keys()).toEqual(['key-of-a-partner-0002', clientKey, ownKey])
  })

  test('is not passed on where the operator does not allow it', async () => {
    const second = await createTestDatabase()
    const orderBook = { url: urlOf(server), callsPerMinute: 1_000 }
    const networks = [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }]
    const program = await startProgram({ database: second, chain }, unlimited, { networks })
    try {
      const headers = { 'content-type': 'application/json', 'x-api-key': clientKey }
      await fetch(`${program.url}/sepolia/api/v1/quote`, { method: 'POST', body: '{}', headers })
      expect(keys()).toEqual([undefined])
    } finally {
      await program.close()
      await second[Symbol.asyncDispose]()
    }
  })
})

test('one client causes a tenth of the quotes, and has a budget of its own with its key', async () => {
  const second = await createTestDatabase()
  const budgets = { callsPerMinute: 100_000, quotesPerSecond: 2, forwardKeys: true }
  const orderBook = { url: urlOf(server), ...budgets }
  const networks = [{ network: chain.market.network, rpcUrl: chain.rpcUrl, orderBook }]
  const program = await startProgram({ database: second, chain }, unlimited, { networks })
  const quote = async (key?: string) => {
    const headers = { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) }
    const body = { method: 'POST', body: '{}', headers }
    return (await fetch(`${program.url}/sepolia/api/v1/quote`, body)).status
  }
  try {
    answers.set('POST /api/v1/quote', (_, res) =>
      json(res, 400, { errorType: 'NoLiquidity', description: '' }),
    )
    const statuses = []
    while (statuses.length < 10 && statuses.at(-1) !== 429) statuses.push(await quote())
    // A tenth of 120 quotes a minute, of which half may come at once.
    expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(6)
    expect(statuses.indexOf(429)).toBeLessThanOrEqual(8)
    expect(await quote(clientKey)).toBe(400)
    // With many keys it has no more than with one.
    const keyed = await Promise.all(Array.from({ length: 80 }, (_, index) => quote(`${clientKey}-${index}`)))
    expect(keyed.filter((status) => status === 400).length).toBeLessThanOrEqual(62)
    expect(keyed).toContain(429)
  } finally {
    await program.close()
    await second[Symbol.asyncDispose]()
  }
})

describe('an order', () => {
  const placing = 'POST /api/v1/orders'
  let amount = 10n ** 16n
  const sign = () => trader.sign({ sell: 'WETH', buy: 'USDC', sellAmount: ++amount, buyAmount: 10n ** 15n })
  /** An order as the order book has it. */
  async function placed() {
    const { from, appData, appDataHash, ...order } = await sign()
    const body = { ...order, from, appData, appDataHash, fullBalanceCheck: 'whatever', feeAmount: '0x0' }
    const text = JSON.stringify(body)
    const uid = readPlaced(Buffer.from(text), chain.market.network)?.uid ?? expect.fail()
    const shown = { ...order, uid, owner: from, appData: appDataHash, fullAppData: appData, status: 'open' }
    answers.set(`GET /api/v1/orders/${uid}`, (_, res) =>
      json(res, 200, { ...shown, class: 'limit', creationDate: new Date().toISOString() }),
    )
    return { uid, text }
  }
  const sent = () => calls.filter(({ call }) => call === placing)

  test.each([
    ['lost', (res: ServerResponse) => res.destroy()],
    ['HTML', (res: ServerResponse) => res.writeHead(502).end('<html>')],
    [
      'a fault',
      (res: ServerResponse) => json(res, 500, { errorType: 'InternalServerError', description: '' }),
    ],
    ['a success without a UID', (res: ServerResponse) => json(res, 201, { moon: 1 })],
  ])('whose answer is %s is found by its UID, though this service would refuse it', async (_, answer) => {
    const { uid, text } = await placed()
    answers.set(placing, (_call, res) => answer(res))
    expect(await send(placing, text)).toMatchObject({ status: 201, text: JSON.stringify(uid) })
    expect(sent()).toHaveLength(1)
    const query = `{ order(uid: "${uid}") { uid status } }`
    expect((await graphql(follower.url ?? '', query)).order).toEqual({ uid, status: 'OPEN' })
  })

  test('whose answer is lost, and that is not found, is named in the error', async () => {
    const { uid, text } = await placed()
    answers.clear()
    answers.set(placing, (_, res) => res.destroy())
    const answer = await send(placing, text)
    expect(answer.status).toBe(503)
    expect(JSON.parse(answer.text)).toMatchObject({ errorType: 'Unavailable', data: { uid } })
    expect(sent()).toHaveLength(1)
    expect(calls.filter(({ call }) => call === `GET /api/v1/orders/${uid}`)).toHaveLength(2)
  })

  test('with an Idempotency-Key is sent once, and looked up after an attempt that got no answer', async () => {
    const { uid, text } = await placed()
    const found = answers.get(`GET /api/v1/orders/${uid}`) ?? expect.fail()
    answers.clear()
    answers.set(placing, (_, res) => res.destroy())
    const headers = { 'idempotency-key': 'an-order' }
    expect((await send(placing, text, headers)).status).toBe(503)
    answers.set(`GET /api/v1/orders/${uid}`, found)
    const second = await send(placing, text, headers)
    expect(second).toMatchObject({ status: 201, text: JSON.stringify(uid) })
    expect(await send(placing, text, headers)).toEqual(second)
    expect(sent()).toHaveLength(1)
  })
})

test.each(['POST', 'GraphQL'])('a document that is accepted is stored here: %s', async (way) => {
  const document = `{"appCode":"passed on by ${way}"}`
  const path = `PUT /api/v1/app_data/${keccakText(document)}`
  answers.set(path, (_, res) => json(res, 201, keccakText(document)))
  if (way === 'GraphQL') {
    const query = 'mutation ($input: UploadAppDataInput!) { uploadAppData(input: $input) { hash created } }'
    const { uploadAppData } = await graphql(follower.url ?? '', query, { input: { document } })
    expect(uploadAppData).toEqual({ hash: keccakText(document), created: true })
  } else expect((await send(path, JSON.stringify({ fullAppData: document }))).status).toBe(201)
  expect(await findAppData(database.db, keccakText(document))).toBe(document)
  expect(calls.map(({ call }) => call)).toEqual([path])
})

describe('a stream of quotes', () => {
  const weth = () => chain.market.tokens.WETH.address
  const usdc = () => chain.market.tokens.USDC.address
  const body = () => ({
    kind: 'sell',
    sellAmountBeforeFee: '1000',
    from: trader.address,
    appData: '{}',
    sellToken: weth(),
    buyToken: usdc(),
  })
  const quoted = (buyAmount: string, id: number) => ({
    quote: {
      sellToken: weth(),
      buyToken: usdc(),
      sellAmount: '990',
      feeAmount: '10',
      buyAmount,
      validTo: 4_000_000_000,
      gasAmount: '1',
      gasPrice: '2.5',
      sellTokenPrice: '1.25E-9',
    },
    expiration: new Date(Date.now() + 60_000).toISOString(),
    id,
    verified: true,
  })
  const quoting = () => calls.filter(({ call }) => call === 'POST /api/v1/quote').length

  test('has another quote when the price moves, and ends with its reader', async () => {
    let price = 500
    answers.set('POST /api/v1/quote', (_, res) => json(res, 200, quoted(String(price), quoting())))
    const leaving = new AbortController()
    const response = await fetch(`${base}/api/v1/quote/stream`, {
      method: 'POST',
      body: JSON.stringify(body()),
      signal: leaving.signal,
      headers: { 'content-type': 'application/json' },
    })
    const events = Readable.fromWeb(response.body as ReadableStream)
      .setEncoding('utf8')
      [Symbol.asyncIterator]()
    const next = async () => {
      for (;;) {
        const [, event] = /data: (.*)/.exec(String((await events.next()).value)) ?? []
        if (event) return JSON.parse(event)
      }
    }
    expect(await next()).toMatchObject({ quote: { buyAmount: '500' }, id: 1 })
    await eventually('the same price is quoted again', async () => quoting() >= 3)
    // A refusal for the moment ends nothing.
    answers.set('POST /api/v1/quote', (_, res) => json(res, 429, {}, { 'retry-after': '1' }))
    const before = quoting()
    await eventually('it is refused', async () => quoting() > before)
    price = 510
    answers.set('POST /api/v1/quote', (_, res) => json(res, 200, quoted(String(price), 77)))
    expect(await next()).toMatchObject({ quote: { buyAmount: '510' }, id: 77 })
    leaving.abort()
    await events.return?.().catch(() => undefined)
    let seen = quoting()
    await eventually('no quote follows within two blocks', async () => {
      await pause(2_500)
      const quiet = quoting() === seen
      seen = quoting()
      return quiet
    })
  })

  test('ends with the refusal of a later quote', async () => {
    answers.set('POST /api/v1/quote', (_, res) =>
      quoting() === 1
        ? json(res, 200, quoted('500', 1))
        : json(res, 404, { errorType: 'NoLiquidity', description: 'none any more' }),
    )
    const { status, text } = await send('POST /api/v1/quote/stream', JSON.stringify(body()))
    expect(status).toBe(200)
    expect(text).toMatch(/data: .*"buyAmount":"500"/)
    expect(text).toContain('event: error\ndata: {"errorType":"NoLiquidity","description":"none any more"}')
  })
})

describe('the surplus of an account', () => {
  const surplus = (owner: string) => `/api/v1/users/${owner}/total_surplus`
  const readSurplus = async (owner: string, fields = 'totalSurplus') => {
    const query = `{ account(address: "${owner}") { ${fields} } }`
    const { body } = await request(`${follower.url}/graphql`, 'POST', { query })
    return body.errors ? body.errors[0].extensions.code : body.data.account
  }

  test.each([
    ['alone', 'totalSurplus', {}],
    ['beside stored fields', 'address totalSurplus(network: "sepolia")', { address: `0x${'31'.repeat(20)}` }],
  ])('is the one that the order book says: %s', async (_, fields, others) => {
    const owner = `0x${'31'.repeat(20)}`
    answers.set(`GET ${surplus(owner)}`, (_call, res) => json(res, 200, { totalSurplus: '123456789' }))
    expect(await readSurplus(owner, fields)).toEqual({ ...others, totalSurplus: '123456789' })
    expect(await (await fetch(`${base}${surplus(owner)}`)).json()).toEqual({ totalSurplus: '123456789' })
  })

  test('is that of an object by its id', async () => {
    const owner = `0x${'32'.repeat(20)}`
    answers.set(`GET ${surplus(owner)}`, (_, res) => json(res, 200, { totalSurplus: '7' }))
    const { id } = await readSurplus(owner, 'id')
    const query = `{ node(id: "${id}") { ... on Account { totalSurplus } } }`
    expect((await graphql(follower.url ?? '', query)).node).toEqual({ totalSurplus: '7' })
  })

  test.each([
    ['a fault', (res: ServerResponse) => json(res, 500, {})],
    ['a lost answer', (res: ServerResponse) => res.destroy()],
    ['no number', (res: ServerResponse) => json(res, 200, { totalSurplus: 'moon' })],
  ])('is no number while the order book has none: %s', async (_, answer) => {
    const owner = `0x${'33'.repeat(20)}`
    answers.set(`GET ${surplus(owner)}`, (_call, res) => void answer(res))
    expect(await readSurplus(owner)).toBe('Unavailable')
  })
})

describe('the native prices of the order book', () => {
  const weth = () => chain.market.tokens.WETH.address
  let token: string
  let tokens = 0
  beforeEach(() => {
    token = `0x${String(++tokens).padStart(40, '7')}`
  })
  const priceCall = () => `GET /api/v1/token/${token}/native_price`
  const priced = (price: number) => answers.set(priceCall(), (_, res) => json(res, 200, { price }))
  const priceCalls = () => calls.filter(({ call }) => call.endsWith('/native_price')).length
  const nativePrice = async () => {
    const query = `{ tokens(network: "sepolia", addresses: ["${token}"]) { nativePrice } }`
    const { body } = await request(`${follower.url}/graphql`, 'POST', { query })
    return body.errors ? body.errors[0].extensions.code : body.data.tokens[0].nativePrice
  }

  async function quoted(buyAmount: string) {
    answers.set('POST /api/v1/quote', (_, res) =>
      json(res, 200, {
        quote: { sellAmount: '1000000', buyAmount, feeAmount: '0', validTo: 4_000_000_000 },
        expiration: new Date(Date.now() + 60_000).toISOString(),
        id: 1,
        verified: true,
      }),
    )
    const query = `mutation ($input: QuoteInput!) {
      quote(input: $input) { priceImpact { share isNotable needsAcceptance } warnings { code } }
    }`
    const input = {
      from: trader.address,
      sellToken: weth(),
      buyToken: token,
      amount: { sellBeforeFee: '1000000' },
    }
    const { priceImpact, warnings } = (await graphql(follower.url ?? '', query, { input })).quote
    return { priceImpact, codes: warnings.map(({ code }: { code: string }) => code) }
  }

  test('say what a quote loses, and that the trader has to accept it', async () => {
    priced(0.25)
    const half = await quoted('2000000')
    expect(half.priceImpact).toEqual({ share: '0.5', isNotable: true, needsAcceptance: true })
    expect(half.codes).toContain('PRICE_IMPACT')
    expect(half.codes).not.toContain('PRICE_UNKNOWN')
    const fair = await quoted('3990000')
    expect(fair.priceImpact).toEqual({ share: '0.0025', isNotable: false, needsAcceptance: false })
    expect(fair.codes).not.toContain('PRICE_IMPACT')
    // The coin needs no call, and a price serves for a while.
    expect(priceCalls()).toBe(1)
  })

  test('leave the loss unknown without a price', async () => {
    const unknown = await quoted('2000000')
    expect(unknown.priceImpact).toBeNull()
    expect(unknown.codes).toContain('PRICE_UNKNOWN')
  })

  test.each([0.1, 333333333.3333333, 1.5e-12])('are those of tokens: %d', async (price) => {
    priced(price)
    expect(Number(await nativePrice())).toBe(price)
    expect(await (await fetch(`${base}/api/v1/token/${token}/native_price`)).json()).toEqual({ price })
  })

  test.each([
    ['an unknown token', 404, { errorType: 'NoLiquidity', description: 'no route' }, null, 1],
    ['a token without a market', 400, { errorType: 'NoLiquidity', description: 'no route' }, null, 1],
    ['a price of nothing', 200, { price: 0 }, null, 1],
    ['a denied token', 400, { errorType: 'UnsupportedToken', description: 'no' }, 'UnsupportedToken', 2],
    ['a fault', 500, { errorType: 'InternalServerError', description: '' }, 'Unavailable', 2],
    ['another body', 200, { moon: 1 }, 'Unavailable', 2],
    ['a negative price', 200, { price: -1 }, 'Unavailable', 2],
  ])('are absent or unavailable: %s', async (_, status, body, expected, asked) => {
    answers.set(priceCall(), (_call, res) => json(res, status, body))
    for (let time = 0; time < 2; time++) expect(await nativePrice()).toBe(expected)
    expect(priceCalls()).toBe(asked)
  })

  test('are unavailable while it does not answer, and serve later what it says late', async () => {
    answers.set(priceCall(), (_, res) => void setTimeout(() => json(res, 200, { price: 3 }), 2_500))
    expect(await nativePrice()).toBe('Unavailable')
    await eventually('it has answered', async () => (await nativePrice()) === '3')
    expect(priceCalls()).toBe(1)
  })

  test('are one for the coin', async () => {
    priced(0.5)
    const query = `{ tokens(network: "sepolia", addresses: ["${weth()}", "${token}"]) { nativePrice } }`
    const { tokens } = await graphql(follower.url ?? '', query)
    expect(tokens).toEqual([{ nativePrice: '1' }, { nativePrice: '0.5' }])
  })
})

describe('before an order is sent', () => {
  const order = async () => {
    const signed = await trader.sign({ sell: 'WETH', buy: 'USDC', sellAmount: 1_000n, buyAmount: 900n })
    const enums = {
      kind: 'SELL',
      signingScheme: 'EIP712',
      sellTokenBalance: 'ERC20',
      buyTokenBalance: 'ERC20',
    }
    return { ...signed, ...enums }
  }
  const explain = async () => {
    const query = `query ($input: ExplainOrderInput!) {
      explainOrder(input: $input) {
        code evidence { ... on PriceEvidence { best { sellAmount buyAmount } gapPercent } }
        further { code }
      }
    }`
    return (await graphql(follower.url ?? '', query, { input: await order() })).explainOrder
  }
  const quote = (buyAmount: string) => ({
    quote: { sellAmount: '1000', buyAmount, feeAmount: '0', validTo: 4_000_000_000, sellTokenPrice: '1' },
    expiration: new Date(Date.now() + 60_000).toISOString(),
    id: 1,
    verified: true,
  })
  const quoting = 'POST /api/v1/quote'

  test('explainOrder compares its limit with a quote of the order book', async () => {
    answers.set(quoting, (_, res) => json(res, 200, quote('450')))
    const far = await explain()
    expect(JSON.parse(calls[0]?.body.toString() ?? '')).toMatchObject({
      kind: 'sell',
      sellAmountAfterFee: '1000',
    })
    expect([far.code, ...far.further.map(({ code }: { code: string }) => code)]).toContain(
      'PRICE_OUT_OF_REACH',
    )
    answers.set(quoting, (_, res) => json(res, 200, quote('2000')))
    const near = await explain()
    expect([near.code, ...near.further.map(({ code }: { code: string }) => code)]).not.toContain(
      'PRICE_OUT_OF_REACH',
    )
    answers.set(quoting, (_, res) => json(res, 404, { errorType: 'NoLiquidity', description: 'none' }))
    const none = await explain()
    expect([none.code, ...none.further.map(({ code }: { code: string }) => code)]).toContain('NO_LIQUIDITY')
    answers.set(quoting, (_, res) => res.destroy())
    const away = await explain()
    expect([away.code, ...away.further.map(({ code }: { code: string }) => code)]).toContain('MARKET_UNKNOWN')
  })

  test('explainSignature names what is wrong', async () => {
    const query = 'query ($order: OrderInput!) { explainSignature(order: $order) { valid recoveredSigner } }'
    const valid = await graphql(follower.url ?? '', query, { order: await order() })
    expect(valid.explainSignature.recoveredSigner).toBe(trader.address.toLowerCase())
    const changed = await graphql(follower.url ?? '', query, {
      order: { ...(await order()), buyAmount: '1' },
    })
    expect(changed.explainSignature.recoveredSigner).not.toBe(trader.address.toLowerCase())
    expect(calls).toEqual([])
  })
})

test.each(['/orders/../status', '/orders/%2e%2e/status', '/orders/.'])(
  'a path that leads elsewhere is refused: %s',
  async (path) => {
    const { hostname, port } = new URL(follower.url ?? '')
    const method = path.endsWith('status') ? 'GET' : 'DELETE'
    const sent = sendRaw({ hostname, port, path: `/sepolia/api/v1${path}`, method })
    const [answer] = (await once(sent.end('{}'), 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBeGreaterThanOrEqual(400)
    expect(calls).toEqual([])
  },
)
