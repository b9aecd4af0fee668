import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RetentionDays, sweep } from '../../../src/storage/retention/sweep.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const now = Date.now()
const days: RetentionDays = {
  events: 0,
  competitions: 0,
  marketPrices: 0,
  feed: 0,
  quotes: 1,
  idempotencyKeys: 1,
  deliveries: 30,
}

let database: TestDatabase
let client: Awaited<ReturnType<typeof connectDirectly>>
beforeAll(async () => {
  database = await createTestDatabase()
  client = await connectDirectly(database.url)
})
afterAll(async () => {
  await client?.end()
  await database?.[Symbol.asyncDispose]()
})

const agesOf = async (sql: string) => (await client.query(sql)).rows.map(({ age }) => Number(age))
const ago = (unit: string) => `now() - g * interval '1 ${unit}'`

test('what belongs to channels and sessions rests for its time, and no longer', async () => {
  const rows = 'generate_series(1, 90) g'
  const channel = (id: string, state: string, more: string, values: string) =>
    `INSERT INTO channels (id, account, kind, state, address, created_at, ${more}) SELECT ${id}, '\\x', 'webhook', '${state}', ${id}::text, now(), ${values} FROM ${rows}`
  const idOf = (n: string) => `('00000000-0000-0000-0000-' || lpad((${n})::text, 12, '0'))::uuid`
  for (const statement of [
    `INSERT INTO sign_in_nonces (nonce, expires_at) SELECT g, ${ago('minute')} + interval '45.5 minutes' FROM ${rows}`,
    `INSERT INTO sessions (token_hash, account, created_at, expires_at)
     SELECT g::text::bytea, '\\x', now(), ${ago('minute')} + interval '45.5 minutes' FROM ${rows}`,
    `INSERT INTO channel_confirmations (kind, receiver, account, sent_at) SELECT 'webhook', '\\x', '\\x', ${ago('hour')} FROM ${rows}`,
    channel(idOf('g'), 'ended', 'ended_at', ago('day')),
    // Their deliveries keep them.
    channel(idOf('1000 + g'), 'ended', 'ended_at', ago('day')),
    channel(idOf('2000 + g'), 'active', 'confirmed_at', ago('day')),
    channel(
      idOf('3000 + g'),
      'pending',
      'confirmation_expires_at',
      `${ago('minute')} + interval '45.5 minutes'`,
    ),
    `INSERT INTO deliveries (channel_id, kind, state, ended_at) SELECT ${idOf('1000 + g')}, 'webhook', 'delivered', now() FROM ${rows}`,
    `INSERT INTO deliveries (channel_id, kind, state, ended_at, status)
     SELECT ${idOf('2001')}, 'webhook', (ARRAY['delivered', 'dead', 'dropped'])[1 + g % 3], ${ago('day')}, 7 FROM ${rows}`,
    // Nothing sends to them.
    `INSERT INTO deliveries (channel_id, kind, waiting_since) SELECT ${idOf('2002')}, (ARRAY['email', 'push'])[1 + g % 2], ${ago('day')} FROM ${rows}`,
  ])
    await client.query(statement)
  const options = { db: database.db, networks: [], days, now: () => now, log: silentLog, batchRows: 20 }
  const removed = await sweep(options, new AbortController().signal)
  expect(removed).toEqual({
    sign_in_nonces: 45,
    sessions: 45,
    channel_confirmations: expect.any(Number),
    channels: 60,
    deliveries: 60,
  })
  const hours = await agesOf(
    `SELECT extract(epoch FROM now() - sent_at) / 3600 AS age FROM channel_confirmations`,
  )
  expect(hours).toHaveLength(24)
  expect(Math.max(...hours)).toBeLessThan(24.1)
  expect(await agesOf(`SELECT count(*) AS age FROM channels WHERE state = 'pending'`)).toEqual([45])
  expect(await agesOf(`SELECT count(*) AS age FROM channels WHERE end_reason = 'unconfirmed'`)).toEqual([45])
  expect(await agesOf(`SELECT count(*) AS age FROM deliveries WHERE fault = 'never sent'`)).toEqual([58])
  expect(await agesOf(`SELECT count(*) AS age FROM deliveries WHERE state = 'waiting'`)).toEqual([32])
  // Carried over without a process that sends.
  expect(await agesOf('SELECT count(*) AS age FROM channel_wakes')).toEqual([0])
  expect(await agesOf('SELECT count(*) AS age FROM channels WHERE next_attempt_at IS NOT NULL')).toEqual([2])
})
