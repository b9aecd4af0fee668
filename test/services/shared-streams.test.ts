import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { numbered } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createProcesses, end, type Processes, type Started } from '../setup/processes.ts'
import { startRedis, type TestRedis } from '../setup/redis.ts'
import { openEvents } from '../sse/events.ts'

/**
 * Two processes over one database and one Redis, as behind a proxy that sends each request to another one.
 */
let redis: TestRedis
let chain: TestChain
let database: TestDatabase
let processes: Processes
let started: Started[] = []

const start = (environment: Record<string, string> = {}) =>
  processes.start('serve', { REDIS_URL: redis.url, STREAMS_PER_CLIENT: '3', ...environment })

beforeAll(async () => {
  ;[redis, chain, database] = await Promise.all([startRedis(), startTestChain(), createTestDatabase()])
  processes = await createProcesses(chain, { databaseUrl: database.url })
  started = [await start(), await start()]
})
afterAll(async () => {
  await processes?.[Symbol.asyncDispose]()
  await Promise.all([redis, chain, database].map((one) => one?.[Symbol.asyncDispose]()))
})

const urlOf = (index: number) => `${started[index]?.ready}/graphql/stream`
const query = `subscription ($account: Address!, $after: String) {
  notifications(account: $account, after: $after) { cursor node { message } }
}`
let accounts = 0
async function accountWith(count: number) {
  const account = numbered((0xc0 + accounts++).toString(16))
  for (let index = 0; index < count; index++) await storeNotification(database.db, account, index)
  return account
}

async function reserve(index: number) {
  const response = await fetch(urlOf(index), { method: 'PUT' })
  expect(response.status).toBe(201)
  return { 'x-graphql-event-stream-token': await response.text() }
}

const post = (index: number, token: Record<string, string>, operationId: string, variables: object) =>
  fetch(urlOf(index), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...token },
    body: JSON.stringify({ query, variables, extensions: { operationId } }),
  })

const refusalOf = async (response: Response) => {
  const { errors } = (await response.json()) as {
    errors: { message: string; extensions: { code: string } }[]
  }
  return [response.status, errors[0]?.extensions.code, errors[0]?.message]
}

test('graphql-sse with one connection works when each of its requests goes to another process', async () => {
  const account = await accountWith(2)
  const asked: string[] = []
  const client = createClient({
    url: urlOf(0),
    singleConnection: true,
    lazy: true,
    retryAttempts: 0,
    fetchFn: (url: string, init: RequestInit) => {
      const { search } = new URL(url)
      const index = asked.length % 2
      asked.push(`${init.method ?? 'GET'} ${index}`)
      return fetch(`${urlOf(index)}${search}`, init)
    },
  })
  const messages = async (count: number) => {
    const found: string[] = []
    for await (const { data, errors } of client.iterate({
      query,
      variables: { account, after: 'earliest' },
    })) {
      if (errors) throw errors[0]
      // biome-ignore lint/suspicious/noExplicitAny: JSON of a response
      found.push((data as any).notifications.node.message)
      if (found.length === count) break
    }
    return found
  }
  expect(await messages(2)).toEqual(['notification 0', 'notification 1'])
  const several = Promise.all([messages(3), messages(3), messages(3)])
  await storeNotification(database.db, account, 2)
  for (const found of await several) expect(found).toHaveLength(3)
  client.dispose()
  expect(asked.slice(0, 3)).toEqual(['PUT 0', 'GET 1', 'POST 0'])
  // Operations came to both processes.
  expect(new Set(asked.filter((each) => each.startsWith('POST')))).toEqual(new Set(['POST 0', 'POST 1']))
})

test('an operation that another process took is ended there too, and its stream ends with its process', async () => {
  const account = await accountWith(1)
  const third = await start()
  started.push(third)
  const token = await reserve(0)
  await using events = await openEvents(urlOf(2), { headers: token })
  expect((await post(1, token, 'a', { account, after: 'earliest' })).status).toBe(202)
  const [first] = await events.first(1)
  expect(first?.data).toMatchObject({ id: 'a', payload: { data: { notifications: {} } } })
  const again = await post(0, token, 'a', { account })
  expect((await refusalOf(again)).slice(0, 2)).toEqual([409, 'InvalidQuery'])
  const ended = await fetch(`${urlOf(0)}?operationId=a`, { method: 'DELETE', headers: token })
  expect(ended.status).toBe(200)
  await eventually('the operation is gone', async () => {
    const { status } = await post(1, token, 'a', { account })
    return status === 202
  })
  const second = await fetch(urlOf(1), { headers: { accept: 'text/event-stream', ...token } })
  expect((await refusalOf(second)).slice(0, 1)).toEqual([409])

  await end(third.child, 'SIGKILL')
  await eventually('the stream is closed', () => events.isClosed())
  const [status, code, message] = await refusalOf(await post(1, token, 'b', { account }))
  expect([status, code]).toEqual([404, 'NotFound'])
  expect(message).toContain('it ended with its process')
})

test('a reservation that has operations already stays where it is', async () => {
  const account = await accountWith(1)
  const token = await reserve(0)
  expect((await post(1, token, 'a', { account, after: 'earliest' })).status).toBe(202)
  const elsewhere = await fetch(urlOf(1), { headers: { accept: 'text/event-stream', ...token } })
  expect((await refusalOf(elsewhere))[0]).toBe(409)
  await using events = await openEvents(urlOf(0), { headers: token })
  const [first] = await events.first(1)
  expect(first?.data.id).toBe('a')
})

test('reservations of a client are limited over all processes, and one takes no place twice', async () => {
  const streams = []
  for (const index of [0, 1, 0]) {
    const headers = await eventually('earlier streams are given back', () =>
      reserve(index).catch(() => undefined),
    )
    // A reservation that is not opened expires while the next one waits for its place.
    if (streams.length === 2) expect((await fetch(urlOf(1), { method: 'PUT' })).status).toBe(429)
    streams.push(await openEvents(urlOf(1 - index), { headers }))
  }
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
  expect((await fetch(urlOf(1), { method: 'PUT' })).status).toBe(429)
  for (const stream of streams) await stream[Symbol.asyncDispose]()
})

test('while Redis is away a token of another process is 503 with the cause, and streams of one process go on', async () => {
  const account = await accountWith(1)
  const token = await eventually('a place is free', () => reserve(0).catch(() => undefined))
  await redis.stop()
  const [status, code, message] = await refusalOf(await post(1, token, 'a', { account }))
  expect([status, code]).toEqual([503, 'Unavailable'])
  expect(message).toContain('Redis')
  await using events = await openEvents(urlOf(0), { headers: token })
  expect((await post(0, token, 'a', { account, after: 'earliest' })).status).toBe(202)
  expect((await events.first(1))[0]?.data.id).toBe('a')
  await redis.start()
  await eventually('the other process finds it again', async () => {
    const { status } = await post(1, token, 'b', { account })
    return status === 202
  })
})
