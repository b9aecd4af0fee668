import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { expect, inject, test } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { createFeedTail } from '../../src/storage/feeds/tail.ts'
import { notificationFeed } from '../../src/storage/models/notification/feed.ts'
import { recordNotifications } from '../../src/storage/notifications.ts'
import { headOf, notificationOf, readEntries } from '../fakes/feed-reading.ts'
import { numbered } from '../fakes/order.ts'

const run = promisify(execFile)
const serverUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const account = numbered('d1')

/** A database of a server, which is dropped at the end. */
async function createOn(server: string) {
  const name = `tradegraph_${randomBytes(6).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const onServer = async (statement: string) => {
    const client = new Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await onServer(`CREATE DATABASE ${name}`)
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => onServer(`DROP DATABASE ${name} WITH (FORCE)`),
  }
}

async function record(db: Database, ...messages: string[]): Promise<void> {
  const shared = { account, type: 'order_filled' as const, timestamp: new Date(0), blockNumber: null }
  const metadata = { orderId: '0x', chainId: 1 } as const
  for (const message of messages)
    await db.transaction((tx) => recordNotifications(tx, [{ ...shared, metadata, cause: message, message }]))
}

const messagesAfter = async (db: Database, place: bigint) =>
  (await readEntries(db, notificationFeed, account, place, 100)).map((row) => notificationOf(row).message)

test('a cursor stays good after a dump into another cluster', async () => {
  await using source = await createOn(serverUrl)
  await using target = await createOn(inject('serverUrl'))
  await applyMigrations(source.url)
  const before = openDatabase({ url: source.url, maxConnections: 2 })
  await record(before, 'a', 'b', 'c')
  const [first] = await readEntries(before, notificationFeed, account, 0n, 1)
  const cursor = String(first?.place)
  const head = await headOf(before)
  await before.close()

  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-dump-'))
  const dump = path.join(folder, 'dump.sql')
  await run('pg_dump', ['--no-owner', '--file', dump, source.url])
  await run('psql', ['--quiet', '--no-psqlrc', '--file', dump, target.url])
  rmSync(folder, { recursive: true })

  const after = openDatabase({ url: target.url, maxConnections: 2 })
  const position = createFeedTail(after, notificationFeed).placeOf(cursor)
  expect(await messagesAfter(after, position)).toEqual(['b', 'c'])
  expect(await headOf(after)).toBe(head)
  await record(after, 'd')
  expect(await messagesAfter(after, position)).toEqual(['b', 'c', 'd'])
  expect(await messagesAfter(after, head)).toEqual(['d'])
  await after.close()
})
