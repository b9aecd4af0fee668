import { fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createNatsSender } from '../../src/notifications/sinks/nats.ts'
import { runSinks } from '../../src/notifications/sinks/run.ts'
import { sinkLimits } from '../../src/notifications/sinks/sink.ts'
import { openEventStream } from '../../src/outside/nats.ts'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { ensureSink } from '../../src/storage/feeds/sinks.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { pagesOf, sinkEvents } from '../fakes/sink-source.ts'
import { eventually } from '../setup/eventually.ts'
import { startNats, type TestNats } from '../setup/nats.ts'

const serverUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const database = `tradegraph_${randomBytes(6).toString('hex')}`
const url = new URL(serverUrl)
url.pathname = `/${database}`
const program = path.join(import.meta.dirname, 'sink-process.ts')

let nats: TestNats
let db: Database
beforeAll(async () => {
  await onServer(`CREATE DATABASE ${database}`)
  await applyMigrations(url.href)
  db = openDatabase({ url: url.href, maxConnections: 5 })
})
beforeEach(async () => {
  nats = await startNats()
})
afterEach(async () => {
  await nats?.[Symbol.asyncDispose]()
})
afterAll(async () => {
  await db?.close()
  await onServer(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
})

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

async function startAtFirst(): Promise<void> {
  const client = new Client({ connectionString: url.href })
  await client.connect()
  await client.query('DELETE FROM feed_sinks').finally(() => client.end())
  await ensureSink(db, { id: randomUUID(), kind: 'nats', name: 'nats' })
}

const stored = (count: number) =>
  sinkEvents(count).map(({ cursor, json, name, chainId }) => ({
    id: cursor,
    text: json,
    subject: `event.${chainId}.${name}`,
  }))

async function countOf(stream: string): Promise<number> {
  const connection = await connect({ servers: nats.url })
  const { streams } = await jetstreamManager(connection)
  const count = await streams.info(stream).then(
    ({ state }) => state.messages,
    () => 0,
  )
  await connection.close()
  return count
}

test('a publisher that is killed at random leaves each entry once in the stream, in order', async () => {
  await startAtFirst()
  const [kills, count, max] = [Number(process.env.SINK_KILLS ?? 4), 40_000, 50]
  let pages = 0
  for (let kill = 0; kill < kills; kill++) {
    const child = fork(program, [url.href, nats.url, `${count}`, `${max}`], {
      execArgv: ['--import', 'tsx'],
    })
    const last = pages + 1 + Math.floor(Math.random() * 12)
    await new Promise<void>((resolve) => {
      child.on('message', () => ++pages >= last && resolve())
      child.once('exit', () => resolve())
    })
    await pause(Math.random() * 5)
    expect(child.exitCode).toBeNull()
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const before = await countOf('BOOK')
  // Each process has left something, and the last one not the end.
  expect(before).toBeGreaterThan(kills)
  expect(before).toBeLessThan(count)
  const rest = before + 500
  const { stop } = startHere('BOOK', rest)
  await eventually('all are there', async () => (await countOf('BOOK')) >= rest)
  await stop()
  expect(await nats.read('BOOK')).toEqual(stored(rest))
}, 400_000)

test('a publisher that is left at 50 random points leaves each entry once in the stream, in order', async () => {
  await startAtFirst()
  const max = 20_000
  let failed = 0
  for (let turn = 0; turn < 50; turn++) {
    const { outcomes, left } = startHere('LEFT', max, Math.ceil(Math.random() * 10))
    await left
    failed += outcomes.failed
  }
  const before = await countOf('LEFT')
  expect(before).toBeGreaterThan(1_000)
  expect(before).toBeLessThan(max)
  const { stop } = startHere('LEFT', before + 100)
  await eventually('all are there', async () => (await countOf('LEFT')) >= before + 100)
  await stop()
  expect(failed).toBe(0)
  expect(await nats.read('LEFT')).toEqual(stored(before + 100))
}, 200_000)

/** Publishes the first entries here. @param pages after which it is left, within ten milliseconds */
function startHere(stream: string, count: number, pages = Number.POSITIVE_INFINITY) {
  const stopping = new AbortController()
  const options = { url: nats.url, stream, prefix: 'event', now: Date.now, log: silentLog }
  const outcomes = { sent: 0, failed: 0 }
  const read = pagesOf(sinkEvents(count))
  let unread = pages
  const running = runSinks(
    {
      db,
      now: Date.now,
      log: silentLog,
      random: () => 0.5,
      leaseMs: 300,
      kinds: ['nats'],
      ofPartners: false,
      limits: { ...sinkLimits, events: 20, retryMs: { min: 50, max: 200 } },
      signals: { on: () => () => {} },
      meter: {
        count: (_kind, outcome, events) => {
          outcomes[outcome] += events
        },
        countGap() {},
      },
      readPage(page) {
        if (--unread === 0) setTimeout(() => stopping.abort(), Math.random() * 10)
        return read(page)
      },
      open: () => createNatsSender(openEventStream(options), 'event'),
    },
    stopping.signal,
  )
  return {
    outcomes,
    left: running,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

test('nothing is lost while NATS is away', async () => {
  await startAtFirst()
  const { outcomes, stop } = startHere('AWAY', 5_000)
  await eventually('it publishes', () => outcomes.sent > 100)
  await nats.kill()
  await eventually('it fails', () => outcomes.failed > 0)
  await nats.start()
  await eventually('all are published', () => outcomes.sent === 5_000, 15_000)
  await stop()
  expect(await nats.read('AWAY')).toEqual(stored(5_000))
}, 200_000)

test('another publisher in the stream delays it, and breaks neither order nor ids', async () => {
  const options = { url: nats.url, stream: 'SHARED', prefix: 'shared', now: Date.now, log: silentLog }
  const connection = await connect({ servers: nats.url })
  let refused = 0
  const ids: string[] = []
  for (let batch = 0; batch < 30 || refused === 0; batch++) {
    const stream = openEventStream(options)
    const messages = Array.from({ length: 50 }, (_, index) => ({
      subject: 'shared.1.x',
      id: `${batch * 50 + index}`,
      data: '',
    }))
    // The first batch creates the stream.
    const others = setInterval(() => batch > 0 && connection.publish('shared.other', ''))
    for (let isStored = false; !isStored; ) {
      isStored = await stream.publish(messages).then(
        () => true,
        () => false,
      )
      if (!isStored) refused++
    }
    clearInterval(others)
    await stream.close()
    ids.push(...messages.map(({ id }) => id))
  }
  await connection.close()
  const found = (await nats.read('SHARED')).map(({ id }) => id).filter((id) => id !== '')
  expect(found).toEqual(ids)
  expect(refused).toBeGreaterThan(0)
}, 120_000)

test('an existing stream that stores other subjects is refused, with its reason', async () => {
  const connection = await connect({ servers: nats.url })
  await (await jetstreamManager(connection)).streams.add({ name: 'OTHER', subjects: ['other.>'] })
  await connection.close()
  const stream = openEventStream({
    url: nats.url,
    stream: 'OTHER',
    prefix: 'none',
    now: Date.now,
    log: silentLog,
  })
  expect(await stream.isCreated()).toBe(true)
  await expect(stream.publish([{ subject: 'none.1.x', id: '1', data: '' }])).rejects.toMatchObject({
    reason: 'does not answer, or has no such stream',
  })
  await stream.close()
})

test('a stream that is not created yet, and subjects that another one stores, are reported', async () => {
  const open = (stream: string) =>
    openEventStream({ url: nats.url, stream, prefix: 'event', now: Date.now, log: silentLog })
  const [first, second] = [open('FIRST'), open('SECOND')]
  const message = { subject: 'event.1.x', id: '1', data: '' }
  expect(await first.isCreated()).toBe(false)
  await first.publish([message])
  expect(await first.isCreated()).toBe(true)
  await expect(second.publish([message])).rejects.toMatchObject({
    reason: 'has another stream with these subjects',
  })
  await Promise.all([first.close(), second.close()])
})
