import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createStreamMeter } from '../../src/http/event-stream.ts'
import { recordNotifications } from '../../src/storage/notifications.ts'
import { numbered, sampleOrder } from '../fakes/order.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { openEvents } from './events.ts'

const account = numbered('1c')
const query = `subscription { notifications(account: "${account}", after: "earliest") { node { message } } }`
/** Of the client, a second; its burst is twice that, and streams have half of it. */
const reads = 2
const stored = 800
/** Each event is about a hundredth of a unit; what is counted at once is a quarter of one. */
const minRestMs = ((stored / 100 - 0.25 - reads) * 1_000) / reads

const all = Array.from({ length: stored }, (_, index) => `notification ${index}`)

const streamMeter = createStreamMeter()
let server: TestServer
/** Milliseconds by which the clock is ahead. */
let skippedMs = 0
/** The time at which the clock stands still: a slow machine must not earn units while it reads. */
let stoppedAt: number | undefined
beforeAll(async () => {
  const now = () => (stoppedAt ?? Date.now()) + skippedMs
  server = await openTestServer({}, { rateLimits: { reads, quotes: 0, orders: 0 }, now, streamMeter })
  await server.database.db.transaction((tx) =>
    recordNotifications(
      tx,
      all.map((message, index) => ({
        cause: `test:${index}`,
        account,
        type: 'order_filled',
        message,
        blockNumber: null,
        timestamp: new Date(1_799_999_000_000 + index),
        metadata: { orderId: sampleOrder().uid, chainId: 11155111, executedAmount: String(index) },
      })),
    ),
  )
})
// The allowance of each test is full, and stays as it is until the stream waits.
beforeEach(() => {
  skippedMs += 60_000
  stoppedAt = Date.now()
})

async function untilItWaits(before: number): Promise<void> {
  await eventually('the stream waits', () => streamMeter.rests > before)
  stoppedAt = undefined
}
afterAll(() => server?.[Symbol.asyncDispose]())

async function unitsLeft(): Promise<number> {
  const response = await fetch(`${server.url}/graphql?query={__typename}`)
  expect(response.status).toBe(200)
  return Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
}

test('a stream goes on more slowly when its client is over its cost units, and loses nothing', async () => {
  const before = streamMeter.rests
  const started = performance.now()
  await using stream = await openEvents(`${server.url}/graphql/stream?${new URLSearchParams({ query })}`)
  await untilItWaits(before)
  // Half of the allowance is left to requests.
  expect(await unitsLeft()).toBeGreaterThanOrEqual(0)
  const events = await stream.first(stored)
  expect(performance.now() - started).toBeGreaterThan(minRestMs)
  expect(events.map(({ data }) => data.data.notifications.node.message)).toEqual(all)
}, 20_000)

test('so does one that carries several operations', async () => {
  const before = streamMeter.rests
  const client = createClient({
    url: `${server.url}/graphql/stream`,
    singleConnection: true,
    retryAttempts: 0,
  })
  const waits = untilItWaits(before)
  const messages: string[] = []
  interface Step {
    notifications: { node: { message: string } }
  }
  for await (const { data } of client.iterate<Step>({ query })) {
    messages.push(data?.notifications.node.message ?? '')
    if (messages.length === stored) break
  }
  client.dispose()
  await waits
  expect(messages).toEqual(all)
}, 20_000)
