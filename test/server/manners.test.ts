import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Family, familyOf } from '../../src/rest/errors.ts'
import { accountRoutes, orderBookRoutes } from '../../src/rest/routes.ts'
import type { AnyRoute } from '../../src/rest/routing/endpoint.ts'
import { numbered } from '../fakes/order.ts'
import { ask, type Exchange } from '../http/client.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await openTestServer({}, { isEditor: () => true })
})
afterAll(() => server[Symbol.asyncDispose]())

type Envelope = Family | 'graphql'

interface Place {
  path: string
  methods: string[]
  envelope: Envelope
  /** Keyed by method. */
  bodies: Partial<Record<string, { maxBytes: number; anyContentType: boolean }>>
  /** Methods that change something and have no body. */
  bodiless?: string[]
}

/** Every path of the route tables, with values for its parameters. */
function placesOf(routes: readonly AnyRoute[], family: Family): Place[] {
  const places = new Map<string, Place>()
  for (const { on, maxBytes = 16_384, anyContentType = false, hasNoBody } of routes) {
    const [method = '', pattern = ''] = on.split(' ')
    const path = `${family === 'orderBook' ? '/sepolia' : ''}${pattern}`
      .replace(':network', 'sepolia')
      .replace(/:\w+/g, numbered('0f'))
    const place = places.get(path) ?? { path, methods: [], envelope: family, bodies: {} }
    place.methods.push(method)
    if (hasNoBody) place.bodiless = [...(place.bodiless ?? []), method]
    else if (method !== 'GET') place.bodies[method] = { maxBytes, anyContentType }
    places.set(path, place)
  }
  for (const { methods } of places.values()) {
    if (methods.includes('GET')) methods.push('HEAD')
    methods.push('OPTIONS')
  }
  return [...places.values()]
}

const readOnly = ['GET', 'HEAD', 'OPTIONS']
const bodies = { POST: { maxBytes: 262_144, anyContentType: false } }
const fixed: Place[] = [
  { path: '/graphql', methods: [...readOnly, 'POST'], envelope: 'graphql', bodies },
  {
    path: '/graphql/stream',
    methods: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    envelope: 'graphql',
    bodies,
  },
  ...[
    '/health/live',
    '/health/ready',
    '/metrics',
    '/openapi.json',
    '/schema.graphql',
    '/scalars.json',
    '/llms.txt',
    '/llms-full.txt',
    '/docs',
    '/docs/nothing',
    '/graphql/graphiql/nothing',
  ].map((path): Place => ({ path, methods: readOnly, envelope: 'orderBook', bodies: {} })),
]
const places = [...placesOf(orderBookRoutes, 'orderBook'), ...placesOf(accountRoutes, 'account'), ...fixed]
const json = { 'content-type': 'application/json' }

function expectManners({ headers }: Exchange): void {
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['access-control-allow-headers']).toMatch(/^Cache-Control\b/)
  expect(headers['x-request-id']).toMatch(/^[\w.-]{8,128}$/)
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers.vary).toMatch(/\bAccept-Encoding\b/)
  expect(headers.date).toMatch(/GMT$/)
}

function expectRefusal(answer: Exchange, status: number, envelope: Envelope, code: string): void {
  expectManners(answer)
  expect(answer.status).toBe(status)
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['access-control-expose-headers']).toMatch(/X-Request-Id.*Retry-After.*ETag/)
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
  const body = JSON.parse(answer.bytes.toString())
  if (envelope === 'account') expect(body).toEqual({ message: expect.any(String) })
  else if (envelope === 'orderBook') {
    expect(body).toMatchObject({ errorType: code, description: expect.any(String) })
    expect(Object.keys(body).filter((key) => !['errorType', 'description', 'data'].includes(key))).toEqual([])
  } else expect(body).toMatchObject({ errors: [{ message: expect.any(String), extensions: { code } }] })
}

const sorted = (list: string | undefined) => (list ?? '').split(', ').sort()

describe.each(places)('$path', ({ path, methods, envelope, bodies, bodiless = [] }) => {
  const to = (method: string, headers: Record<string, string> = {}, body?: string | Buffer) =>
    ask(`${server.url}${path}`, { method, headers, ...(body !== undefined && { body }) })
  test('OPTIONS lists the methods, and allows every origin', async () => {
    const answer = await to('OPTIONS', { origin: 'http://a.example', 'access-control-request-method': 'PUT' })
    expectManners(answer)
    expect([answer.status, answer.bytes.length]).toEqual([204, 0])
    expect(answer.headers['content-length']).toBeUndefined()
    expect(sorted(answer.headers.allow)).toEqual([...methods].sort())
    expect(sorted(answer.headers['access-control-allow-methods'])).toEqual(expect.arrayContaining(methods))
    expect(answer.headers['access-control-allow-headers']).toMatch(/Content-Type.*If-None-Match.*X-API-Key/)
    expect(answer.headers['access-control-max-age']).toBe('7200')
  })

  test('other methods get 405 with Allow', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      if (methods.includes(method)) continue
      const answer = await to(method, json)
      expect([method, answer.status, sorted(answer.headers.allow)]).toEqual([
        method,
        405,
        [...methods].sort(),
      ])
      if (method !== 'HEAD') expectRefusal(answer, 405, envelope, 'MethodNotAllowed')
    }
  })

  if (methods.includes('HEAD')) {
    test('HEAD returns what GET returns, without the body', async () => {
      for (const headers of [{}, { 'accept-encoding': 'gzip' }]) {
        const get = await to('GET', headers)
        const head = await to('HEAD', headers)
        expectManners(get)
        expect([head.status, head.bytes.length]).toEqual([get.status, 0])
        for (const name of ['content-type', 'content-encoding', 'cache-control', 'etag', 'allow'])
          expect([name, head.headers[name]]).toEqual([name, get.headers[name]])
        const { 'content-length': length } = get.headers
        // Counters differ from one response to the next.
        if (path !== '/metrics') expect(head.headers['content-length']).toBe(length)
        expect(Number(length)).toBe(get.bytes.length)
      }
    })
  }

  if (bodiless.length > 0) {
    test.each(bodiless)('%s reads no body, whatever it is', async (method) => {
      const { status } = await to(method)
      for (const body of ['{', Buffer.alloc(100_000, 'x')])
        expect((await to(method, { 'content-type': 'text/plain' }, body)).status).toBe(status)
      expect([200, 201, 400]).toContain(status)
    })
  }

  describe.each(Object.entries(bodies))('%s', (method, body) => {
    const { maxBytes = 0, anyContentType = false } = body ?? {}
    test('a body that is too large gets 413, with or without a declared length', async () => {
      const body = Buffer.alloc(maxBytes + 1, ' ')
      expectRefusal(await to(method, json, body), 413, envelope, 'PayloadTooLarge')
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: json,
        body: new Blob([body]).stream(),
        duplex: 'half',
      } as RequestInit)
      expect(response.status).toBe(413)
      const fits = await to(method, json, Buffer.alloc(maxBytes, ' '))
      expect(fits.bytes.toString()).not.toContain(`over ${maxBytes} bytes`)
    })

    test('a content type other than JSON in UTF-8 gets 415', async () => {
      const types = ['', 'text/plain', 'application/jsonp', 'application/json; charset=latin1']
      for (const type of types) {
        const answer = await to(method, type === '' ? {} : { 'content-type': type }, '{}')
        if (anyContentType) expect(answer.status).toBe(400)
        else {
          expectRefusal(answer, 415, envelope, 'UnsupportedMediaType')
          // Accept-Encoding belongs to encodings; here the type is wrong.
          expect(answer.headers['accept-encoding']).toBeUndefined()
        }
      }
      for (const type of ['application/json; charset=utf-8', 'application/json;charset="UTF-8"'])
        expect((await to(method, { 'content-type': type }, '{}')).status).not.toBe(415)
    })

    test('a compressed body gets 415 with Accept-Encoding', async () => {
      for (const coding of ['gzip', 'br', 'gzip, identity', 'x']) {
        const answer = await to(method, { ...json, 'content-encoding': coding }, '{}')
        expectRefusal(answer, 415, envelope, 'UnsupportedMediaType')
        expect(answer.headers['accept-encoding']).toBe('identity')
      }
      expect((await to(method, { ...json, 'content-encoding': 'identity' }, '{}')).status).not.toBe(415)
    })

    test('a body that is not UTF-8 gets 400, and a byte order mark is ignored', async () => {
      const broken = await to(method, json, Buffer.from('{"a": "\xff"}', 'latin1'))
      expectRefusal(broken, 400, envelope, 'InvalidParameter')
      expect(broken.bytes.toString()).toContain('not UTF-8')
      const marked = await to(method, json, '\uFEFF{}')
      const plain = await to(method, json, '{}')
      expect([marked.status, marked.bytes.toString()]).toEqual([plain.status, plain.bytes.toString()])
    })
  })
})

describe('an unknown path gets 404', () => {
  test.each([
    '/',
    '/nothing',
    '/sepolia/api/v1/nothing',
    '/accounts/0x12',
    '/graphql/',
    '/docsx',
    '//graphql',
  ])('%s', async (path) => {
    for (const method of ['GET', 'POST', 'TRACE']) {
      const answer = await ask(`${server.url}${path}`, { method })
      expectRefusal(answer, 404, familyOf(path), 'NotFound')
      expect(answer.headers.allow).toBeUndefined()
    }
    // The preflight succeeds, so that a page of another origin can read the 404.
    const preflight = await ask(`${server.url}${path}`, { method: 'OPTIONS' })
    expectManners(preflight)
    expect([preflight.status, preflight.headers.allow]).toEqual([204, undefined])
  })
})

test('the page of an account is the same with a slash at its end', async () => {
  const path = `/accounts/${numbered('77')}`
  const { status, headers } = await ask(`${server.url}${path}/`)
  expect([status, new URL(headers.location ?? '', `${server.url}${path}/`).pathname]).toEqual([308, path])
})

describe('X-Request-Id', () => {
  const idOf = async (id: string) =>
    (await ask(`${server.url}/health/live`, { headers: { 'x-request-id': id } })).headers['x-request-id']

  test('is taken from the client if it is valid, else generated', async () => {
    for (const id of ['12345678', 'a.b_c-D9'.repeat(16)]) expect(await idOf(id)).toBe(id)
    for (const id of ['1234567', 'a'.repeat(129), 'with space', 'ü2345678', 'x'.repeat(8).concat(';')])
      expect(await idOf(id)).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is in the log of an internal error', async () => {
    await using failing = await openTestServer({ quote: () => Promise.reject(new Error('broken')) })
    const quote = {
      kind: 'sell',
      sellAmountBeforeFee: '5',
      sellToken: numbered('aa'),
      buyToken: numbered('bb'),
      from: numbered('0f'),
    }
    const answer = await ask(`${failing.url}/sepolia/api/v1/quote`, {
      method: 'POST',
      headers: { ...json, 'x-request-id': 'trace-0001' },
      body: JSON.stringify(quote),
    })
    expectRefusal(answer, 500, 'orderBook', 'InternalServerError')
    expect(answer.headers['x-request-id']).toBe('trace-0001')
    expect(failing.faults.map(({ fields }) => fields?.requestId)).toEqual(['trace-0001'])
  })
})

describe('every response', () => {
  test('that is cacheable has the common headers, also as 304', async () => {
    const path = `${server.url}/accounts/${numbered('77')}/notifications`
    const first = await ask(path)
    expectManners(first)
    const again = await ask(path, { headers: { 'if-none-match': first.headers.etag ?? '' } })
    expectManners(again)
    expect([again.status, again.headers.etag, again.bytes.length]).toEqual([304, first.headers.etag, 0])
    expect(first.headers.etag).toMatch(/^W\//)
  })

  test('with 429 has the error format of its interface', async () => {
    await using limited = await openTestServer({}, { rateLimits: { reads: 1, quotes: 1, orders: 1 } })
    for (const path of ['/sepolia/api/v1/version', `/accounts/${numbered('0f')}/notifications`, '/graphql']) {
      let answer = await ask(`${limited.url}${path}`)
      for (let count = 0; count < 3; count++) answer = await ask(`${limited.url}${path}`)
      expectRefusal(answer, 429, path === '/graphql' ? 'graphql' : familyOf(path), 'RateLimited')
      expect(answer.headers['retry-after']).toMatch(/^\d+$/)
    }
  })

  test('is counted in the metrics under the pattern of its path', async () => {
    await using counted = await openTestServer()
    const asked: [method: string, path: string, route: string, status: number][] = [
      ['PATCH', '/sepolia/api/v1/orders', '/:network/api/v1/orders', 405],
      ['OPTIONS', `/accounts/${numbered('0f')}/notifications`, '/accounts/:account/notifications', 204],
      ['DELETE', '/graphql', '/graphql', 405],
      ['OPTIONS', '/docs/anything', '/docs', 204],
      ['POST', '/docs/something', '/docs', 405],
      ['OPTIONS', '/nothing', 'unknown', 204],
      ['PUT', '/nothing', 'unknown', 404],
    ]
    for (const [method, path] of asked) await ask(`${counted.url}${path}`, { method })
    const metrics = (await ask(`${counted.url}/metrics`)).bytes.toString()
    const series = [
      ...metrics.matchAll(/requests_total\{method="(\w+)",route="([^"]+)",status="(\d+)"\} 1\n/g),
    ]
    expect(series.map(([, method, route, status]) => [method, route, Number(status)])).toEqual(
      asked.map(([method, , route, status]) => [method, route, status]),
    )
  })

  test('is 500 without internals when a dependency of its handler throws', async () => {
    const broken = { ready: () => Promise.reject(new Error('SELECT secret')) }
    await using failing = await openTestServer({}, broken)
    const answer = await ask(`${failing.url}/health/ready`)
    expectRefusal(answer, 500, 'orderBook', 'InternalServerError')
    expect(answer.bytes.toString()).not.toContain('secret')
  })
})
