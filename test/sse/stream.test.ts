import { get, type IncomingMessage } from 'node:http'
import { connect as connectTo } from 'node:net'
import { type Client, type ClientOptions, createClient, type ExecutionResult } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Feed, Feeds } from '../../src/notifications/feed.ts'
import { numbered } from '../fakes/order.ts'
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

/** Takes `count` results, or fewer if the stream ends. */
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
  test('missed notifications come first, then newly committed ones, each once and in order', async () => {
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

  test('a stream continues from the cursor of a page', async () => {
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
    ['skips its field', 'subscription { notifications(account: "0x") @skip(if: true) { cursor } }'],
    [
      'makes its field conditional on a variable',
      'subscription ($s: Boolean = true) { ...F } fragment F on Subscription { ...F notifications(account: "0x") @include(if: $s) { cursor } }',
    ],
    [
      'makes its whole selection conditional on a variable',
      'subscription ($s: Boolean = true) { ... @include(if: $s) { notifications(account: "0x") { cursor } } }',
    ],
  ])('a document that %s is a GraphQL error too', async (_what, query) => {
    const client = connect(server.url, options)
    const { value } = (await client.iterate({ query }).next()) as { value: ExecutionResult }
    expect(value.errors?.[0]?.extensions).toEqual({ code: 'InvalidQuery', retryable: false })
    client.dispose()
  })

  test('queries are answered too', async () => {
    const client = connect(server.url, options)
    expect((await client.iterate({ query: '{ version }' }).next()).value).toMatchObject({
      data: { version: 'test-build' },
    })
    client.dispose()
  })
})

/** Feeds of which that of accounts is another one. */
function feedsWith(account: Pick<Feed, 'follow'>): Feeds {
  const texts = () => ({ key: 'all', read: async () => [], readPages: async () => [] })
  const state = () => ({ followers: 0, behind: 0, lagSeconds: 0 })
  return { account: { texts, state, close() {}, ...account } } as unknown as Feeds
}

/** An endless feed that counts the entries taken from it and its open readers. */
function createEndlessFeed() {
  const state = { taken: 0, open: 0 }
  const text = JSON.stringify({ cursor: '1', notification: { message: 'x'.repeat(10_000) } })
  const feeds = feedsWith({
    async follow({ rendering }) {
      state.open++
      const take = () => {
        const place = BigInt(++state.taken)
        const rendered = rendering.render(text, place)
        return { place, rendered: rendered as Exclude<typeof rendered, Promise<unknown>> }
      }
      return { place: 0n, take, close: () => void state.open-- }
    },
  })
  return { feeds, state }
}

/** A feed without entries until its reader disconnects. */
function createQuietFeed() {
  const state = { open: 0 }
  const feeds = feedsWith({
    async follow() {
      state.open++
      return { place: 7n, take: () => undefined, close: () => void state.open-- }
    },
  })
  return { feeds, state }
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

/** Opens a single connection for several operations, without the client library. */
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
  test('stops its source on a connection of its own', async () => {
    const { feeds, state } = createEndlessFeed()
    await using idle = await openTestServer({}, { feeds })
    const response = await openUnread(idle.url)
    const taken = await settled(() => state.taken)
    expect(taken).toBeGreaterThan(0)
    // Only the kernel buffers of both sides, of some megabytes, may hold entries.
    expect(taken * 10_000).toBeLessThan(20_000_000)
    response.destroy()
    await eventually('the source ends', () => state.open === 0)
  })

  test('stops all its sources on a shared connection', async () => {
    const { feeds, state } = createEndlessFeed()
    await using idle = await openTestServer({}, { feeds })
    const { token, start } = await announce(idle.url)
    const response = await openUnread(idle.url, token)
    expect((await start('a')).status).toBe(202)
    expect((await start('b')).status).toBe(202)
    expect((await settled(() => state.taken)) * 10_000).toBeLessThan(20_000_000)
    expect(state.open).toBe(2)
    response.destroy()
    await eventually('both sources end', () => state.open === 0)
  })

  test.each(['a connection of its own', 'a shared one'])('is told why it is ended, on %s', async (how) => {
    const { feeds, state } = createEndlessFeed()
    const streamLimits = { stalledMs: 500, keepAliveMs: 100 }
    await using idle = await openTestServer({}, { feeds, streamLimits })
    const { token, start } = await announce(idle.url)
    const response = await openUnread(idle.url, how === 'a shared one' ? token : {})
    if (how === 'a shared one') await start('a')
    await eventually('the source ends', () => state.taken > 0 && state.open === 0)
    let text = ''
    response.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    await eventually('the end', () => response.readableEnded)
    const [last = '', end = ''] = text.trimEnd().split('\n\n').slice(-2)
    const cursor = /^id: (\d+)$/m.exec(last)?.[1]
    const extensions = { code: 'SlowConsumer', retryable: true, reason: 'SLOW_CONSUMER', cursor }
    const message = JSON.parse(/^data: (.*)$/m.exec(last)?.[1] ?? '')
    expect((message.payload ?? message).errors).toMatchObject([{ extensions }])
    expect(end).toMatch(/^event: complete/)
  })
})

describe('a source ends', () => {
  test('when its reader disconnects from an idle feed', async () => {
    const { feeds, state } = createQuietFeed()
    await using quiet = await openTestServer({}, { feeds })
    const response = await openUnread(quiet.url)
    await eventually('the source opens', () => state.open === 1)
    response.destroy()
    await eventually('the source ends', () => state.open === 0)
  })

  test('when its response still waited for its turn on the connection', async () => {
    const { feeds, state } = createQuietFeed()
    await using quiet = await openTestServer({}, { feeds, streamLimits: { perClient: 3 } })
    const { hostname, port } = new URL(quiet.url)
    const search = new URLSearchParams({ query, variables: JSON.stringify({ account: numbered('0f') }) })
    const lines = ['Host: localhost', 'Accept: text/event-stream', '', '']
    const head = (search: URLSearchParams) =>
      `GET /graphql/stream?${search} HTTP/1.1\r\n${lines.join('\r\n')}`
    const pipelined = [search, search, new URLSearchParams({ query: '{ version }' })]
    for (let round = 0; round < 2; round++) {
      const socket = connectTo(Number(port), hostname)
      socket.write(pipelined.map(head).join(''))
      await eventually('the sources open', () => state.open === 2)
      await eventually('the first answers', () => socket.bytesRead > 0)
      socket.destroy()
      await eventually('the sources end', () => state.open === 0)
    }
    await eventually('all streams are free', async () => {
      const all = await Promise.all([1, 2, 3].map(() => openUnread(quiet.url)))
      for (const response of all) response.destroy()
      return all.every(({ statusCode }) => statusCode === 200)
    })
  })

  test('when its operation completes on a shared connection', async () => {
    const { feeds, state } = createQuietFeed()
    await using quiet = await openTestServer({}, { feeds })
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
    const { feeds, state } = createQuietFeed()
    const quiet = await openTestServer({}, { feeds })
    const response = await openUnread(quiet.url)
    await eventually('the source opens', () => state.open === 1)
    response.resume()
    const ended = new Promise((resolve) => response.once('end', resolve))
    await quiet[Symbol.asyncDispose]()
    await ended
    expect(state.open).toBe(0)
  })

  test('when its stream was reserved and never opened', async () => {
    const { feeds, state } = createQuietFeed()
    await using quiet = await openTestServer({}, { feeds, streamLimits: { reservedMs: 100, perClient: 1 } })
    const { start } = await announce(quiet.url)
    await start('a')
    await eventually('the source opens', () => state.open === 1)
    await eventually('the source ends', () => state.open === 0)
    expect((await start('b')).status).toBe(404)
    expect((await fetch(`${quiet.url}/graphql/stream`, { method: 'PUT' })).status).toBe(201)
  })
})

describe('limits', () => {
  test('a client has a maximum of streams, and can open another when one is closed', async () => {
    const { feeds } = createQuietFeed()
    await using quiet = await openTestServer({}, { feeds, streamLimits: { perClient: 2 } })
    const held = [await openUnread(quiet.url), await openUnread(quiet.url)]
    const refused = await openUnread(quiet.url)
    expect(refused.statusCode).toBe(429)
    expect(refused.headers['access-control-allow-origin']).toBe('*')
    refused.setEncoding('utf8')
    let text = ''
    for await (const part of refused) text += part
    const { code, retryable, data } = JSON.parse(text).errors[0].extensions
    expect([code, retryable, data.limit]).toEqual(['RateLimited', true, 'streams'])
    expect(Number(refused.headers['retry-after'])).toBe(Math.ceil(data.retryAfterMs / 1_000))
    expect((await fetch(`${quiet.url}/graphql/stream`, { method: 'PUT' })).status).toBe(429)
    held[0]?.destroy()
    const again = await eventually('a free stream', async () => {
      const response = await openUnread(quiet.url)
      return response.statusCode === 200 && response
    })
    again.destroy()
    held[1]?.destroy()
  })

  test('a stream that fails to start does not count', async () => {
    await using quiet = await openTestServer({}, { streamLimits: { perClient: 1 } })
    const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
    const ask = () => fetch(`${quiet.url}/graphql/stream`, { method: 'POST', headers, body: '{' })
    for (let round = 0; round < 3; round++) expect((await ask()).status).toBe(400)
  })

  test('a connection has a maximum of subscriptions', async () => {
    const { feeds } = createQuietFeed()
    await using quiet = await openTestServer({}, { feeds, streamLimits: { perStream: 1 } })
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

  test('a malformed request is refused with a code', async () => {
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
