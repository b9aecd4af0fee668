import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import type { Channel } from '../../../src/domain/notification/channel.ts'
import {
  type AttemptOutcome,
  beginAttempts,
  endAttempts,
  endOverdue,
  findDeliveries,
  insertTestDelivery,
  replayDeliveries,
} from '../../../src/storage/channels/deliveries.ts'
import { type Database, sql } from '../../../src/storage/database/database.ts'
import { type DeliverySketch, notified, storeChannel, storeDeliveries } from '../../fakes/stored-channel.ts'
import { useTables } from '../../setup/database.ts'

const now = new Date(1_800_000_000_000)
const lease = { id: randomUUID(), now }
let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})
let channel: Channel
beforeEach(async () => {
  channel = await storeChannel(db, { lease: lease.id, nextAttemptAt: new Date(now.getTime() + 1) })
})

const store = (...sketches: DeliverySketch[]) => storeDeliveries(db, channel, sketches)
const begin = (limit: number, confirmations = {}) =>
  beginAttempts(db, channel.id, lease, confirmations, limit)
/** The places of what has begun in the list of ids. */
async function placesOf(ids: readonly bigint[], limit: number, confirmations = {}) {
  const { deliveries, rest } = await begin(limit, confirmations)
  return [...deliveries.map(({ id }) => ids.indexOf(id)), rest]
}
const moveChainTo = (block: number) =>
  client.query(
    `INSERT INTO checkpoints (chain_id, block_number, block_hash, updated_at) VALUES (1, ${block}, '', now())
     ON CONFLICT (chain_id) DO UPDATE SET block_number = ${block}`,
  )

test('attempts begin with the first that wait, in their order, and are counted', async () => {
  const ids = await store({ state: 'delivered' }, { attempts: 2 }, {}, {})
  const { deliveries, rest } = await begin(2)
  expect(rest).toBe('due')
  expect(deliveries).toEqual([
    { id: ids[1], revision: 0, attempt: 3, createdAt: expect.any(Date), notification: null },
    { id: ids[2], revision: 0, attempt: 1, createdAt: expect.any(Date), notification: null },
  ])
  const { rows } = await client.query('SELECT id, attempted_at, batch FROM deliveries ORDER BY id')
  expect(rows.map(({ attempted_at }) => attempted_at)).toEqual([null, now, now, null])
  expect(rows.map(({ batch }) => batch)).toEqual([null, `${ids[1]}`, `${ids[1]}`, null])
})

test('nothing waits', async () => {
  await store({ state: 'dead' })
  expect(await begin(3)).toEqual({ deliveries: [], rest: 'none' })
})

test('what was begun together is begun together again, and nothing else with it', async () => {
  const ids = await store({}, {}, {})
  expect(await placesOf(ids, 2)).toEqual([0, 1, 'due'])
  expect(await placesOf(ids, 3)).toEqual([0, 1, 'due'])
  await endAttempts(db, ids.slice(0, 2), { state: 'delivered', status: 200 }, now)
  expect(await placesOf(ids, 3)).toEqual([2, 'none'])
})

test('nothing behind one that waits for blocks is begun', async () => {
  await moveChainTo(104)
  const ids = await store({ blockNumber: null }, { blockNumber: 100n }, { blockNumber: 102n }, {})
  expect(await placesOf(ids, 9, { 1: 3 })).toEqual([0, 1, 'waits'])
  await endAttempts(db, ids.slice(0, 2), { state: 'delivered', status: null }, now)
  expect(await placesOf(ids, 9, { 1: 3 })).toEqual(['waits'])
  await moveChainTo(105)
  expect(await placesOf(ids, 9, { 1: 3 })).toEqual([2, 3, 'none'])
})

test('a notification that a reorg took away waits', async () => {
  await moveChainTo(104)
  const ids = await store({ blockNumber: 100n })
  await client.query('UPDATE notifications SET detached = true')
  expect(await placesOf(ids, 1)).toEqual(['waits'])
})

test('a delivery carries its notification', async () => {
  await store({ blockNumber: null })
  const [delivery] = (await begin(1)).deliveries
  expect(delivery?.notification).toEqual({
    id: expect.stringMatching(/^[1-9]\d*$/),
    account: notified,
    type: 'order_filled',
    message: 'Order filled',
    timestamp: now,
    metadata: {},
  })
})

test('without a lease that holds nothing is begun', async () => {
  await store({})
  const begins = async () => (await begin(1)).rest
  for (const change of [`lease = '${randomUUID()}'`, 'next_attempt_at = $1', `state = 'ended'`]) {
    await client.query(`UPDATE channels SET ${change}`, change.includes('$1') ? [now] : [])
    expect(await begins()).toBe('lost')
    await client.query(`UPDATE channels SET lease = $1, next_attempt_at = $2, state = 'active'`, [
      lease.id,
      new Date(now.getTime() + 1),
    ])
  }
  expect(await begins()).toBe('none')
})

test('how attempts went is stored once', async () => {
  const end = async (outcome: AttemptOutcome) => {
    const [id = 0n] = await store({})
    await endAttempts(db, [id], outcome, now)
    await endAttempts(db, [id], { state: 'dead', status: 1, fault: 'late' }, new Date(0))
    const { rows } = await client.query(
      'SELECT state, status, fault, ended_at FROM deliveries WHERE id = $1',
      [id],
    )
    return Object.values(rows[0])
  }
  expect(await end({ state: 'delivered', status: 204 })).toEqual(['delivered', 204, null, now])
  expect(await end({ state: 'dead', status: null, fault: 'x'.repeat(300) })).toEqual([
    'dead',
    null,
    'x'.repeat(200),
    now,
  ])
})

test('what is to be tried again waits on, with its fault', async () => {
  const ids = await store({}, {})
  await endAttempts(db, ids.slice(0, 1), { state: 'waiting', status: 500, fault: 'no' }, now)
  const { rows } = await client.query('SELECT state, status, fault, ended_at FROM deliveries ORDER BY id')
  expect(rows.map((row) => Object.values(row))).toEqual([
    ['waiting', 500, 'no', null],
    ['waiting', null, null, null],
  ])
})

test('that a message arrived is not flushed at once; that it is dead is', async () => {
  const [id = 0n] = await store({})
  const flushed = async (outcome: AttemptOutcome) =>
    await db.transaction(async (tx) => {
      await sql(tx).$executeRaw`SET LOCAL synchronous_commit = on`
      await endAttempts(tx, [id], outcome, now)
      return await sql(tx).$queryRaw`SELECT current_setting('synchronous_commit') AS flush`
    })
  expect(await flushed({ state: 'dead', status: null, fault: 'no' })).toEqual([{ flush: 'on' }])
  expect(await flushed({ state: 'delivered', status: null })).toEqual([{ flush: 'off' }])
})

test('what has waited for too long ends, of this channel alone', async () => {
  const other = await storeChannel(db)
  await store({}, {}, { state: 'delivered' })
  await storeDeliveries(db, other, [{}])
  await client.query(`UPDATE deliveries SET waiting_since = now() - interval '101 s'`)
  await store({})
  expect(await endOverdue(db, channel.id, 110)).toBe(0)
  expect(await endOverdue(db, channel.id, 100)).toBe(2)
  const { rows } = await client.query(
    'SELECT state, ended_at IS NULL AS open, channel_id = $1 AS own FROM deliveries ORDER BY id',
    [channel.id],
  )
  expect(rows.map(({ state, open, own }) => [state, open, own])).toEqual([
    ['dead', false, true],
    ['dead', false, true],
    ['delivered', true, true],
    ['waiting', true, false],
    ['waiting', true, true],
  ])
})

test('a test event is written for an active channel, and for no other', async () => {
  const id = await insertTestDelivery(db, channel.id)
  expect(await findDeliveries(db, channel.id, { limit: 2 })).toEqual([
    {
      id,
      notificationId: null,
      revision: 0,
      state: 'waiting',
      attempts: 0,
      createdAt: expect.any(Date),
      attemptedAt: null,
      endedAt: null,
      status: null,
      fault: null,
    },
  ])
  const pending = await storeChannel(db, { state: 'pending' })
  expect(await insertTestDelivery(db, pending.id)).toBeUndefined()
  expect(await insertTestDelivery(db, randomUUID())).toBeUndefined()
})

test('deliveries are listed newest first, by pages and by state', async () => {
  const ids = await store({ state: 'dead' }, {}, { state: 'dead' }, {})
  const places = async (page: Parameters<typeof findDeliveries>[2]) =>
    (await findDeliveries(db, channel.id, page)).map(({ id }) => ids.indexOf(id))
  expect(await places({ limit: 9 })).toEqual([3, 2, 1, 0])
  expect(await places({ limit: 2 })).toEqual([3, 2])
  expect(await places({ limit: 9, before: ids[2] ?? 0n })).toEqual([1, 0])
  expect(await places({ limit: 9, state: 'dead' })).toEqual([2, 0])
  expect(await findDeliveries(db, (await storeChannel(db)).id, { limit: 9 })).toEqual([])
})

test('deliveries in a state of a later version are not listed', async () => {
  const ids = await store({}, {}, {})
  await client.query(`UPDATE deliveries SET state = 'of_later' WHERE id = $1`, [ids[2]])
  const listed = await findDeliveries(db, channel.id, { limit: 2 })
  expect(listed.map(({ id }) => ids.indexOf(id))).toEqual([1, 0])
})

test('what has ended is sent again from a time on, in its place', async () => {
  const day = (n: number) => ({ createdAt: new Date(now.getTime() + n * 86_400_000) })
  const ids = await store(
    { state: 'dead', ...day(0) },
    { state: 'delivered', attempts: 4, ...day(1) },
    { state: 'dropped', ...day(2) },
    { state: 'dead', attempts: 11, ...day(2) },
    { ...day(3), attempts: 5 },
  )
  await client.query('UPDATE deliveries SET ended_at = now() WHERE state <> $1', ['waiting'])
  await client.query('DELETE FROM channel_wakes')
  const from = day(1).createdAt
  const states = async () =>
    (await client.query('SELECT state, attempts, ended_at IS NULL AS open FROM deliveries ORDER BY id')).rows
      .filter(({ open }) => open)
      .map(({ state, attempts }) => [state, attempts])
  expect(await replayDeliveries(db, channel.id, { from, state: 'dead', limit: 9 })).toBe(1)
  expect(await states()).toEqual([
    ['waiting', 1],
    ['waiting', 5],
  ])
  expect((await client.query('SELECT channel_id FROM channel_wakes')).rows).toEqual([
    { channel_id: channel.id },
  ])
  await endAttempts(db, ids.slice(3, 4), { state: 'dead', status: null, fault: 'no' }, now)
  expect(await replayDeliveries(db, channel.id, { from, limit: 1 })).toBe(1)
  expect(await states()).toEqual([
    ['waiting', 1],
    ['waiting', 5],
  ])
  expect(await replayDeliveries(db, channel.id, { from, state: 'delivered', limit: 9 })).toBe(0)
  expect(await replayDeliveries(db, (await storeChannel(db)).id, { from, limit: 9 })).toBe(0)
})
