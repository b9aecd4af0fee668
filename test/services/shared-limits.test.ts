import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { openRedis } from '../../src/outside/redis/redis.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startRedis, type TestRedis } from '../setup/redis.ts'
import { startProgram } from '../setup/world.ts'

/** Four processes' worth of the program, each with its own memory, that share a Redis. */
const processes = 4
const rate = 20
const burst = 2 * rate
const streams = 3

let redis: TestRedis
let chain: TestChain
let database: TestDatabase
let apps: App[] = []

beforeAll(async () => {
  ;[redis, chain, database] = await Promise.all([startRedis(), startTestChain(), createTestDatabase()])
  apps = await startAll(redis.url)
})
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()))
  await Promise.all([redis, chain, database].map((one) => one?.[Symbol.asyncDispose]()))
})

const startAll = (redisUrl: string) =>
  Promise.all(
    Array.from({ length: processes }, () =>
      startProgram(
        { database, chain },
        {
          REDIS_URL: redisUrl,
          RATE_LIMIT_READS: `${rate}`,
          STREAMS_PER_CLIENT: `${streams}`,
          // Half of it at once: two quotes, and a part of the third.
          QUOTE_CLIENT_BYTES: '16000',
          // Clients of the tests come from addresses of their own.
          TRUSTED_PROXIES: '127.0.0.1',
        },
      ),
    ),
  )

const urlOf = (index: number) => apps[index % processes]?.url ?? ''
const from = (client: string) => ({ 'content-type': 'application/json', 'x-forwarded-for': client })

async function ask(index: number, client: string, body: object = { query: '{ networks { name } }' }) {
  return fetch(`${urlOf(index)}/graphql`, {
    method: 'POST',
    headers: from(client),
    body: JSON.stringify(body),
  })
}

/** Asks all processes as fast as they answer. @returns how many were let through, and in how many seconds */
async function hammer(client: string, seconds: number) {
  const started = performance.now()
  const elapsed = () => (performance.now() - started) / 1_000
  let passed = 0
  const faults = new Set<number>()
  const one = async (index: number) => {
    while (elapsed() < seconds) {
      const answer = await ask(index, client)
      await answer.arrayBuffer()
      if (answer.status === 200) passed++
      else if (answer.status !== 429) faults.add(answer.status)
    }
  }
  await Promise.all(Array.from({ length: processes * 2 }, (_, index) => one(index)))
  return { passed, seconds: elapsed(), faults: [...faults] }
}

test('a client that asks four processes gets what one would give it', async () => {
  const { passed, seconds, faults } = await hammer('198.51.100.1', 10)
  const allowed = burst + rate * seconds
  expect(faults).toEqual([])
  expect(passed).toBeLessThanOrEqual(1.2 * allowed)
  expect(passed).toBeGreaterThan(0.6 * allowed)
  // Nobody else is held up.
  expect((await ask(0, '198.51.100.2')).status).toBe(200)
})

test('bytes that a client stores at four processes count together', async () => {
  const { accounts, network, tokens } = chain.market
  const quote = async (index: number) => {
    const response = await fetch(`${urlOf(index)}/${network.name}/api/v1/quote`, {
      method: 'POST',
      headers: from('198.51.100.7'),
      body: JSON.stringify({
        sellToken: tokens.WETH.address,
        buyToken: tokens.USDC.address,
        from: accounts[0]?.address,
        kind: 'sell',
        sellAmountBeforeFee: `${10n ** 17n + BigInt(index)}`,
        priceQuality: 'optimal',
      }),
    })
    const { status } = response
    await response.arrayBuffer()
    return status
  }
  const connection = openRedis({ url: redis.url, now: Date.now, log: silentLog })
  const isOpen = () => connection.ask((server) => server.ping()).catch(() => undefined)
  await eventually('Redis answers', isOpen)
  const owed = () => connection.ask((server) => server.get('tradegraph:budget:stored quotes:198.51.100.7'))
  const statuses: number[] = []
  for (let index = 0; index < 4 * processes; index++) {
    const before = await owed()
    const status = await quote(index)
    statuses.push(status)
    if (status === 200) await eventually('it is counted for all', async () => (await owed()) !== before)
  }
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  connection.close()
  // A process learns of the others when it stores something itself. Alone, each lets three through.
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(3 + processes)
})

const subscription = (index: number, client: string) =>
  fetch(`${urlOf(index)}/graphql/stream`, {
    method: 'POST',
    headers: { ...from(client), accept: 'text/event-stream' },
    body: JSON.stringify({
      query: `subscription { auctions(network: "${chain.market.network.name}") { __typename } }`,
    }),
  })

test('streams of a client are counted at all processes, and given back', async () => {
  const client = '198.51.100.3'
  const open = await Promise.all(
    Array.from({ length: processes * 2 }, (_, index) => subscription(index, client)),
  )
  const taken = open.filter(({ status }) => status === 200)
  expect(taken.length).toBe(streams)
  for (const { body } of open) await body?.cancel()
  await eventually('a stream is free', async () => {
    const { status, body } = await subscription(1, client)
    await body?.cancel()
    return status === 200
  })
})

test('a document that one process was sent is known to the others', async () => {
  const query = '{ networks { name chainId } }'
  const sha256Hash = createHash('sha256').update(query).digest('hex')
  const extensions = { persistedQuery: { version: 1, sha256Hash } }
  expect((await ask(0, '198.51.100.4', { query, extensions })).status).toBe(200)
  const answer = await eventually('it is known', async () => {
    const found = await (await ask(1, '198.51.100.4', { extensions })).json()
    return found.errors ? undefined : found
  })
  expect(answer.data.networks).toHaveLength(1)
})

test('while Redis is away each process counts for itself, and together again when it is back', async () => {
  await redis.stop()
  const away = await hammer('198.51.100.5', 3)
  expect(away.faults).toEqual([])
  expect(away.passed).toBeGreaterThan(burst)
  expect(away.passed).toBeLessThanOrEqual(1.2 * processes * (burst + rate * away.seconds))
  const opened = await subscription(0, '198.51.100.6')
  expect(opened.status).toBe(200)
  await opened.body?.cancel()

  await redis.start()
  const isShared = async () => {
    const client = `203.0.113.${Math.floor(Math.random() * 250)}`
    const { passed, seconds } = await hammer(client, 4)
    return passed <= 1.2 * (burst + rate * seconds)
  }
  await eventually('the limits are shared again', isShared, 60_000)
})
