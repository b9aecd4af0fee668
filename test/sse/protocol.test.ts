import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { createStreamMeter } from '../../src/http/event-stream.ts'
import { numbered } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'
import { openEvents, type StreamEvent } from './events.ts'

const query = `subscription ($account: Address!, $after: String) {
  notifications(account: $account, after: $after) { cursor node { message } }
}`

let server: TestServer
let accounts = 0
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

async function accountWith(...indexes: number[]): Promise<Address> {
  const account = numbered((0xb0 + accounts++).toString(16))
  for (const index of indexes) await storeNotification(server.database.db, account, index)
  return account
}

function addressOf(variables: Record<string, unknown>, more = '', path = '/graphql/stream', of = server) {
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables) })
  return `${of.url}${path}?${search}${more}`
}

const messages = (events: StreamEvent[]) =>
  events.flatMap(({ data }) => data?.data?.notifications.node.message ?? [])

/** A stream that several operations share. */
async function reserve(of = server) {
  const path = `${of.url}/graphql/stream`
  const token = { 'x-graphql-event-stream-token': await (await fetch(path, { method: 'PUT' })).text() }
  const events = await openEvents(path, { headers: token })
  return {
    events,
    start: (operationId: string, variables: Record<string, unknown>, more = '', headers = {}) =>
      fetch(`${path}${more}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...token, ...headers },
        body: JSON.stringify({ query, variables, extensions: { operationId } }),
      }),
  }
}

test('each event has its cursor as id; the first one has the cost, and the stream begins with a time to wait', async () => {
  const account = await accountWith(0, 1)
  await using stream = await openEvents(addressOf({ account, after: 'earliest' }))
  const [first, second] = await stream.first(2)
  expect(stream.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  })
  expect(stream.text()).toMatch(/^retry: [12]\d{3}\nid: 0\n:\n\nevent: next\nid: \d+\ndata: \{/)
  expect([first?.event, first?.id]).toEqual(['next', first?.data.data.notifications.cursor])
  expect(first?.data.extensions.cost.limit).toBe(10_000)
  expect(second).toEqual({
    event: 'next',
    id: second?.data.data.notifications.cursor,
    data: { data: { notifications: { cursor: second?.id, node: { message: 'notification 1' } } } },
  })
})

describe('a client that connects again', () => {
  test('before its first event gets what was written since its stream began', async () => {
    const account = await accountWith(0)
    const before = await openEvents(addressOf({ account }))
    await eventually('the stream begins', async () => before.text().endsWith(':\n\n'))
    const [, place] = /^retry: \d+\nid: (\d+)\n:\n\n$/.exec(before.text()) ?? []
    await before[Symbol.asyncDispose]()
    await storeNotification(server.database.db, account, 1)
    await using after = await openEvents(addressOf({ account }), {
      headers: { 'last-event-id': place ?? '' },
    })
    expect(messages(await after.first(1))).toEqual(['notification 1'])
  })

  test.each([
    ['by Last-Event-ID', (id: string) => ({ headers: { 'last-event-id': id } })],
    ['by lastEventId in the address', (id: string) => ({ more: `&lastEventId=${id}` })],
    ['at /graphql', (id: string) => ({ headers: { 'last-event-id': id }, path: '/graphql' })],
  ])('%s goes on behind that event, whatever its address says of after', async (_how, request) => {
    const account = await accountWith(0, 1, 2)
    await using before = await openEvents(addressOf({ account, after: 'earliest' }))
    const [first] = await before.first(3)
    const {
      headers = {},
      more = '',
      path,
    }: { headers?: object; more?: string; path?: string } = request(first?.id ?? '')
    const address = addressOf({ account, after: 'earliest' }, more, path)
    await using stream = await openEvents(address, { headers: headers as Record<string, string> })
    expect(messages(await stream.first(2))).toEqual(['notification 1', 'notification 2'])
  })

  test('with an operation on a shared stream goes on behind that event too', async () => {
    const account = await accountWith(0, 1, 2)
    await using before = await openEvents(addressOf({ account, after: 'earliest' }))
    const [, second] = await before.first(3)
    const { events, start } = await reserve()
    await using stream = events
    expect((await start('a', { account }, '', { 'last-event-id': String(second?.id) })).status).toBe(202)
    expect((await start('b', { account }, `?lastEventId=${second?.id}`)).status).toBe(202)
    const shared = await stream.first(2)
    expect(shared.map(({ data }) => [data.id, data.payload.data.notifications.node.message]).sort()).toEqual([
      ['a', 'notification 2'],
      ['b', 'notification 2'],
    ])
    expect(shared[0]?.id).toBe(shared[0]?.data.payload.data.notifications.cursor)
  })

  test('with what is no cursor is refused', async () => {
    const account = await accountWith()
    await using stream = await openEvents(addressOf({ account }), { headers: { 'last-event-id': 'x' } })
    const [event] = await stream.first(1)
    expect(event?.data.errors[0].extensions).toMatchObject({ code: 'InvalidParameter', field: 'after' })
  })
})

test.each([
  'text/event-stream',
  'application/json, text/event-stream;q=0.1',
  'Text/Event-Stream; charset=utf-8, */*',
  'text/*',
])('a subscription at /graphql is a stream for Accept: %s', async (accept) => {
  const account = await accountWith(0)
  await using stream = await openEvents(`${server.url}/graphql`, {
    headers: { accept },
    body: { query, variables: { account, after: 'earliest' } },
  })
  expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(messages(await stream.first(1))).toEqual(['notification 0'])
})

test.each([
  [200, '*/*'],
  [200, 'application/json, text/event-stream'],
  [406, 'application/json'],
  [406, 'text/event-stream;q=0, */*'],
])('the path of streams answers %i to Accept: %s', async (status, accept) => {
  const account = await accountWith(0)
  await using stream = await openEvents(addressOf({ account, after: 'earliest' }), { headers: { accept } })
  expect(stream.status).toBe(status)
})

describe('a reader behind what was removed', () => {
  test.each(['a connection of its own', 'a shared one'])('is told where to go on, on %s', async (how) => {
    // A process that has not read these entries itself.
    const streamMeter = createStreamMeter()
    await using fresh = await openTestServer({}, { streamMeter })
    const account = numbered('f3')
    for (const index of [0, 1, 2]) await storeNotification(fresh.database.db, account, index)
    const page = `{ notifications(account: "${account}", after: "earliest") { edges { cursor } } }`
    const { notifications } = await graphql(fresh.url, page)
    const [first, second] = notifications.edges.map(({ cursor }: { cursor: string }) => cursor)
    await using client = await connectDirectly(fresh.database.url)
    await client.query(`INSERT INTO feed_marks (feed, key, place) VALUES ('account', $1, $2)`, [
      Buffer.from(account.slice(2), 'hex'),
      second,
    ])
    const gap = { code: 'FeedGap', retryable: false, field: 'after', reason: 'GAP', cursor: second }
    if (how === 'a shared one') {
      const { events, start } = await reserve(fresh)
      await using stream = events
      await start('a', { account, after: first })
      const [told, end] = await stream.first(2)
      expect([told?.id, told?.data.payload.errors[0].extensions]).toEqual([second, gap])
      expect(end).toEqual({ event: 'complete', id: undefined, data: { id: 'a' } })
      expect(streamMeter.ends).toEqual(new Map([['GAP', 1]]))
      return
    }
    await using stream = await openEvents(addressOf({ account, after: first }, '', undefined, fresh))
    const [told, end] = await stream.first(2)
    expect([told?.id, told?.data.errors[0].extensions]).toEqual([second, gap])
    expect(end).toEqual({ event: 'complete', id: undefined, data: null })
    await eventually('the end', () => stream.isClosed())
    expect(streamMeter.ends).toEqual(new Map([['GAP', 1]]))
    const headers = { 'last-event-id': told?.id ?? '' }
    await using next = await openEvents(addressOf({ account }, '', undefined, fresh), { headers })
    expect(messages(await next.first(1))).toEqual(['notification 2'])
  })
})

describe('a server that stops says so', () => {
  test('on each stream, without ending the subscription', async () => {
    const stopping = await openTestServer()
    const account = numbered('f1')
    await storeNotification(stopping.database.db, account, 0)
    const variables = { account, after: 'earliest' }
    await using own = await openEvents(addressOf(variables, '', undefined, stopping))
    const { events, start } = await reserve(stopping)
    await using shared = events
    await start('a', variables)
    const [[first], [other]] = await Promise.all([own.first(1), shared.first(1)])
    await stopping[Symbol.asyncDispose]()
    await eventually('both end', () => own.isClosed() && shared.isClosed())
    const reason = { code: 'Unavailable', retryable: true, reason: 'SHUTTING_DOWN', cursor: first?.id }
    const [, last, ...rest] = own.events()
    expect([last?.id, last?.data.errors[0].extensions, rest]).toEqual([first?.id, reason, []])
    const [, lastOfOther, ...restOfOther] = shared.events()
    expect(other?.id).toBe(first?.id)
    expect(lastOfOther?.data).toMatchObject({ id: 'a', payload: { errors: [{ extensions: reason }] } })
    expect(restOfOther).toEqual([])
  })
})

test('a process without a slot answers 503, and when to come back', async () => {
  await using small = await openTestServer({}, { streamLimits: { total: 1 } })
  const account = numbered('f2')
  await using held = await openEvents(addressOf({ account }, '', undefined, small))
  expect(held.status).toBe(200)
  for (const path of ['/graphql', '/graphql/stream']) {
    await using refused = await openEvents(addressOf({ account }, '', path, small))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, expect.stringMatching(/^[2-6]$/)])
    await eventually('the answer', () => refused.text().includes('Unavailable'))
  }
})

describe('a stream that was reserved at another process', () => {
  const cause = 'this process has no stream with this token: it was reserved at another process'
  const token = '0b1e8f0c-52a1-4c51-9d6f-9f4f0b1e8f0c'

  test.each([
    ['GET', { accept: 'text/event-stream' }, undefined],
    ['POST', { 'content-type': 'application/json' }, { query, extensions: { operationId: 'a' } }],
    ['DELETE', {}, undefined],
  ])('is refused with the cause: %s', async (method, headers, body) => {
    const response = await fetch(`${server.url}/graphql/stream?operationId=a`, {
      method,
      headers: { ...headers, 'x-graphql-event-stream-token': token },
      ...(body && { body: JSON.stringify(body) }),
    })
    const [error] = (await response.json()).errors
    expect([response.status, error.extensions.code]).toEqual([404, 'NotFound'])
    expect(error.message).toContain(cause)
  })

  test('does not keep an operation from a stream of its own', async () => {
    const account = await accountWith(0)
    const headers = { 'x-graphql-event-stream-token': token }
    await using stream = await openEvents(addressOf({ account, after: 'earliest' }), { headers })
    expect(messages(await stream.first(1))).toEqual(['notification 0'])
  })
})
