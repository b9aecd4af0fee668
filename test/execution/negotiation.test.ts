import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numbered } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { ask } from '../http/client.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'
import { openEvents } from '../sse/events.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const json = 'application/json; charset=utf-8'
const graph = 'application/graphql-response+json; charset=utf-8'
const html = 'text/html; charset=utf-8'
const events = 'text/event-stream; charset=utf-8'

/** The response to POST, compiled or executed, and to GET where that differs. */
const cases: [accept: string | undefined, post: string | 406, get?: string | 406][] = [
  [undefined, json],
  ['', json],
  [' , ', json],
  ['*/*', json],
  ['application/*', json],
  ['application/json', json],
  ['Application/JSON; charset=utf-8', json],
  ['application/graphql-response+json', graph],
  ['APPLICATION/GraphQL-Response+JSON', graph],
  ['application/json, application/graphql-response+json', json],
  ['application/graphql-response+json, application/json', graph],
  ['application/graphql-response+json, application/json;q=0.9', graph],
  ['application/graphql-response+json;q=0.9, application/json', json],
  ['application/graphql-response+json;q=0, application/json;q=0.1', json],
  ['application/graphql-response+json; Q=0, */*', json],
  ['application/json;q=0, */*', graph],
  ['application/json;q=0, application/*;q=0.5', graph],
  ['application/json, */*', json],
  ['application/graphql-response+json, */*', graph],
  ['image/png, */*;q=0.1', json],
  ['text/event-stream, application/json', json],
  ['text/event-stream, application/graphql-response+json', graph],
  ['text/event-stream', events],
  ['text/event-stream, application/json;q=0', events],
  ['text/event-stream;q=0', 406],
  ['*/*;q=0', 406],
  ['application/json;q=0', 406],
  ['application/*;q=0, text/*', events, html],
  ['application/json;q=nonsense', 406],
  ['image/png', 406],
  ['text/html', 406, html],
  ['text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8', json, html],
  ['TEXT/HTML, application/json', json, html],
  ['text/html;q=0.5, application/json', json],
  ['text/html;q=0, application/json', json],
  ['text/html, application/graphql-response+json;q=0.9', graph, html],
]

const compiled = `{ order(uid: "0x${'12'.repeat(56)}") { uid } }`
const executed = '{ version }'

describe.each(cases)('Accept: %o', (accept, post, get = post) => {
  const headers = accept === undefined ? {} : { accept }

  test('has the same response, compiled and executed', async () => {
    for (const query of [compiled, executed]) {
      const body = JSON.stringify({ query })
      const how = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
      const answer = await ask(`${server.url}/graphql`, how)
      expect(answer.headers.vary).toBe('Accept-Encoding, Accept')
      expect(answer.status).toBe(post === 406 ? 406 : 200)
      expect(answer.headers['content-type']).toBe(post === 406 ? json : post)
    }
  })

  test('works over GET and HEAD too, where there is a page', async () => {
    for (const method of ['GET', 'HEAD']) {
      const path = `${server.url}/graphql?query=${encodeURIComponent(executed)}`
      const answer = await ask(path, { method, headers })
      // There is no stream without its events.
      const type = get === events && method === 'HEAD' ? 406 : get
      expect([method, answer.status]).toEqual([method, type === 406 ? 406 : 200])
      expect(answer.headers['content-type']).toBe(type === 406 ? json : type)
      expect(answer.headers.vary).toBe('Accept-Encoding, Accept')
    }
  })
})

test('a client that accepts no JSON gets a query as a stream of one event', async () => {
  for (const accept of ['text/event-stream', 'Text/Event-Stream;q=0.5, application/json;q=0']) {
    const path = `${server.url}/graphql?query=${encodeURIComponent(executed)}`
    const { status, bytes } = await ask(path, { headers: { accept } })
    expect(status).toBe(200)
    expect(bytes.toString()).toMatch(/^event: next\ndata: \{"data":\{"version":"test-build"\}/m)
  }
})

test('a subscription over a wildcard is referred to the type to name', async () => {
  const query = `subscription { notifications(account: "${numbered('0f')}") { cursor } }`
  for (const accept of ['*/*', 'application/json', 'text/event-stream;q=0, */*']) {
    const path = `${server.url}/graphql?query=${encodeURIComponent(query)}`
    const { status, bytes } = await ask(path, { headers: { accept } })
    expect([status, JSON.parse(bytes.toString()).errors[0].message]).toEqual([
      406,
      'subscriptions are event streams: send Accept: text/event-stream, here or to /graphql/stream',
    ])
  }
})

describe('refusals depend on Accept as well', () => {
  const type = { 'content-type': 'application/json' }
  const hash = { persistedQuery: { version: 1, sha256Hash: '00'.repeat(32) } }
  test.each([
    [405, 'PUT', type, '{}'],
    [413, 'POST', type, ' '.repeat(262_145)],
    [415, 'POST', {}, '{}'],
    [400, 'POST', type, '{'],
    [200, 'POST', type, JSON.stringify({ extensions: hash })],
    [
      406,
      'POST',
      type,
      JSON.stringify({ query: `subscription { notifications(account: "${numbered('0f')}") { cursor } }` }),
    ],
  ])('%i', async (status, method, headers, body) => {
    const answer = await ask(`${server.url}/graphql`, { method, headers, body })
    expect([answer.status, answer.headers.vary]).toEqual([status, 'Accept-Encoding, Accept'])
  })

  test('429', async () => {
    await using limited = await openTestServer({}, { rateLimits: { reads: 1, quotes: 1, orders: 1 } })
    let answer = await ask(`${limited.url}/graphql`)
    while (answer.status !== 429) answer = await ask(`${limited.url}/graphql`)
    expect(answer.headers.vary).toBe('Accept-Encoding, Accept')
    // The same whole seconds as in the header.
    const { message, extensions } = JSON.parse(answer.bytes.toString()).errors[0]
    expect(message).toBe(`over 1 cost units a second: wait ${answer.headers['retry-after']} s`)
    expect(extensions.data.retryAfterMs).toBeGreaterThan(0)
  })
})

describe('mutations over GET', () => {
  const query = encodeURIComponent('mutation { uploadAppData(input: { document: "{}" }) { created } }')
  test('are refused with a hint to use POST', async () => {
    const answer = await ask(`${server.url}/graphql?query=${query}`)
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
    expect(JSON.parse(answer.bytes.toString()).errors[0].extensions.code).toBe('MethodNotAllowed')
    const named = encodeURIComponent(
      'query A { version } mutation B { uploadAppData(input: { document: "{}" }) { created } }',
    )
    const statuses = ['A', 'B'].map(
      async (name) => (await ask(`${server.url}/graphql?query=${named}&operationName=${name}`)).status,
    )
    expect(await Promise.all(statuses)).toEqual([200, 405])
  })

  test('are refused at the stream path too', async () => {
    const headers = { accept: 'text/event-stream' }
    const answer = await ask(`${server.url}/graphql/stream?query=${query}`, { headers })
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
    expect(JSON.parse(answer.bytes.toString()).errors[0].extensions).toEqual({
      code: 'MethodNotAllowed',
      retryable: false,
    })
  })
})

test('CORS allows every request header in use, and exposes every response header', async () => {
  const named = async (method: string, header: string) =>
    String((await ask(`${server.url}/health/live`, { method })).headers[header]).split(', ')
  expect((await named('OPTIONS', 'access-control-allow-headers')).sort()).toEqual([
    'Accept',
    'Authorization',
    'Cache-Control',
    'Content-Type',
    'Idempotency-Key',
    'If-None-Match',
    'Last-Event-ID',
    'Origin',
    'X-API-Key',
    'X-AppId',
    'X-Auth-Token',
    'X-Client-Id',
    'X-GraphQL-Event-Stream-Token',
    'X-Request-Id',
  ])
  expect((await named('GET', 'access-control-expose-headers')).sort()).toEqual([
    'Age',
    'Allow',
    'ETag',
    'Idempotent-Replayed',
    'Link',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'Warning',
    'X-Is-Complete',
    'X-Pending-Settlements',
    'X-Request-Id',
    'X-Trace-Id',
    'X-Unavailable-Tokens',
    'X-Unknown-Members',
  ])
})

describe('empty parameters count as absent', () => {
  const named = 'query Named { version }'
  const empty = (query: string) =>
    new URLSearchParams({ query, operationName: '', variables: '', extensions: '' })

  test.each([compiled, executed, named])('GET /graphql: %s', async (query) => {
    const { status, bytes } = await ask(`${server.url}/graphql?${empty(query)}`)
    const { data, errors } = JSON.parse(bytes.toString())
    expect([status, errors, data]).toEqual([
      200,
      undefined,
      query === compiled ? { order: null } : { version: 'test-build' },
    ])
  })

  test.each([compiled, executed, named])('an empty operationName of POST /graphql: %s', async (query) => {
    const { status, body } = await request(`${server.url}/graphql`, 'POST', { query, operationName: '' })
    expect([status, body.errors]).toEqual([200, undefined])
  })

  test.each(['/graphql', '/graphql/stream'])('streams at %s', async (path) => {
    const query = `subscription Named { notifications(account: "${numbered('0f')}", after: "earliest") { cursor } }`
    await storeNotification(server.database.db, numbered('0f'), 1)
    const url = `${server.url}${path}`
    for (const stream of [
      await openEvents(`${url}?${empty(query)}`),
      await openEvents(url, { body: { query, operationName: '' } }),
      await openEvents(`${url}?${empty(named)}`),
      await openEvents(url, { body: { query: named, operationName: '' } }),
    ]) {
      await using opened = stream
      const [event] = await opened.first(1)
      expect([event?.event, event?.data.errors]).toEqual(['next', undefined])
    }
  })

  test('on a stream that several operations share', async () => {
    const path = `${server.url}/graphql/stream`
    const { body: token } = await request(path, 'PUT')
    const headers = { 'x-graphql-event-stream-token': token }
    await using stream = await openEvents(path, { headers })
    const parameters = empty(named)
    parameters.set('extensions', JSON.stringify({ operationId: 'a' }))
    expect((await ask(`${path}?${parameters}`, { headers })).status).toBe(202)
    const [event] = await stream.first(1)
    expect(event?.data).toEqual({
      id: 'a',
      payload: { data: { version: 'test-build' }, extensions: expect.anything() },
    })
  })
})

describe('what is null', () => {
  const named = 'query Named { version }'
  const nulls = { operationName: null, variables: null, extensions: null }
  const search = new URLSearchParams(
    Object.entries({ query: named, ...nulls }).map(([key, value]) => [key, String(value)]),
  )

  test.each(['variables', 'extensions', 'operationName'])('%s counts as absent in a URL', async (name) => {
    const parameters = new URLSearchParams({ query: named, [name]: 'null' })
    const { status, body } = await request(`${server.url}/graphql?${parameters}`)
    expect([status, body.data]).toEqual([200, { version: 'test-build' }])
  })

  test('all counts as absent, in URLs and bodies', async () => {
    const [asked, posted] = await Promise.all([
      request(`${server.url}/graphql?${search}`),
      request(`${server.url}/graphql`, 'POST', { query: named, ...nulls }),
    ])
    for (const { status, body } of [asked, posted])
      expect([status, body.data]).toEqual([200, { version: 'test-build' }])
  })

  test('other texts than objects are refused still', async () => {
    for (const text of ['[]', '1', '"null"', 'nul', '{']) {
      const parameters = new URLSearchParams({ query: named, variables: text })
      const { body } = await request(`${server.url}/graphql?${parameters}`)
      expect(body.errors[0].extensions).toMatchObject({ code: 'InvalidQuery', field: 'variables' })
    }
  })
})
