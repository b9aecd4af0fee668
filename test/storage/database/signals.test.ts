import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { applyMigrations } from '../../../src/storage/database/migrations.ts'
import { openSignals, signal } from '../../../src/storage/database/signals.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { connectDirectly, createTestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'

test('a signal arrives when its transaction commits, and not when it rolls back', async () => {
  await using database = await createTestDatabase()
  const signals = await openSignals(database.url, silentLog)
  const heard: (string | undefined)[] = []
  signals.on('feed', (payload) => heard.push(payload))
  await expect(
    database.db.transaction(async (tx) => {
      await signal(tx, 'feed', 'lost')
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await database.db.transaction((tx) => signal(tx, 'orders', 'elsewhere'))
  await database.db.transaction((tx) => signal(tx, 'feed', 'told'))
  await eventually('the signal', () => heard.length > 0)
  expect(heard).toEqual(['told'])
  await signals.close()
})

test('a killed connection is reopened; listeners are notified of the gap and get later signals', async () => {
  await using database = await createTestDatabase()
  const signals = await openSignals(database.url, silentLog)
  const heard: (string | undefined)[] = []
  const silence = signals.on('orders', () => heard.push('never'))
  silence()
  signals.on('feed', (payload) => heard.push(payload))
  await using client = await connectDirectly(database.url)
  const listeners = `FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`
  for (const lost of [1, 2]) {
    await client.query(`SELECT pg_terminate_backend(pid) ${listeners}`)
    await eventually('the gap is reported', () => heard.length === 2 * lost - 1)
    await database.db.transaction((tx) => signal(tx, 'feed', 'told'))
    await eventually('the signal', () => heard.length === 2 * lost)
    expect((await client.query(`SELECT 1 ${listeners}`)).rows).toHaveLength(1)
  }
  expect(heard).toEqual([undefined, 'told', undefined, 'told'])
  await signals.close()
  await eventually(
    'no connection listens',
    async () => (await client.query(`SELECT 1 ${listeners}`)).rows.length === 0,
  )
})

test('a failure to open leaves nothing behind', async () => {
  await using database = await createTestDatabase()
  const url = new URL(database.url)
  url.pathname = '/nowhere'
  const warnings: string[] = []
  const log = { ...silentLog, warn: (message: string) => warnings.push(message) }
  await expect(openSignals(url.href, log)).rejects.toThrow('"nowhere" does not exist')
  // The end of the failed connection is reported after the failure.
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  expect(warnings).toEqual([])
})

test('a database that does not answer is named', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `postgres://tradegraph@127.0.0.1:${(silent.address() as AddressInfo).port}/tradegraph`
  const told = 'the database does not answer: timeout expired'
  await Promise.all([
    expect(openSignals(url, silentLog)).rejects.toThrow(told),
    expect(applyMigrations(url)).rejects.toThrow(told),
  ])
  silent.close()
})
