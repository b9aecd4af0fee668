import { brotliDecompressSync } from 'node:zlib'
import { getIntrospectionQuery } from 'graphql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keptUnits } from '../../../src/execution/admission/admission.ts'
import { createIntrospectionCache } from '../../../src/execution/http/handler.ts'
import type { TestServer } from '../../setup/server.ts'
import { clientOf, fullBucket, jsonOf, left, openLimited } from './client.ts'

let server: TestServer
let client: ReturnType<typeof clientOf>

beforeEach(async () => {
  server = await openLimited()
  client = clientOf(server, '198.51.100.1')
})
afterEach(() => server?.[Symbol.asyncDispose]())

const whole = getIntrospectionQuery()
const small = (name: string) => `{ __type(name: "${name}") { name } }`

describe('an introspection document that is new', () => {
  test('is limited to a few a minute, without affecting other requests or clients', async () => {
    for (let index = 1; index <= 6; index++) {
      const answer = await client.graphql(small(`T${index}`))
      expect([answer.status, left(answer, 'introspections')]).toEqual([200, 6 - index])
    }
    const refused = await client.graphql(small('T7'))
    expect(refused.status).toBe(429)
    expect(jsonOf(refused).errors[0]).toMatchObject({
      message: 'over 6 introspection documents that were not asked before a minute: wait 10 s',
      extensions: { code: 'RateLimited', data: { limit: 'introspections', retryAfterMs: 10_000 } },
    })
    expect([refused.headers['retry-after'], refused.headers['ratelimit-policy']]).toEqual([
      '10',
      '"reads";q=100;w=2;qu="cost-units", "introspections";q=6;w=60',
    ])
    expect((await client.graphql('{ version }')).status).toBe(200)
    expect((await client.graphql('{ __typename }')).status).toBe(200)
    expect((await clientOf(server, '198.51.100.2').graphql(small('T7'))).status).toBe(200)
    // Now it is cached for all clients.
    expect((await client.graphql(small('T7'))).status).toBe(200)
  })

  test.each([
    ['beside other fields', (index: number) => `{ __schema { queryType { name } } a${index}: version }`],
    [
      'in a fragment',
      (index: number) =>
        `{ ...F${index} } fragment F${index} on Query { ... { __schema { queryType { name } } } }`,
    ],
    [
      'under a condition',
      (index: number) => `{ a${index}: __schema @include(if: true) { queryType { name } } }`,
    ],
  ])('%s is limited too', async (_, documentOf) => {
    const statuses: number[] = []
    for (let index = 0; index < 7; index++) statuses.push((await client.graphql(documentOf(index))).status)
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
  })

  test('is limited over streams', async () => {
    const statuses: number[] = []
    for (let index = 0; index < 7; index++) {
      const { status } = await client.send('/graphql/stream', {
        method: 'POST',
        body: JSON.stringify({ query: small(`S${index}`) }),
        headers: { accept: 'text/event-stream' },
      })
      statuses.push(status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429])
  })

  test('is never cached if it has other fields', async () => {
    const mixed = '{ __schema { queryType { name } } version }'
    const statuses: number[] = []
    for (let times = 0; times < 7; times++) statuses.push((await client.graphql(mixed)).status)
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('an introspection document that is cached', () => {
  test('has the same response from memory, for the few units of its length', async () => {
    const first = await client.graphql(whole)
    expect(fullBucket - left(first)).toBe(Math.ceil(first.bytes.length / 8_192))
    const other = clientOf(server, '198.51.100.9')
    const units = keptUnits(first.bytes.length)
    expect(units).toBeLessThanOrEqual(3)
    for (let rest = fullBucket - units; rest >= 0; rest -= units) {
      const again = await other.graphql(whole)
      expect([again.status, left(again)]).toEqual([200, rest])
      expect(again.bytes.equals(first.bytes)).toBe(true)
      expect(again.headers['content-type']).toBe(first.headers['content-type'])
    }
    // A request arrives for one unit, and is charged the rest once it is answered.
    if (fullBucket % units > 0) expect((await other.graphql(whole)).status).toBe(200)
    expect((await other.graphql(whole)).status).toBe(429)
  })

  test('is another one with other variables, another operation, or for another media type', async () => {
    const query =
      'query A($name: String!) { __type(name: $name) { name } } query B { __type(name: "Order") { kind } }'
    const nameOf = async (variables: object, operationName: string) =>
      jsonOf(await client.graphql(query, variables, { operationName })).data.__type
    expect(await nameOf({ name: 'Order' }, 'A')).toEqual({ name: 'Order' })
    expect(await nameOf({ name: 'Trade' }, 'A')).toEqual({ name: 'Trade' })
    expect(await nameOf({ name: 'Trade' }, 'B')).toEqual({ kind: 'OBJECT' })
    expect(await nameOf({ name: 'Order' }, 'A')).toEqual({ name: 'Order' })
    const accept = 'application/graphql-response+json'
    const body = JSON.stringify({ query, variables: { name: 'Order' }, operationName: 'A' })
    const typed = await client.send('/graphql', { method: 'POST', body, headers: { accept } })
    expect(typed.headers['content-type']).toContain(accept)
  })

  test('is compressed on request, and served over GET', async () => {
    const plain = await client.graphql(whole)
    const path = `/graphql?query=${encodeURIComponent(whole)}`
    for (let times = 0; times < 2; times++) {
      const answer = await client.send(path, { headers: { 'accept-encoding': 'br' } })
      expect([answer.status, answer.headers['content-encoding']]).toEqual([200, 'br'])
      expect(brotliDecompressSync(answer.bytes).equals(plain.bytes)).toBe(true)
    }
  })

  test('is evicted after many others', () => {
    const remembered = createIntrospectionCache()
    const answer = { status: 200, headers: {}, body: '{}' }
    for (let index = 0; index < 65; index++) remembered.keep({ query: small(`T${index}`) }, 'a', answer)
    const isKnown = (index: number) => remembered.find({ query: small(`T${index}`) }, 'a') !== undefined
    expect([isKnown(0), isKnown(1), isKnown(64)]).toEqual([false, true, true])
    const long = { ...answer, body: 'x'.repeat(3_000_000) }
    for (let index = 0; index < 3; index++) remembered.keep({ query: small(`L${index}`) }, 'a', long)
    expect(remembered.find({ query: small('L0') }, 'a')).toBeUndefined()
    expect(remembered.find({ query: small('L2') }, 'a')?.body).toHaveLength(3_000_000)
  })
})

test('the queries of the usual tools are admitted', async () => {
  // The queries of GraphiQL and its fallback, code generators and Rover differ by these options.
  const documents = [
    whole,
    getIntrospectionQuery({ inputValueDeprecation: true }),
    getIntrospectionQuery({ schemaDescription: true, specifiedByUrl: true, directiveIsRepeatable: true }),
    getIntrospectionQuery({ descriptions: false }),
    getIntrospectionQuery({ oneOf: true, inputValueDeprecation: true }),
  ]
  const now = { at: 1_800_000_000_000 }
  await using tooled = await openLimited({}, { now: () => now.at })
  const tool = clientOf(tooled, '198.51.100.3')
  for (let times = 0; times < 10; times++) {
    for (const query of documents) {
      const answer = await tool.graphql(query, {}, { operationName: 'IntrospectionQuery' })
      expect([times, answer.status, jsonOf(answer).errors]).toEqual([times, 200, undefined])
      // A new document takes more than half of the burst.
      now.at += times === 0 ? 2_000 : 1_000
    }
  }
})

test('a refusal for other parameters is not cached for the document', async () => {
  const query = small('Order')
  const odd = await client.graphql(query, {}, { surplus: 1 })
  expect([odd.status, jsonOf(odd).errors[0].extensions.code]).toEqual([400, 'InvalidQuery'])
  expect(jsonOf(await client.graphql(query)).data).toEqual({ __type: { name: 'Order' } })
})
