import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/storage/database/database.ts'
import { readCurrent } from '../../src/storage/database/prepared.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startHangingProxy } from '../setup/hanging-proxy.ts'
import { openTestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'
import { openEvents } from '../sse/events.ts'

const uid = `0x${'ab'.repeat(56)}`

test('a database that is away is asked once per request, and each field reports the outage', async () => {
  const statements: string[] = []
  const db = openDatabase({
    url: 'postgresql://nobody:none@127.0.0.1:1/none',
    maxConnections: 2,
    onStatement: (sql) => statements.push(sql),
  })
  await using server = await openTestServer({}, { db })
  const query = `{ order(uid: "${uid}") { uid } }`
  const { status, body } = await request(`${server.url}/graphql`, 'POST', { query })
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      data: { order: null },
      errors: [{ path: ['order'], extensions: { code: 'Unavailable', retryable: true } }],
    },
  })
  expect(statements).toHaveLength(1)
  await db.close()
})

describe('a database that hangs, although connections to it are open,', () => {
  const order = `{ order(uid: "${uid}") { uid } }`
  const settings = { ...unlimited, CMS_ENABLED: 'true', CMS_API_KEY: 'cms-key-of-the-tests' }
  let chain: TestChain
  beforeAll(async () => {
    chain = await startTestChain()
  })
  afterAll(() => chain?.[Symbol.asyncDispose]())

  test.each<[string, ask: (url: string) => Promise<unknown>, limitMs: number]>([
    ['GraphQL', async (url) => (await request(`${url}/graphql`, 'POST', { query: order })).body, 5_000],
    ['REST', async (url) => (await request(`${url}/sepolia/api/v1/orders/${uid}`)).body, 5_000],
    [
      'a stream',
      async (url) => {
        const query = `subscription { orderEvents(uid: "${uid}") { cursor } }`
        await using events = await openEvents(`${url}/graphql/stream?${new URLSearchParams({ query })}`)
        return await eventually('it says so', async () => /Unavailable/.exec(events.text())?.[0], 20_000)
      },
      // It reads again twice, each time over a new connection.
      9_000,
    ],
  ])('is reported soon to the first request over %s', async (_, ask, limitMs) => {
    await using database = await createTestDatabase()
    await using proxy = await startHangingProxy(database.url)
    const program = await startProgram({ database: proxy, chain }, settings)
    try {
      const url = program.url ?? ''
      await request(`${url}/sepolia/api/v1/orders/${uid}`)
      proxy.hang()
      const started = performance.now()
      expect(JSON.stringify(await ask(url))).toContain('Unavailable')
      expect(performance.now() - started).toBeLessThan(limitMs)
    } finally {
      await program.close()
    }
  })

  test('is not taken for one that works on a long statement', async () => {
    await using database = await createTestDatabase()
    expect(await readCurrent(database.db, `SELECT 'done' FROM pg_sleep(4)`, [])).toEqual([['done']])
  })
})
