import { expect, test } from 'vitest'
import { openDatabase } from '../../src/storage/database/database.ts'
import { connectDirectly, createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const uid = `0x${'ab'.repeat(56)}`
const readers = {
  'a REST row': (url: string, signal: AbortSignal) =>
    fetch(`${url}/sepolia/api/v1/orders/${uid}`, { signal }),
  'a compiled document': (url: string, signal: AbortSignal) =>
    ask(url, `{ order(uid: "${uid}") { uid } }`, signal),
  'an executed document': (url: string, signal: AbortSignal) =>
    ask(url, `{ meta { version } order(uid: "${uid}") { uid sellToken { usdPrice { price } } } }`, signal),
}

function ask(url: string, query: string, signal: AbortSignal) {
  const headers = { 'content-type': 'application/json' }
  return fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }), signal })
}

const waitingFor = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'`

test.each(Object.entries(readers))('the statement of %s ends when its client leaves', async (_name, read) => {
  await using database = await createTestDatabase()
  const db = openDatabase({ url: database.url, maxConnections: 4 })
  await using server = await openTestServer({}, { db })
  await using other = await connectDirectly(database.url)
  await using watch = await connectDirectly(database.url)
  const waiting = async () => (await watch.query<{ waiting: number }>(waitingFor)).rows[0]?.waiting
  await other.query('BEGIN; LOCK TABLE orders')
  // More clients than connections: some wait for one, and give it back.
  const leaving = new AbortController()
  const left = Array.from({ length: 10 }, () => read(server.url, leaving.signal).catch(() => 'left'))
  await eventually('both connections for reads wait', async () => (await waiting()) === 2)
  leaving.abort()
  expect(await Promise.all(left)).toEqual(Array(10).fill('left'))
  const began = performance.now()
  await eventually('no statement runs on', async () => (await waiting()) === 0)
  expect(performance.now() - began).toBeLessThan(1_500)
  await other.query('ROLLBACK')
  // The connections are good.
  expect((await request(`${server.url}/sepolia/api/v1/orders/${uid}`)).status).toBe(404)
  expect(server.faults).toEqual([])
  await db.close()
})

test('who finds no connection gets 503 within two seconds, and when to come again', async () => {
  await using database = await createTestDatabase()
  const db = openDatabase({ url: database.url, maxConnections: 2 })
  await using server = await openTestServer({}, { db })
  await using other = await connectDirectly(database.url)
  await other.query('BEGIN; LOCK TABLE orders')
  const first = fetch(`${server.url}/sepolia/api/v1/orders/${uid}`)
  await using watch = await connectDirectly(database.url)
  await eventually(
    'the only connection for reads waits',
    async () => (await watch.query<{ waiting: number }>(waitingFor)).rows[0]?.waiting === 1,
  )
  const began = performance.now()
  const [rest, document] = await Promise.all([
    request(`${server.url}/sepolia/api/v1/orders/${uid}`),
    request(`${server.url}/graphql`, 'POST', { query: `{ order(uid: "${uid}") { uid } }` }),
  ])
  const took = performance.now() - began
  expect(took).toBeGreaterThan(1_000)
  // Two seconds, and as much for a busy machine; a statement itself may take ten.
  expect(took).toBeLessThan(4_000)
  expect(rest).toMatchObject({ status: 503, body: { errorType: 'Unavailable' } })
  expect(rest.headers.get('retry-after')).toBe('1')
  expect(document.body.errors).toMatchObject([{ extensions: { code: 'Unavailable', retryable: true } }])
  expect(document.headers.get('retry-after')).toBe('1')
  await other.query('ROLLBACK')
  expect((await first).status).toBe(404)
  await db.close()
})
