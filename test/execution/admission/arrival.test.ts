import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLine } from '../../http/client.ts'
import type { TestServer } from '../../setup/server.ts'
import { clientOf, jsonOf, openLimited } from './client.ts'

/** A client over its rate limit is refused before its request is read. */
let server: TestServer
const address = '198.51.100.7'

beforeAll(async () => {
  server = await openLimited()
  await clientOf(server, address).exhaust()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const stream = { accept: 'text/event-stream' }
const json = { 'content-type': 'application/json' }

test.each<[string, string, { method?: string; body?: string; headers?: Record<string, string> }]>([
  ['no JSON', '/graphql', { method: 'POST', body: '{' }],
  ['no document', '/graphql', { method: 'POST', body: '{"query":"{ nothing"}' }],
  ['too large', '/graphql', { method: 'POST', body: `{"query":"${'x'.repeat(300_000)}"}` }],
  [
    'a mutation',
    '/graphql',
    { method: 'POST', body: '{"query":"mutation { uploadAppData(document: \\"{}\\") { hash } }"}' },
  ],
  ['no variables', '/graphql?query={version}&variables=1', {}],
  ['no method of it', '/graphql', { method: 'PATCH' }],
  ['no type of it', '/graphql', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }],
  ['the page', '/graphql', { headers: { accept: 'text/html' } }],
  ['no JSON', '/graphql/stream', { method: 'POST', headers: stream, body: '{' }],
  [
    'too large',
    '/graphql/stream',
    { method: 'POST', headers: { ...stream, ...json }, body: `{"query":"${'x'.repeat(300_000)}"}` },
  ],
  ['a query', '/graphql/stream?query={version}', { headers: stream }],
  ['no JSON', '/sepolia/api/v1/orders/by_uids', { method: 'POST', body: '[' }],
  ['too large', '/sepolia/api/v1/orders/by_uids', { method: 'POST', body: `["${'x'.repeat(300_000)}"]` }],
  ['no path', '/sepolia/api/v1/nothing', {}],
])('%s at %s', async (_, path, params) => {
  const answer = await clientOf(server, address).send(path, params)
  expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1'])
})

test('the rest of a body is not waited for', async () => {
  for (const path of ['/graphql', '/graphql/stream', '/sepolia/api/v1/orders/by_uids']) {
    await using line = openLine(server.url)
    line.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nAccept: application/json, text/event-stream\r\n` +
        'Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
    )
    await expect.poll(() => line.text).toContain('HTTP/1.1 429 ')
  }
})

test('a client within its limit gets the error of the same request', async () => {
  const other = clientOf(server, '198.51.100.8')
  const answer = await other.send('/graphql', { method: 'POST', body: '{"query":"{ nothing"}' })
  expect(jsonOf(answer).errors[0].extensions.code).toBe('InvalidQuery')
})
