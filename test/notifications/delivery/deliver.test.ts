import type { Client } from 'pg'
import { afterEach, expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Log } from '../../../src/domain/log.ts'
import type { ChannelKind } from '../../../src/domain/notification/channel.ts'
import type { Sender, SendResult } from '../../../src/notifications/channels/sender.ts'
import { runDelivery } from '../../../src/notifications/delivery/deliver.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { storeChannel, storeDeliveries } from '../../fakes/stored-channel.ts'
import { useTables } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'

const start = 1_800_000_000_000
let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})
let clock = start
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  clock = start
  for (const stop of stops.splice(0)) await stop()
})

type Send = (channelId: string) => Promise<SendResult>
const sent: SendResult = { kind: 'sent', status: 200 }
const senderOf = (send: Send): Sender => ({
  maxDigest: 1,
  sendConfirmation: () => Promise.reject(new Error('none is sent')),
  send: ({ id }) => send(id),
})

function startDelivery(
  senders: Partial<Record<ChannelKind, Sender>>,
  { of = db, log = silentLog }: { of?: Database; log?: Log } = {},
) {
  const stopping = new AbortController()
  let wake = () => {}
  let listeners = 0
  const signals = {
    on(_: string, listener: (payload: string | undefined) => void) {
      wake = () => listener(undefined)
      listeners++
      return () => {
        listeners--
      }
    },
  }
  const options = { db: of, signals, senders, confirmations: {}, now: () => clock, random: () => 0.5, log }
  const running = runDelivery(options, stopping.signal)
  const stop = async () => {
    stopping.abort()
    await running
    expect(listeners).toBe(0)
  }
  stops.push(stop)
  return { stop, wake: () => wake() }
}
const statesOf = async () =>
  Object.fromEntries(
    (await client.query('SELECT state, count(*)::int AS count FROM deliveries GROUP BY state')).rows.map(
      ({ state, count }) => [state, count],
    ),
  )
const untilDelivered = (count: number) =>
  eventually('they are delivered', async () => (await statesOf()).delivered === count)

test('a kind without a sender waits', async () => {
  await storeDeliveries(db, await storeChannel(db, { kind: 'email' }), [{}])
  await storeDeliveries(db, await storeChannel(db), [{}])
  startDelivery({ webhook: senderOf(async () => sent) })
  await untilDelivered(1)
  expect(await statesOf()).toEqual({ delivered: 1, waiting: 1 })
})

test('a signal is answered at once, and what comes without one is found', async () => {
  const channel = await storeChannel(db)
  const delivery = startDelivery({ webhook: senderOf(async () => sent) })
  await storeDeliveries(db, channel, [{}])
  delivery.wake()
  await untilDelivered(1)
  await storeDeliveries(db, channel, [{}])
  await untilDelivered(2)
})

test('what fails is tried again after its pause', async () => {
  const tried: string[] = []
  const channel = await storeChannel(db)
  await storeDeliveries(db, channel, [{}])
  const { wake } = startDelivery({
    webhook: senderOf(async (id) => {
      tried.push(id)
      return tried.length === 1 ? { kind: 'failed', status: 500, fault: 'no' } : sent
    }),
  })
  await eventually('the first attempt has failed', async () => {
    const { rows } = await client.query('SELECT fault, lease FROM deliveries, channels')
    return rows[0].fault === 'no' && rows[0].lease === null
  })
  clock = start + 4_999
  const other = await storeChannel(db)
  await storeDeliveries(db, other, [{}])
  wake()
  await untilDelivered(1)
  expect(tried).toEqual([channel.id, other.id])
  clock = start + 5_000
  wake()
  await untilDelivered(2)
  expect(tried).toEqual([channel.id, other.id, channel.id])
})

test('receivers that do not answer hold up no other', async () => {
  let answer: () => void = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const stuck = new Set<string>()
  for (let n = 0; n < 70; n++) {
    const channel = await storeChannel(db)
    await storeDeliveries(db, channel, [{}])
    stuck.add(channel.id)
  }
  let underWay = 0
  let max = 0
  const { wake } = startDelivery({
    webhook: senderOf(async (id) => {
      if (stuck.has(id)) {
        max = Math.max(max, ++underWay)
        await answered
        underWay--
      }
      return sent
    }),
  })
  await eventually('all of them are waited for', () => underWay === 70)
  await storeDeliveries(db, await storeChannel(db), [{}])
  wake()
  await untilDelivered(1)
  answer()
  await untilDelivered(71)
  expect(max).toBe(70)
})

test('a channel of more than one turn is sent to until nothing is due', async () => {
  await storeDeliveries(db, await storeChannel(db), Array(60).fill({}))
  startDelivery({ webhook: senderOf(async () => sent) })
  await untilDelivered(60)
})

test('a turn that breaks is logged, and its channel is taken over after its lease', async () => {
  const faults: unknown[] = []
  const channel = await storeChannel(db)
  await storeDeliveries(db, channel, [{}])
  await client.query(`ALTER TABLE deliveries ADD CONSTRAINT broken CHECK (state <> 'delivered')`)
  const log: Log = { ...silentLog, error: (message, fields) => faults.push([message, fields]) }
  const { wake } = startDelivery({ webhook: senderOf(async () => sent) }, { log })
  await eventually('the fault', () => faults.length > 0)
  expect(faults).toEqual([
    ['a channel was not sent to', { channel: channel.id, fault: expect.stringContaining('broken') }],
  ])
  await client.query('ALTER TABLE deliveries DROP CONSTRAINT broken')
  clock = start + 60_000
  wake()
  await untilDelivered(1)
})

test('while the database is away they wait, and go on', async () => {
  const warnings: unknown[] = []
  let isAway = true
  const away = new Proxy(db, {
    get(target, name) {
      if (isAway) throw new Outage('the database')
      return Reflect.get(target, name)
    },
  })
  await storeDeliveries(db, await storeChannel(db), [{}])
  const log: Log = { ...silentLog, warn: (message, fields) => warnings.push([message, fields]) }
  const { wake } = startDelivery({ webhook: senderOf(async () => sent) }, { of: away, log })
  await eventually('the warning', () => warnings.length > 0)
  expect(warnings[0]).toEqual(['deliveries wait for the database', { fault: 'the database is unavailable' }])
  isAway = false
  wake()
  await untilDelivered(1)
})

test('the end waits for what is under way, and begins nothing more', async () => {
  let answer: () => void = () => {}
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  const begun: string[] = []
  const first = await storeChannel(db)
  await storeDeliveries(db, first, [{}, {}])
  const { stop } = startDelivery({
    webhook: senderOf(async (id) => {
      begun.push(id)
      await answered
      return sent
    }),
  })
  await eventually('the message is under way', () => begun.length === 1)
  const ended = stop()
  answer()
  await ended
  expect(begun).toEqual([first.id])
  expect(await statesOf()).toEqual({ delivered: 1, waiting: 1 })
})
