import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { acceptedCoding, compress } from '../../src/http/response.ts'
import { graphQuoteInput } from '../fakes/graph-input.ts'
import { numbered } from '../fakes/order.ts'
import { storeOrder } from '../fakes/story.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { ask, type Exchange } from './client.ts'

const owner = numbered('0f')
let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
  for (let index = 0; index < 40; index++) {
    await storeOrder(server.database.db, {
      owner,
      buyAmount: BigInt(index + 1),
      fullAppData: JSON.stringify({ metadata: { name: 'ü' } }),
      creationDate: new Date(1_799_999_000_000 + index),
    })
  }
})
afterAll(() => server[Symbol.asyncDispose]())

function plain({ headers, bytes }: Exchange): Buffer {
  if (headers['content-encoding'] === 'br') return brotliDecompressSync(bytes)
  return headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
}

const cases: [header: string, coding: string | undefined, acceptsPlain: boolean][] = [
  ['gzip', 'gzip', true],
  ['br', 'br', true],
  ['br, gzip', 'br', true],
  ['gzip, deflate, br, zstd', 'br', true],
  ['GZIP', 'gzip', true],
  ['gzip;q=1.0, br;q=0.5', 'gzip', true],
  ['gzip ; q=0.5 , br;q=0.8', 'br', true],
  ['gzip;q=0', undefined, true],
  ['br;q=0, gzip;q=0', undefined, true],
  ['*', 'br', true],
  ['br;q=0, *', 'gzip', true],
  ['*;q=0', undefined, false],
  ['identity', undefined, true],
  ['deflate', undefined, true],
  ['', undefined, true],
  ['gzip;q=0.2, identity;q=0.5', undefined, true],
  ['gzip;q=0.5, identity;q=0.2', 'gzip', true],
  ['gzip, identity;q=0', 'gzip', false],
  ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip', true],
  ['identity;q=0', undefined, false],
  ['gzip;q=nonsense', undefined, true],
]

describe('Accept-Encoding', () => {
  test.each(cases)('%o', (header, coding, acceptsPlain) => {
    expect(acceptedCoding(header)).toEqual({ coding, acceptsPlain })
    expect(acceptedCoding(header)).toEqual({ coding, acceptsPlain })
  })

  test('a missing header means plain', () => {
    expect(acceptedCoding(undefined)).toEqual({ coding: undefined, acceptsPlain: true })
  })
})

const compiled =
  'query ($owner: Address!) { orders(owner: $owner, first: 40) { edges { node { uid appData fullAppData } } } }'
const ordinary = compiled.replace('first: 40)', 'first: 40) @include(if: true)')
const graphql = (query: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query, variables: { owner } }),
})
const answers: [what: string, path: string, how: Parameters<typeof ask>[1], isConstant: boolean][] = [
  ['REST, little', `/sepolia/api/v1/account/${owner}/orders?limit=1`, {}, true],
  ['REST, much', `/sepolia/api/v1/account/${owner}/orders?limit=40`, {}, true],
  ['GraphQL, answered by the database alone', '/graphql', graphql(compiled), true],
  ['GraphQL, executed', '/graphql', graphql(ordinary), true],
  ['metrics', '/metrics', {}, false],
  ['the description', '/openapi.json', {}, true],
  ['a script of the viewer', '/docs/swagger-ui-bundle.js', {}, true],
]

describe.each(answers)('%s', (_what, path, how = {}, isConstant) => {
  const come = (accept?: string) =>
    ask(`${server.url}${path}`, {
      ...how,
      headers: { ...how.headers, ...(accept !== undefined && { 'accept-encoding': accept }) },
    })

  test('has the same content in every coding, in fewer bytes', async () => {
    const uncoded = await come()
    expect(uncoded.headers['content-encoding']).toBeUndefined()
    expect(uncoded.bytes.length).toBeGreaterThan(1_024)
    for (const [accept, coding] of cases) {
      const answer = await come(accept)
      expect([accept, answer.status, answer.headers['content-encoding']]).toEqual([
        accept,
        uncoded.status,
        coding,
      ])
      expect(answer.headers.vary).toContain('Accept-Encoding')
      expect(answer.headers['content-type']).toBe(uncoded.headers['content-type'])
      expect(answer.headers.etag).toBe(uncoded.headers.etag)
      expect(Number(answer.headers['content-length'])).toBe(answer.bytes.length)
      if (coding) expect(answer.bytes.length).toBeLessThan(uncoded.bytes.length)
      if (isConstant) expect(plain(answer).equals(uncoded.bytes)).toBe(true)
    }
    expect(uncoded.headers.vary).toContain('Accept-Encoding')
  })
})

test('a small response is sent plain, unless that is refused', async () => {
  const path = `${server.url}/sepolia/api/v1/version`
  const little = await ask(path, { headers: { 'accept-encoding': 'br, gzip' } })
  expect([little.headers['content-encoding'], little.bytes.toString()]).toEqual([undefined, 'test-build'])
  const coded = await ask(path, { headers: { 'accept-encoding': 'gzip, identity;q=0' } })
  expect([coded.headers['content-encoding'], plain(coded).toString()]).toEqual(['gzip', 'test-build'])
})

test('each of many concurrent requests gets the whole', async () => {
  const path = `${server.url}/sepolia/api/v1/account/${owner}/orders?limit=40`
  const { bytes } = await ask(path)
  expect(bytes.length).toBeGreaterThan(16_384)
  const all = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      ask(path, { headers: { 'accept-encoding': index % 2 ? 'br' : 'gzip' } }),
    ),
  )
  expect(all.filter((answer) => plain(answer).equals(bytes))).toHaveLength(60)
  // Responses beyond the limit of concurrent compressions are sent plain.
  expect(all.filter(({ headers }) => headers['content-encoding']).length).toBeGreaterThanOrEqual(8)
})

test('events are never compressed', async () => {
  const query = 'subscription ($input: QuoteInput!) { quotes(input: $input) { quoteId } }'
  const input = {
    kind: 'sell',
    sellAmountBeforeFee: '5',
    sellToken: numbered('aa'),
    buyToken: numbered('bb'),
    from: owner,
  }
  const headers = { 'content-type': 'application/json', 'accept-encoding': 'br, gzip' }
  const graph = await ask(`${server.url}/graphql/stream`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables: { input: graphQuoteInput(input) } }),
  })
  const rest = await ask(`${server.url}/sepolia/api/v1/quote/stream`, {
    method: 'POST',
    headers,
    body: JSON.stringify(input),
  })
  for (const answer of [graph, rest]) {
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.bytes.toString()).toMatch(/data: \{.*42/)
  }
})

test('long responses are compressed concurrently, eight at a time; further ones are sent plain', async () => {
  const [short, long] = ['x'.repeat(16_384), 'x'.repeat(16_385)]
  const together = Array.from({ length: 9 }, () => compress(long, 'gzip'))
  const [first] = together
  expect([first instanceof Promise, together.indexOf(undefined)]).toEqual([true, 8])
  expect(compress(short, 'br')).toBeInstanceOf(Buffer)
  for (const one of await Promise.all(together.slice(0, 8)))
    expect(gunzipSync(one ?? '').toString()).toBe(long)
  expect(compress(long, 'gzip')).toBeInstanceOf(Promise)
})
