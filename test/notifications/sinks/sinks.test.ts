import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import { runSinks, type SinksOptions } from '../../../src/notifications/sinks/run.ts'
import { type SinkEvent, sinkLimits } from '../../../src/notifications/sinks/sink.ts'
import {
  createBookWebhook,
  createBookWebhookSender,
  deleteBookWebhook,
  pauseBookWebhook,
} from '../../../src/notifications/sinks/webhook.ts'
import { OutsideFault } from '../../../src/outside/fault.ts'
import { createReceivers } from '../../../src/outside/receiver.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { ensureSink, findWebhooks, readSinkLags } from '../../../src/storage/feeds/sinks.ts'
import { gapRefusal } from '../../../src/storage/query/stored-refusals.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { pagesOf, sinkEvents } from '../../fakes/sink-source.ts'
import { useTables } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'
import { startReceiver } from '../../setup/receiver.ts'

let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Runs sinks as one process does. */
function startProcess(given: Partial<SinksOptions>) {
  const stopping = new AbortController()
  const listeners = new Set<[string, (payload: string | undefined) => void]>()
  const gaps: string[] = []
  const signals: SinksOptions['signals'] = {
    on(topic, listener) {
      const entry: [string, typeof listener] = [topic, listener]
      listeners.add(entry)
      return () => listeners.delete(entry)
    },
  }
  const running = runSinks(
    {
      db,
      signals,
      now: Date.now,
      random: () => 0.5,
      log: silentLog,
      leaseMs: 300,
      kinds: ['nats', 'webhook'],
      ofPartners: true,
      meter: { count() {}, countGap: (kind) => gaps.push(kind) },
      limits: { ...sinkLimits, retryMs: { min: 10, max: 40 } },
      readPage: pagesOf([]),
      open: () => ({ send: () => Promise.resolve() }),
      ...given,
    },
    stopping.signal,
  )
  const stop = async () => {
    stopping.abort()
    await running
    expect(listeners.size).toBe(0)
  }
  stops.push(stop)
  return {
    gaps,
    stop,
    signal: (topic: string, payload?: string) => {
      for (const [of, listener] of listeners) if (of === topic) listener(payload)
    },
  }
}

const storeSink = () => ensureSink(db, { id: randomUUID(), kind: 'nats', name: 'nats' })

async function cursor(): Promise<number> {
  const { rows } = await client.query('SELECT cursor FROM feed_sinks')
  return Number(rows[0]?.cursor)
}

/** A receiver that keeps what it got. */
function keeping() {
  const batches: string[][] = []
  return {
    batches,
    open: () => ({
      async send(events: readonly SinkEvent[]) {
        batches.push(events.map((event) => event.cursor))
      },
    }),
  }
}

test('a sink gets all entries in order, in bounded batches, and new ones at a signal', async () => {
  await storeSink()
  const events = sinkEvents(450)
  const { batches, open } = keeping()
  const limits = { ...sinkLimits, bytes: 30 * (events[449]?.json.length ?? 0) }
  const { signal } = startProcess({ readPage: pagesOf(events), open, limits })
  await eventually('all are stored as sent', async () => (await cursor()) === Number(events[449]?.cursor))
  expect(batches.flat()).toEqual(events.map((event) => event.cursor))
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThan(50)
  events.push(...sinkEvents(452).slice(450))
  const started = performance.now()
  signal('feed', '')
  await eventually('the new ones are there', () => batches.flat().length === 452)
  // Sooner than the look without a signal.
  expect(performance.now() - started).toBeLessThan(4_000)
})

test('the cursor is stored after the acknowledgement: a failed batch is sent again, and nothing passes it', async () => {
  await storeSink()
  const events = sinkEvents(30)
  const sent: string[] = []
  let failures = 3
  const open = () => ({
    async send(batch: readonly SinkEvent[]) {
      sent.push(`${batch[0]?.cursor}-${batch.at(-1)?.cursor}`)
      if (sent.length === 1 || failures-- <= 0) return
      expect(await cursor()).toBe(29)
      throw new OutsideFault('nats', 'is away')
    },
  })
  startProcess({ readPage: pagesOf(events, 10), open })
  await eventually('a failure is stored', async () => {
    const { rows } = await client.query('SELECT failures, fault FROM feed_sinks')
    return rows[0]?.failures === 3 && rows[0]?.fault === 'is away'
  })
  await eventually('all are stored as sent', async () => (await cursor()) === 89)
  expect(sent).toEqual(['2-29', '32-59', '32-59', '32-59', '32-59', '62-89'])
  const { rows } = await client.query('SELECT failures, fault FROM feed_sinks')
  expect(rows).toEqual([{ failures: 0, fault: null }])
})

test('a sink behind removed entries records the gap, and goes on after it', async () => {
  await storeSink()
  await client.query('UPDATE feed_sinks SET cursor = 5')
  const { batches, open } = keeping()
  const read = pagesOf(sinkEvents(20))
  const { gaps } = startProcess({
    open,
    readPage: (page) => (Number(page.after) < 40 ? Promise.reject(gapRefusal('40')) : read(page)),
  })
  await eventually('the rest is sent', async () => (await cursor()) === 59)
  expect(batches.flat()).toEqual(['41', '44', '47', '50', '53', '56', '59'])
  expect(gaps).toEqual(['nats'])
  const { rows } = await client.query('SELECT gap_from, gap_to, gap_at IS NOT NULL AS dated FROM feed_sinks')
  expect(rows).toEqual([{ gap_from: '5', gap_to: '40', dated: true }])
})

test('a feed that cannot be read is read again', async () => {
  await storeSink()
  const { batches, open } = keeping()
  const read = pagesOf(sinkEvents(3))
  let failures = 3
  startProcess({ open, readPage: (page) => (failures-- > 0 ? Promise.reject(new Outage('it')) : read(page)) })
  await eventually('all are sent', () => batches.flat().length === 3)
})

test('of two processes one sends, and the other takes over what it left', async () => {
  await storeSink()
  const events = sinkEvents(40)
  const [one, two] = [keeping(), keeping()]
  const first = startProcess({ readPage: pagesOf(events), open: one.open })
  await eventually('the first one sends', () => one.batches.flat().length === 40)
  const second = startProcess({ readPage: pagesOf(events), open: two.open })
  events.push(...sinkEvents(50).slice(40))
  second.signal('feed', '')
  first.signal('feed', '')
  await eventually('the first one goes on', async () => (await cursor()) === Number(events[49]?.cursor))
  expect(two.batches).toEqual([])
  await first.stop()
  events.push(...sinkEvents(60).slice(50))
  await eventually('the second one goes on', () => two.batches.flat().length === 10)
  expect(two.batches.flat()).toEqual(events.slice(50).map((event) => event.cursor))
})

test('a process whose lease another has taken stores nothing, and stops', async () => {
  await storeSink()
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let isSending = false
  let isClosed = false
  startProcess({
    leaseMs: 60_000,
    readPage: pagesOf(sinkEvents(3)),
    open: () => ({
      send() {
        isSending = true
        return held
      },
      async close() {
        isClosed = true
      },
    }),
  })
  await eventually('it sends', () => isSending)
  await client.query(`UPDATE feed_sinks SET lease = $1`, [randomUUID()])
  release()
  await eventually('it stops', () => isClosed)
  expect(await cursor()).toBe(0)
})

test('a webhook gets signed batches, repeats the last one only, and stops while it is paused', async () => {
  await using receiver = await startReceiver()
  const receivers = createReceivers(['127.0.0.1'])
  const services = { db, addressFault: receivers.fault }
  const { webhook, secret } = await createBookWebhook(
    { name: 'partner', url: `${receiver.url}/book`, filter: { labels: ['TRADED'] }, after: 'earliest' },
    null,
    services,
  )
  let isUp = true
  receiver.answer = () => ({ status: isUp ? 204 : 503 })
  const events = sinkEvents(20)
  const filters = new Set<string>()
  const { signal } = startProcess({
    readPage(page) {
      filters.add(JSON.stringify(page.filter))
      return pagesOf(events, 10)(page)
    },
    open: (sink) => createBookWebhookSender(sink, { receivers, now: Date.now }),
  })
  await eventually('both batches are taken', async () => (await cursor()) === 59)
  expect([...filters]).toEqual(['{"labels":["TRADED"]}'])
  expect(receiver.received.map(({ body }) => body.cursor)).toEqual(['29', '59'])
  expect(receiver.received[0]?.body).toEqual({
    events: events.slice(0, 10).map((event) => ({ cursor: event.cursor })),
    cursor: '29',
  })
  const [last] = receiver.received.slice(-1)
  const headers = last?.headers as Record<string, string>
  expect(() => new Webhook(secret).verify(last?.text ?? '', headers)).not.toThrow()

  isUp = false
  events.push(...sinkEvents(25).slice(20))
  signal('feed', '')
  await eventually('it is tried several times', () => receiver.received.length >= 5)
  expect(await findWebhooks(db)).toMatchObject([{ cursor: '59', fault: 'status 503' }])
  isUp = true
  await eventually('it is taken', async () => (await cursor()) === 74)
  const repeated = receiver.received.slice(2)
  expect(new Set(repeated.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(repeated.map(({ text }) => text)).size).toBe(1)
  expect(await findWebhooks(db)).toMatchObject([{ cursor: '74', fault: null, failures: 0 }])

  const count = receiver.received.length
  expect(await pauseBookWebhook(webhook.id, null, true, services)).toMatchObject({ isPaused: true })
  signal('deliveries', 'sinks')
  await eventually('it is left', async () => {
    const { rows } = await client.query('SELECT leased_until < clock_timestamp() AS ended FROM feed_sinks')
    return rows[0]?.ended
  })
  events.push(...sinkEvents(30).slice(25))
  signal('feed', '')
  expect(await cursor()).toBe(74)
  expect(receiver.received.length).toBe(count)
  await pauseBookWebhook(webhook.id, null, false, services)
  await eventually('it goes on', async () => (await cursor()) === 89)

  await deleteBookWebhook(webhook.id, null, services)
  await expect(deleteBookWebhook(webhook.id, null, services)).rejects.toMatchObject({ code: 'NotFound' })
  expect(await findWebhooks(db)).toEqual([])
})

test('a partner’s webhook gets nothing once its key is revoked, or partners may not read the book', async () => {
  const receivers = createReceivers(['127.0.0.1'])
  const services = { db, addressFault: receivers.fault }
  const partner = randomUUID()
  await client.query(
    `INSERT INTO partner_keys (id, name, prefix, key_hash, created_at) VALUES ($1, 'Archive', 'tgp_', '\\x01', now())`,
    [partner],
  )
  const create = (owner: string | null, name: string) =>
    createBookWebhook({ name, url: 'http://127.0.0.1/', filter: {}, after: 'earliest' }, owner, services)
  await create(null, 'ours')
  expect((await create(partner, 'theirs')).webhook).toMatchObject({ name: 'theirs', partner: 'Archive' })
  const events = sinkEvents(1)
  const sentTo: string[] = []
  const open = ({ name }: { name: string }) => ({ send: async () => void sentTo.push(name) })
  const readPage: SinksOptions['readPage'] = (page) => pagesOf(events)(page)
  const sends = (...names: string[]) =>
    eventually(`${names} have it`, () => names.every((name) => sentTo.includes(name)))

  const { stop } = startProcess({ readPage, open, ofPartners: false })
  await sends('ours')
  await stop()
  expect(sentTo).toEqual(['ours'])
  const { signal } = startProcess({ readPage, open })
  await sends('theirs')
  await client.query('UPDATE partner_keys SET revoked_at = now()')
  signal('deliveries', 'sinks')
  await eventually('it is left', async () => {
    const { rows } = await client.query(
      `SELECT FROM feed_sinks WHERE name = 'theirs' AND leased_until > clock_timestamp()`,
    )
    return rows.length === 0
  })
  sentTo.length = 0
  events.push(...sinkEvents(2).slice(1))
  signal('feed', '')
  await sends('ours')
  expect(sentTo).toEqual(['ours'])
})

test('webhooks have names of their own, public addresses, and a limit', async () => {
  const receivers = createReceivers([])
  const services = { db, addressFault: receivers.fault }
  const create = (name: string, url = 'https://hooks.example.com/') =>
    createBookWebhook({ name, url, filter: {} }, null, services)
  await expect(create('inside', 'http://10.0.0.1/')).rejects.toMatchObject({ field: 'url' })
  for (let n = 0; n < 20; n++) {
    const { secret, webhook } = await create(`w${n}`)
    expect(secret).toMatch(/^whsec_/)
    // It begins now, not with what is stored.
    expect(webhook.cursor).toBe('1')
    if (n === 0) await expect(create('w0')).rejects.toMatchObject({ field: 'name' })
  }
  await expect(create('w20')).rejects.toThrow('there are 20 webhooks')
  expect((await readSinkLags(db)).map(({ entries }) => entries)).toEqual(Array(20).fill(0))
})
