import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OrderUid } from '../../../src/domain/order/order.ts'
import { numbered } from '../../fakes/order.ts'
import { storeNotification, storeOrder } from '../../fakes/story.ts'
import type { TestServer } from '../../setup/server.ts'
import { at, clientOf, fullBucket, jsonOf, left, openLimited } from './client.ts'

/** Reads over HTTP count by what their responses hold, not by what they could hold. */
const collector = numbered('c0')
const unused = numbered('d0')
const storedOrders = 120
const storedNotifications = 150
const readers: (() => void)[] = []
let server: TestServer
let count = 0
let now = at

/** Some fields are not stored, so it is executed field by field. */
const executedQuery = `{ version account(address: "${collector}") { latestNotifications(first: ${storedNotifications}) { notificationId message metadata } } }`

const fresh = () => clientOf(server, `198.51.100.${count++}`)

beforeAll(async () => {
  const usdPrice = () => new Promise<undefined>((resolve) => readers.push(() => resolve(undefined)))
  server = await openLimited({ usdPrice }, { now: () => now })
  const { db } = server.database
  const bytes32 = (digits: number) => `0x${digits.toString(16).padStart(64, '0')}` as const
  for (let index = 0; index < storedOrders; index++) {
    const validTo = 1_900_000_000 + index
    await storeOrder(db, {
      owner: collector,
      validTo,
      uid: `${bytes32(index)}${collector.slice(2)}${validTo.toString(16)}` as OrderUid,
    })
  }
  for (let index = 0; index < storedNotifications; index++) await storeNotification(db, collector, index)
})
afterAll(() => server?.[Symbol.asyncDispose]())

describe('unused units are refunded', () => {
  test.each([
    ['REST', (owner: string) => ({ path: `/sepolia/api/v1/account/${owner}/orders?limit=1000` })],
    [
      'GraphQL',
      (owner: string) => ({
        query: `{ orders(owner: "${owner}", first: 1000) { nodes { uid trades { txHash } } } }`,
      }),
    ],
    [
      'GraphQL, executed',
      (owner: string) => ({
        query: `{ account(address: "${owner}") { orders(first: 1000) { nodes { uid status sellToken { symbol } } } } }`,
      }),
    ],
    ['notifications', (owner: string) => ({ path: `/accounts/${owner}/notifications` })],
  ])('%s: empty pages of 1000 count one unit each', async (_, params) => {
    const client = fresh()
    const { path, query } = { path: undefined, query: '', ...params(unused) }
    const page = () => (path === undefined ? client.graphql(query) : client.send(path))
    for (let times = 1; times <= 40; times++) {
      const answer = await page()
      expect([answer.status, left(answer)]).toEqual([200, fullBucket - times])
    }
    // Fifty a second, without end.
    for (let times = 1; times <= 80; times++) {
      now += 20
      expect((await page()).status).toBe(200)
    }
    expect(left(await page())).toBe(fullBucket - 41)
  })

  test('by_uids with 128 unknown UIDs counts one unit', async () => {
    const uids = Array.from({ length: 128 }, (_, index) => `0x${index.toString(16).padStart(112, '0')}`)
    const answer = await fresh().send('/sepolia/api/v1/orders/by_uids', {
      method: 'POST',
      body: JSON.stringify(uids),
    })
    expect([answer.status, jsonOf(answer), left(answer)]).toEqual([200, [], fullBucket - 1])
  })

  test('a request refused for its content counts one unit', async () => {
    const answer = await fresh().send(`/sepolia/api/v1/account/${collector}/orders?limit=5000`)
    expect([answer.status, left(answer)]).toEqual([400, fullBucket - 1])
  })
})

describe('units by the size of the response', () => {
  test.each([
    ['orders', `/sepolia/api/v1/account/${collector}/orders?limit=1000`, storedOrders, 2],
    ['notifications', `/accounts/${collector}/notifications`, storedNotifications, 1],
  ])('as text of the database: a unit for each 64 KiB of %s', async (_, path, listed, min) => {
    const answer = await fresh().send(path)
    expect(jsonOf(answer)).toHaveLength(listed)
    const units = Math.ceil(answer.bytes.length / 65_536)
    expect(units).toBeGreaterThanOrEqual(min)
    expect(left(answer)).toBe(fullBucket - units)
  })

  test('field by field: a unit for each 8 KiB', async () => {
    const answer = await fresh().graphql(executedQuery)
    const units = Math.ceil(answer.bytes.length / 8_192)
    expect(units).toBeGreaterThan(3)
    expect([answer.status, left(answer)]).toEqual([200, fullBucket - units])
  })

  test('a stream counts like HTTP', async () => {
    const client = fresh()
    const executed = await client.graphql(executedQuery)
    const before = left(executed)
    const streamed = await client.send('/graphql/stream', {
      method: 'POST',
      body: JSON.stringify({ query: executedQuery }),
      headers: { accept: 'text/event-stream' },
    })
    expect(streamed.bytes.toString()).toContain('notification 149')
    const after = left(await client.send('/sepolia/api/v1/version'))
    expect(after).toBe(before - (fullBucket - before) - 1)
  })

  test('a response above its estimate is charged in full, and the client waits until it is made up for', async () => {
    const small = await openLimited({}, { rateLimits: { reads: 1, quotes: 0, orders: 0 } })
    try {
      for (let index = 0; index < storedNotifications; index++)
        await storeNotification(small.database.db, collector, index)
      const client = clientOf(small, '192.0.2.1')
      const answer = await client.graphql(executedQuery)
      expect([answer.status, left(answer)]).toEqual([200, 0])
      const refused = await client.send('/sepolia/api/v1/version')
      // At most as far below empty as a full bucket holds.
      expect([refused.status, jsonOf(refused).data]).toEqual([429, { limit: 'reads', retryAfterMs: 3_000 }])
      expect((await clientOf(small, '192.0.2.2').send('/sepolia/api/v1/version')).status).toBe(200)
    } finally {
      await small[Symbol.asyncDispose]()
    }
  })
})

test('the estimate of a pending response is held back', async () => {
  const client = fresh()
  const heavy = `{ orders(owner: "${unused}", first: 1000) { nodes { uid sellToken { symbol } buyToken { symbol } } } token(address: "${numbered('aa')}") { usdPrice { price } } }`
  const first = client.graphql(heavy)
  await expect.poll(() => readers.length).toBe(1)
  // At most 3,002 objects: 24 units.
  const beside = await client.send('/sepolia/api/v1/version')
  expect(left(beside)).toBe(fullBucket - 24 - 1)
  readers.pop()?.()
  const answer = await first
  expect([answer.status, left(answer)]).toEqual([200, fullBucket - 2 - 1])
})

test('the reads of a client affect neither other clients nor its quotes and orders', async () => {
  const greedy = fresh()
  await greedy.exhaust()
  expect((await greedy.send(`/sepolia/api/v1/account/${collector}/orders?limit=1000`)).status).toBe(429)
  const quote = {
    kind: 'sell',
    sellAmountBeforeFee: '5',
    sellToken: numbered('aa'),
    buyToken: numbered('bb'),
    from: numbered('0f'),
  }
  const quoted = await greedy.send('/sepolia/api/v1/quote', { method: 'POST', body: JSON.stringify(quote) })
  expect([quoted.status, left(quoted, 'quotes')]).toEqual([200, 19])
  const placed = await greedy.send('/sepolia/api/v1/orders', { method: 'POST', body: '{}' })
  expect([placed.status, left(placed, 'orders')]).toEqual([400, 9])
  expect(left(await fresh().send('/sepolia/api/v1/version'))).toBe(fullBucket - 1)
})

test('the policy header names the unit', async () => {
  const { headers } = await fresh().send('/sepolia/api/v1/version')
  expect(headers['ratelimit-policy']).toBe('"reads";q=100;w=2;qu="cost-units"')
})
