import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type ClientOptions, createClient, type ExecutionResult } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Outage, Refusal } from '../../../src/domain/errors/error.ts'
import type { QuoteReply, QuoteRequest } from '../../../src/domain/quote/quote.ts'
import type { TradingServices } from '../../../src/graphql/context/networks.ts'
import type { ServerOptions } from '../../../src/server/server.ts'
import { graphQuoteInput } from '../../fakes/graph-input.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'
import { eventually } from '../../setup/eventually.ts'
import { openTestServer, sampleReply, type TestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

const body = {
  kind: 'sell',
  sellAmountBeforeFee: '5',
  sellToken: wrapped,
  buyToken: dollar,
  from: numbered('0f'),
  appData: '{"line":"one\\ntwo"}',
}

function reply(asked: QuoteRequest, buyAmount: bigint): QuoteReply {
  const { quote, ...rest } = sampleReply(asked)
  return { ...rest, quote: { ...quote, id: buyAmount, buyAmount } }
}

/** The quotes that are found for a request. */
type Source = (asked: QuoteRequest, signal: AbortSignal) => AsyncGenerator<QuoteReply, void>

/** A source that counts its readers. */
function createSource(source: Source) {
  const state = { open: 0, taken: 0, aborted: false, asked: [] as QuoteRequest[] }
  const quotes: TradingServices['quotes'] = async (asked, signal) => {
    state.asked.push(asked)
    signal.addEventListener('abort', () => {
      state.aborted = true
    })
    return (async function* () {
      state.open++
      try {
        for await (const each of source(asked, signal)) {
          state.taken++
          yield each
        }
      } finally {
        state.open--
      }
    })()
  }
  return { state, quotes }
}

async function* improving(asked: QuoteRequest): AsyncGenerator<QuoteReply, void> {
  for (const amount of [10n, 11n, 15n]) yield reply(asked, amount)
}

/** Finds nothing until the reader leaves, and ends only then. */
async function* quiet(_asked: QuoteRequest, signal: AbortSignal): AsyncGenerator<QuoteReply, void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

/** A hundred megabytes. */
async function* plenty(asked: QuoteRequest): AsyncGenerator<QuoteReply, void> {
  const long = { ...asked, appData: 'x'.repeat(10_000) }
  for (let amount = 1n; amount <= 10_000n; amount++) yield reply(long, amount)
}

const open = (source: Source, more: Partial<ServerOptions> = {}) => {
  const { state, quotes } = createSource(source)
  return openTestServer({ quotes }, more).then((server) => ({ server, state }))
}

const path = '/sepolia/api/v1/quote/stream'

/** A raw stream, unread. */
function begin(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      `${url}${path}`,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      resolve,
    )
    outgoing.on('error', reject).end(JSON.stringify(body))
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  response.setEncoding('utf8')
  let text = ''
  for await (const part of response) text += part
  return text
}

describe('a stream of quotes', () => {
  let server: TestServer
  let state: ReturnType<typeof createSource>['state']
  beforeAll(async () => {
    const opened = await open(improving, { rateLimits: { reads: 0, quotes: 1_000, orders: 0 } })
    server = opened.server
    state = opened.state
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test('is one line of JSON an event, each as POST quote answers, and ends', async () => {
    const response = await begin(server.url)
    const single = await request(`${server.url}/sepolia/api/v1/quote`, 'POST', body)
    const expected = [10, 11, 15].map((amount) => {
      const quote = { ...single.body.quote, buyAmount: String(amount) }
      return `data: ${JSON.stringify({ ...single.body, quote, id: amount })}\n\n`
    })
    expect(await textOf(response)).toBe(expected.join(''))
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'access-control-allow-origin': '*',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      ratelimit: expect.stringMatching(/^"quotes";r=1999;/),
    })
    expect(state.asked.at(-1)).toMatchObject({
      size: { form: 'sellAmountBeforeFee', amount: 5n },
      timeoutMs: 5_000,
    })
    await eventually('the source ends', () => state.open === 0)
  })

  test('is the same under other names of a network, and an idempotency key does not replay it', async () => {
    for (const _ of [1, 2]) {
      const response = await begin(server.url, { 'idempotency-key': 'the same' })
      expect(response.headers['idempotent-replayed']).toBeUndefined()
      expect((await textOf(response)).split('\n\n')).toHaveLength(4)
    }
    expect((await request(`${server.url}/nowhere/api/v1/quote/stream`, 'POST', body)).status).toBe(404)
  })

  test('is counted by its route and as a quote', async () => {
    await textOf(await begin(server.url))
    await eventually('it is counted', async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      return /requests_total\{method="POST",route="\/:network\/api\/v1\/quote\/stream",status="200"\}/.test(
        metrics,
      )
    })
  })

  test.each(['GET', 'HEAD', 'PUT'])('%s is not allowed', async (method) => {
    const response = await fetch(`${server.url}${path}`, { method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  test.each([
    ['a field that is no good', { ...body, sellToken: 'x' }, 400, 'InvalidParameter'],
    ['two forms of size', { ...body, sellAmountAfterFee: '5' }, 400, 'InvalidParameter'],
    ['a body that is no JSON', '{', 400, 'InvalidParameter'],
    ['a body that is too long', 'x'.repeat(20_000), 413, 'PayloadTooLarge'],
  ])('%s is an ordinary error', async (_what, sent, status, errorType) => {
    const answer = await request(`${server.url}${path}`, 'POST', sent)
    expect([answer.status, answer.body.errorType]).toEqual([status, errorType])
    expect(answer.headers.get('content-type')).toBe('application/json')
  })
})

describe('a failure before the first quote is an ordinary error', () => {
  test.each([
    [
      'a refusal',
      new Refusal('NoLiquidity', 'no way'),
      400,
      { errorType: 'NoLiquidity', description: 'no way' },
    ],
    [
      'one with data',
      new Refusal('SellAmountDoesNotCoverFee', 'too little', { data: { fee_amount: '0x7' } }),
      400,
      { errorType: 'SellAmountDoesNotCoverFee', description: 'too little', data: { fee_amount: '0x7' } },
    ],
    [
      'a node that is away',
      new Outage('the node'),
      503,
      { errorType: 'Unavailable', description: 'the node is unavailable: try again later' },
    ],
    [
      'a fault of the program',
      new Error('secret'),
      500,
      { errorType: 'InternalServerError', description: 'Internal server error' },
    ],
  ])('%s', async (_what, error, status, expected) => {
    await using server = await openTestServer({ quotes: () => Promise.reject(error) })
    const answer = await request(`${server.url}${path}`, 'POST', body)
    expect([answer.status, answer.body]).toEqual([status, expected])
    expect(server.faults).toHaveLength(status === 500 ? 1 : 0)
  })
})

describe('a failure in the stream is its last event', () => {
  test.each([
    [
      'a refusal',
      new Refusal('SellAmountDoesNotCoverFee', 'too little', { data: { fee_amount: '0x7' } }),
      '{"errorType":"SellAmountDoesNotCoverFee","description":"too little","data":{"fee_amount":"0x7"}}',
    ],
    [
      'a fault of the program',
      new Error('secret'),
      '{"errorType":"InternalServerError","description":"Internal server error"}',
    ],
  ])('%s', async (_what, error, expected) => {
    // biome-ignore lint/correctness/useYield: fails before the first quote
    const { server, state } = await open(async function* () {
      throw error
    })
    await using _ = server
    const response = await begin(server.url)
    expect([response.statusCode, await textOf(response)]).toEqual([
      200,
      `event: error\ndata: ${expected}\n\n`,
    ])
    expect(state.open).toBe(0)
  })
})

describe('a reader', () => {
  test('that leaves ends its source', async () => {
    const { server, state } = await open(quiet)
    await using _ = server
    const response = await begin(server.url)
    expect(state).toMatchObject({ open: 1, aborted: false })
    response.destroy()
    await eventually('the source ends', () => state.open === 0)
    expect(state.aborted).toBe(true)
  })

  test('that leaves does not wait for a source that ignores the abort', async () => {
    let wake = () => {}
    const { server, state } = await open(
      async function* () {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      },
      { streamLimits: { perClient: 1 } },
    )
    await using _ = server
    const response = await begin(server.url)
    response.destroy()
    const again = await eventually('its place is free', async () => {
      const next = await begin(server.url)
      return next.statusCode === 200 && next
    })
    expect(state.open).toBe(2)
    again.destroy()
    wake()
  })

  test('that stops reading ends its source, and is cut off after the limit', async () => {
    const { server, state } = await open(plenty, { streamLimits: { stalledMs: 300 } })
    await using _ = server
    const response = await begin(server.url)
    await eventually('the source ends', () => state.taken > 0 && state.open === 0)
    // Kernel buffers of both sides hold some megabytes; nothing else may.
    expect(state.taken * 10_000).toBeLessThan(20_000_000)
    response.destroy()
  })

  test('that waits gets comments that keep the connection alive', async () => {
    const { server } = await open(quiet, { streamLimits: { keepAliveMs: 5 } })
    await using _ = server
    const response = await begin(server.url)
    response.setEncoding('utf8')
    let text = ''
    response.on('data', (part) => {
      text += part
    })
    await eventually('two comments', () => text.length >= 6)
    expect(text).toMatch(/^(:\n\n)+$/)
    response.destroy()
  })

  test('of a stopping service gets an error event if there was no other event', async () => {
    const { server, state } = await open(quiet)
    const response = await begin(server.url)
    const text = textOf(response)
    await server[Symbol.asyncDispose]()
    expect(await text).toBe(
      'event: error\ndata: {"errorType":"Unavailable","description":"the service is stopping: ask again"}\n\n',
    )
    expect(state.open).toBe(0)
  })

  test('of a stopping service keeps the quotes it got', async () => {
    const { server } = await open(async function* (asked, signal) {
      yield reply(asked, 10n)
      yield* quiet(asked, signal)
    })
    const response = await begin(server.url)
    const first = await new Promise<string>((resolve) =>
      response.once('data', (part) => resolve(String(part))),
    )
    const rest = textOf(response)
    await server[Symbol.asyncDispose]()
    expect([first.slice(0, 14), await rest]).toEqual(['data: {"quote"', ''])
  })
})

describe('limits', () => {
  test('count every stream of a client, over REST and GraphQL', async () => {
    const { server, state } = await open(quiet, { streamLimits: { perClient: 1 } })
    await using _ = server
    const held = await begin(server.url)
    const refused = await begin(server.url)
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['retry-after']).toMatch(/^[2-6]$/)
    expect(JSON.parse(await textOf(refused))).toMatchObject({
      errorType: 'RateLimited',
      description: 'too many streams of this client are open',
      data: { limit: 'streams' },
    })
    expect((await fetch(`${server.url}/graphql/stream`, { method: 'PUT' })).status).toBe(429)
    expect(state.asked).toHaveLength(1)
    held.destroy()
    const again = await eventually('a place is free', async () => {
      const next = await begin(server.url)
      return next.statusCode === 200 && next
    })
    again.destroy()
  })

  test('do not count a stream that never began', async () => {
    await using server = await openTestServer(
      { quotes: () => Promise.reject(new Refusal('NoLiquidity', 'no way')) },
      { streamLimits: { perClient: 1 } },
    )
    const statuses = [await begin(server.url), await begin(server.url)].map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([400, 400])
  })

  test('count a stream as a quote, over REST and GraphQL', async () => {
    const { server } = await open(improving, { rateLimits: { reads: 0, quotes: 1, orders: 0 } })
    await using _ = server
    await textOf(await begin(server.url))
    const query = 'subscription ($input: QuoteInput!) { quotes(input: $input) { quoteId } }'
    const graphql = await fetch(`${server.url}/graphql/stream`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { input: graphQuoteInput(body) } }),
    })
    expect([graphql.status, graphql.headers.get('ratelimit')]).toEqual([200, '"quotes";r=0;t=2'])
    await graphql.text()
    expect((await begin(server.url)).statusCode).toBe(429)
  })
})

describe.each([
  ['a connection for each operation', false],
  ['one connection for all', true],
])('the subscription with %s', (_mode, singleConnection) => {
  /** By it an operator finds what was logged. */
  const requestId = expect.stringMatching(/^[0-9a-f-]{36}$/)
  const query = `subscription ($input: QuoteInput!) {
    quotes(input: $input) { quoteId quote { buyAmount kind } }
  }`
  const input = { ...graphQuoteInput(body), network: 'sepolia' }
  let server: TestServer
  let quotes: TradingServices['quotes']
  beforeAll(async () => {
    server = await openTestServer({ quotes: (asked, signal) => quotes(asked, signal) })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  const connect = () => {
    const options = { url: `${server.url}/graphql/stream`, retryAttempts: 0, singleConnection }
    return createClient(options as ClientOptions<boolean>)
  }

  async function follow(variables: Record<string, unknown> = { input }) {
    const client = connect()
    const results: ExecutionResult[] = []
    for await (const result of client.iterate({ query, variables })) results.push(result as ExecutionResult)
    client.dispose()
    return results
  }

  test('gives the same quotes, and completes', async () => {
    const source = createSource(improving)
    quotes = source.quotes
    expect(await follow()).toMatchObject(
      [10, 11, 15].map((id) => ({
        data: { quotes: { quoteId: id, quote: { buyAmount: String(id), kind: 'SELL' } } },
      })),
    )
    expect(source.state.open).toBe(0)
  })

  test.each([
    ['a refusal', new Refusal('NoLiquidity', 'no way'), { code: 'NoLiquidity', retryable: true }],
    ['a node that is away', new Outage('the node'), { code: 'Unavailable', retryable: true, requestId }],
    [
      'a fault of the program',
      new Error('secret'),
      { code: 'InternalServerError', retryable: true, requestId },
    ],
  ])('reports %s before the first quote and after it', async (_what, error, extensions) => {
    quotes = () => Promise.reject(error)
    const [refused, ...none] = await follow()
    expect([refused?.errors?.[0]?.extensions, refused?.data, none]).toEqual([extensions, undefined, []])
    quotes = createSource(async function* (asked) {
      yield reply(asked, 10n)
      throw error
    }).quotes
    const [first, last] = await follow()
    expect([first?.data, last?.errors?.[0]?.extensions]).toEqual([
      { quotes: { quoteId: 10, quote: { buyAmount: '10', kind: 'SELL' } } },
      extensions,
    ])
  })

  test('names the field at fault', async () => {
    const [result] = await follow({ input: { ...input, amount: { sellBeforeFee: '5', sellAfterFee: '5' } } })
    expect(result?.errors?.[0]?.extensions).toEqual({
      code: 'InvalidParameter',
      retryable: false,
      field: 'amount',
    })
  })

  test('ends its source when the reader leaves', async () => {
    const { state, quotes: source } = createSource(quiet)
    quotes = source
    const client = connect()
    const results = client.iterate({ query, variables: { input } })
    void results.next()
    await eventually('the source opens', () => state.open === 1)
    await results.return?.()
    await eventually('the source ends', () => state.open === 0)
    expect(state.aborted).toBe(true)
    client.dispose()
  })
})
