import { get, type IncomingMessage } from 'node:http'
import { type Client, type ClientOptions, createClient, type ExecutionResult } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Feed } from '../../src/notifications/feed.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const query = `subscription ($account: Address!, $after: String) {
  notifications(account: $account, after: $after) { cursor notification { type message metadata } }
}`

let server: TestServer
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

function connect(url: string, options: Partial<ClientOptions<boolean>> = {}): Client<boolean> {
  return createClient({
    url: `${url}/graphql/stream`,
    retryAttempts: 0,
    ...options,
  } as ClientOptions<boolean>)
}

interface Step {
  notifications: { cursor: string; notification: { message: string } }
}

/** Takes `count` results, or what comes before the end. */
async function take(
  client: Client<boolean>,
  variables: Record<string, unknown>,
  count: number,
  whenOpen?: () => void,
): Promise<ExecutionResult<Step>[]> {
  const results: ExecutionResult<Step>[] = []
  const stream = client.iterate<Step>({ query, variables })
  const pending = stream.next()
  whenOpen?.()
  for (let step = await pending; !step.done; step = await stream.next()) {
    results.push(step.value as ExecutionResult<Step>)
    if (results.length === count) break
  }
  await stream.return?.()
  return results
}

const messages = (results: ExecutionResult<Step>[]) =>
  results.map(({ data }) => data?.notifications.notification.message)

describe.each([
  ['a connection for each operation', { singleConnection: false }, numbered('1a')],
  ['one connection for all', { singleConnection: true }, numbered('2a')],
])('with %s', (_mode, options, account) => {
  test('what was missed comes first, then what is committed, each once and in order', async () => {
    const { db } = server.database
    await storeNotification(db, account, 0)
    await storeNotification(db, account, 1)
    const client = connect(server.url, options)
    const results = await take(client, { account, after: 'earliest' }, 4, async () => {
      await storeNotification(db, numbered('3a'), 9)
      await storeNotification(db, account, 2)
      await storeNotification(db, account, 3)
    })
    expect(messages(results)).toEqual([0, 1, 2, 3].map((index) => `notification ${index}`))
    expect(results[0]?.data?.notifications).toMatchObject({
      notification: { type: 'ORDER_FILLED', metadata: { executedAmount: '0' } },
    })

    const after = results[1]?.data?.notifications.cursor
    const resumed = await take(client, { account, after }, 2)
    expect(messages(resumed)).toEqual(['notification 2', 'notification 3'])
    client.dispose()
  })

  test('a page’s cursor continues as a stream', async () => {
    const feedQuery =
      '{ account(address: "ACCOUNT") { notifications(first: 2, after: "earliest") { cursor hasMore nodes { message } } } }'
    const { body } = await request(`${server.url}/graphql`, 'POST', {
      query: feedQuery.replace('ACCOUNT', account),
    })
    const page = body.data.account.notifications
    expect([page.hasMore, page.nodes.length]).toEqual([true, 2])
    const client = connect(server.url, options)
    expect(messages(await take(client, { account, after: page.cursor }, 1))).toEqual(['notification 2'])
    client.dispose()
  })

  test.each([
    ['a wrong cursor', { after: 'x' }, 'InvalidParameter', 'after'],
    ['a wrong address', { account: '0x12' }, 'InvalidParameter', 'account'],
  ])('%s is a GraphQL error with its code', async (_what, variables, code, field) => {
    const client = connect(server.url, options)
    const [result] = await take(client, { account, ...variables }, 1)
    expect(result?.errors?.[0]?.extensions).toEqual({ code, retryable: false, field })
    client.dispose()
  })

  test.each([
    ['does not fit the schema', 'subscription { nothing }'],
    ['leaves its field out', 'subscription { notifications(account: "0x") @skip(if: true) { cursor } }'],
    [
      'makes its field depend on a variable',
      'subscription ($s: Boolean = true) { ...F } fragment F on Subscription { ...F notifications(account: "0x") @include(if: $s) { cursor } }',
    ],
    [
      'makes all of it depend on one',
      'subscription ($s: Boolean = true) { ... @include(if: $s) { notifications(account: "0x") { cursor } } }',
    ],
  ])('a document that %s is one too', async (_what, query) => {
    const client = connect(server.url, options)
    const { value } = (await client.iterate({ query }).next()) as { value: ExecutionResult }
    expect(value.errors?.[0]?.extensions).toEqual({ code: 'InvalidQuery', retryable: false })
    client.dispose()
  })

  test('queries are answered as well', async () => {
    const client = connect(server.url, options)
    expect((await client.iterate({ query: '{ version }' }).next()).value).toMatchObject({
      data: { version: 'test-build' },
    })
    client.dispose()
  })
})

/** Which of the kinds it is, as the statement of a stream says it beside what was selected. */
const marked = { '@': { type: 'OrderFilledNotification' } }

/** A feed that never runs dry, counts what is taken from it, and knows who listens. */
function createEndlessFeed() {
  const state = { taken: 0, open: 0 }
  const feed: Feed = {
    async *stream(_account, _after, signal) {
      state.open++
      try {
        while (!signal.aborted) {
          state.taken++
          const notification = {
            type: 'order_filled',
            message: 'x'.repeat(10_000),
            metadata: { orderId: sampleOrder().uid, chainId: 1 },
          }
          yield JSON.stringify({ cursor: String(state.taken), notification: { ...notification, ...marked } })
        }
      } finally {
        state.open--
      }
    },
  }
  return { feed, state }
}

/** A feed in which nothing happens until its reader leaves. */
function createQuietFeed() {
  const state = { open: 0 }
  const feed: Feed = {
    async *stream(_account, _after, signal) {
      state.open++
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      state.open--
    },
  }
  return { feed, state }
}

/** A reader that opens a stream and reads nothing. */
function openUnread(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const search = new URLSearchParams({ query, variables: JSON.stringify({ account: numbered('0f') }) })
  return new Promise((resolve, reject) => {
    const outgoing = get(
      `${url}/graphql/stream?${search}`,
      { headers: { accept: 'text/event-stream', ...headers } },
      resolve,
    )
    outgoing.on('error', reject)
  })
}

/** A stream for the results of several requests, by hand. */
async function announce(url: string) {
  const path = `${url}/graphql/stream`
  const token = { 'x-graphql-event-stream-token': await (await fetch(path, { method: 'PUT' })).text() }
  const headers = { 'content-type': 'application/json', ...token }
  return {
    token,
    start: (operationId: string) => {
      const body = { query, variables: { account: numbered('0f') }, extensions: { operationId } }
      return fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    },
    complete: (id: string) => fetch(`${path}?operationId=${id}`, { method: 'DELETE', headers: token }),
  }
}

/** Waits until a number stays the same for a while; fails when it does not. */
async function settled(read: () => number): Promise<number> {
  let last = -1
  let same = 0
  return eventually('a number that stays', () => {
    same = read() === last ? same + 1 : 0
    last = read()
    return same >= 12 ? last : undefined
  })
}

describe('a reader that stops reading', () => {
  test('stops its source, alone on its connection', async () => {
    const { feed, state } = createEndlessFeed()
    await using idle = await openTestServer({}, { feed })
    const response = await openUnread(idle.url)
    const taken = await settled(() => state.taken)
    expect(taken).toBeGreaterThan(0)
    // Kernel buffers of both sides hold some megabytes; nothing else may.
    expect(taken * 10_000).toBeLessThan(20_000_000)
    response.destroy()
    await eventually('the source ends', () => state.open === 0)
  })

  test('stops its sources on a connection for all', async () => {
    const { feed, state } = createEndlessFeed()
    await using idle = await openTestServer({}, { feed })
    const { token, start } = await announce(idle.url)
    const response = await openUnread(idle.url, token)
    expect((await start('a')).status).toBe(202)
    expect((await start('b')).status).toBe(202)
    expect((await settled(() => state.taken)) * 10_000).toBeLessThan(20_000_000)
    expect(state.open).toBe(2)
    response.destroy()
    await eventually('both sources end', () => state.open === 0)
  })

  test('is cut off after a while', async () => {
    const { feed, state } = createEndlessFeed()
    await using idle = await openTestServer({}, { feed, streamLimits: { stalledMs: 100 } })
    await openUnread(idle.url)
    await eventually('the source ends', () => state.taken > 0 && state.open === 0)
  })
})

describe('a source ends', () => {
  test('when its reader leaves while nothing happens', async () => {
    const { feed, state } = createQuietFeed()
    await using quiet = await openTestServer({}, { feed })
    const response = await openUnread(quiet.url)
    await eventually('the source opens', () => state.open === 1)
    response.destroy()
    await eventually('the source ends', () => state.open === 0)
  })

  test('when its one operation is completed on a connection for all', async () => {
    const { feed, state } = createQuietFeed()
    await using quiet = await openTestServer({}, { feed })
    const { token, start, complete } = await announce(quiet.url)
    const response = await openUnread(quiet.url, token)
    await start('a')
    await start('b')
    await eventually('two sources open', () => state.open === 2)
    expect((await complete('a')).status).toBe(200)
    await eventually('one source ends', () => state.open === 1)
    response.destroy()
    await eventually('the other ends', () => state.open === 0)
  })

  test('when the server closes', async () => {
    const { feed, state } = createQuietFeed()
    const quiet = await openTestServer({}, { feed })
    const response = await openUnread(quiet.url)
    await eventually('the source opens', () => state.open === 1)
    response.resume()
    const ended = new Promise((resolve) => response.once('end', resolve))
    await quiet[Symbol.asyncDispose]()
    await ended
    expect(state.open).toBe(0)
  })

  test('when its stream was announced and never opened', async () => {
    const { feed, state } = createQuietFeed()
    await using quiet = await openTestServer({}, { feed, streamLimits: { reservedMs: 100, perClient: 1 } })
    const { start } = await announce(quiet.url)
    await start('a')
    await eventually('the source opens', () => state.open === 1)
    await eventually('the source ends', () => state.open === 0)
    expect((await start('b')).status).toBe(404)
    expect((await fetch(`${quiet.url}/graphql/stream`, { method: 'PUT' })).status).toBe(201)
  })
})

describe('limits', () => {
  test('a client holds so many streams, and can open another when one is gone', async () => {
    const { feed } = createQuietFeed()
    await using quiet = await openTestServer({}, { feed, streamLimits: { perClient: 2 } })
    const held = [await openUnread(quiet.url), await openUnread(quiet.url)]
    const refused = await openUnread(quiet.url)
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    refused.setEncoding('utf8')
    let text = ''
    for await (const part of refused) text += part
    expect(JSON.parse(text).errors[0].extensions).toEqual({ code: 'RateLimited', retryable: true })
    expect((await fetch(`${quiet.url}/graphql/stream`, { method: 'PUT' })).status).toBe(429)
    held[0]?.destroy()
    const again = await eventually('a place is free', async () => {
      const response = await openUnread(quiet.url)
      return response.statusCode === 200 && response
    })
    again.destroy()
    held[1]?.destroy()
  })

  test('a stream that does not begin takes no place', async () => {
    await using quiet = await openTestServer({}, { streamLimits: { perClient: 1 } })
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
    const ask = () => fetch(`${quiet.url}/graphql/stream`, { method: 'POST', headers, body: '{' })
    for (let round = 0; round < 3; round++) expect((await ask()).status).toBe(400)
  })

  test('a connection carries so many subscriptions', async () => {
    const { feed } = createQuietFeed()
    await using quiet = await openTestServer({}, { feed, streamLimits: { perStream: 1 } })
    const { token, start } = await announce(quiet.url)
    const response = await openUnread(quiet.url, token)
    await start('a')
    await start('b')
    let text = ''
    response.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    await eventually('the second is refused', () => text.includes('event: complete'))
    const [line = ''] = text.split('\n').filter((each) => each.startsWith('data: {"id":"b"'))
    const { payload } = JSON.parse(line.slice('data: '.length))
    expect(payload.errors[0].extensions).toEqual({ code: 'RateLimited', retryable: true })
    response.destroy()
  })

  test('what is no request is refused with a code', async () => {
    const post = (body: string) =>
      fetch(`${server.url}/graphql/stream`, {
        method: 'POST',
        headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
        body,
      })
    for (const body of ['{', '[]', '{}', '{"query": 5}']) {
      const response = await post(body)
      const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] }
      expect([response.status, errors[0]?.extensions.code]).toEqual([400, 'InvalidQuery'])
    }
    expect((await post(`{"query": "${'x'.repeat(300_000)}"}`)).status).toBe(413)
    const odd = await fetch(`${server.url}/graphql/stream`, {
      headers: { 'x-graphql-event-stream-token': '__proto__' },
    })
    expect(odd.status).toBe(404)
  })
})
