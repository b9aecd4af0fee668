import { expect, test } from 'vitest'
import type { Log } from '../../src/domain/log.ts'
import { createAccessLog, type EndedRequest } from '../../src/server/access-log.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { ask } from '../http/client.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer } from '../setup/server.ts'

const uid = `0x${'ab'.repeat(56)}`
const rateLimits = { reads: 50, quotes: 10, orders: 5, introspections: 6 }

test('each request is told once it has ended: with its pattern, its cost and its id, and never with its path', async () => {
  const ended: EndedRequest[] = []
  await using server = await openTestServer({}, { rateLimits, accessLog: (each) => ended.push(each) })
  const headers = { 'x-request-id': 'mine-12345678' }
  await ask(`${server.url}/sepolia/api/v1/orders/${uid}?secret=1`, { headers })
  await ask(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': 'not valid' },
    body: JSON.stringify({ query: '{ a: networks { name } b: networks { name } c: networks { name } }' }),
  })
  await ask(`${server.url}/no/such/path`)
  await ask(`${server.url}/health/live`)
  await eventually('all have ended', () => ended.length === 4)
  const common = { requestId: expect.stringMatching(/^[0-9a-f-]{36}$/), client: '127.0.0.1' }
  const [milliseconds, method] = [expect.any(Number), 'GET']
  expect(ended).toEqual([
    {
      ...common,
      method,
      milliseconds,
      units: 1,
      status: 404,
      requestId: 'mine-12345678',
      route: '/:network/api/v1/orders/:uid',
    },
    { ...common, milliseconds, method: 'POST', route: '/graphql', units: 3, status: 200 },
    { ...common, method, milliseconds, route: 'unknown', units: 1, status: 404 },
    { ...common, method, milliseconds, route: '/health/live', units: undefined, status: 200 },
  ])
})

test('a line names the client by a hash that depends on the key alone', () => {
  const lines: unknown[] = []
  const log: Log = { ...silentLog, info: (message, fields) => void lines.push({ message, ...fields }) }
  const ended = {
    method: 'GET',
    route: '/graphql',
    status: 200,
    milliseconds: 1.26,
    units: 1.005,
    requestId: 'r',
    client: '203.0.113.7',
  }
  createAccessLog(log, 'key of two processes')(ended)
  createAccessLog(log, 'key of two processes')(ended)
  createAccessLog(log, 'another')({ ...ended, units: undefined })
  createAccessLog(log, 'another')({ ...ended, client: undefined })
  const line = { message: 'request', method: 'GET', route: '/graphql', status: 200, requestId: 'r', ms: 1.3 }
  expect(lines).toEqual([
    { ...line, cost: 1, client: expect.stringMatching(/^[\w-]{16}$/) },
    { ...line, cost: 1, client: (lines[0] as { client: string }).client },
    { ...line, client: expect.stringMatching(/^[\w-]{16}$/) },
    { ...line, cost: 1 },
  ])
  expect((lines[2] as { client: string }).client).not.toBe((lines[0] as { client: string }).client)
  expect(JSON.stringify(lines)).not.toContain('203.0.113')
})
