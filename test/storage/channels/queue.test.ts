import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import {
  type Lane,
  leaseChannels,
  type NextLook,
  readWaitingDeliveries,
  releaseChannel,
  wakeChannels,
} from '../../../src/storage/channels/queue.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { storeChannel, storeDeliveries } from '../../fakes/stored-channel.ts'
import { useTables } from '../../setup/database.ts'

const now = new Date(1_800_000_000_000)
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})

const quick: Lane = { kind: 'webhook', isSlow: false, places: 10 }
const later = at(5)
const leaseAt = (id: string, time: Date, lanes: readonly Lane[] = [quick], confirmations = {}) =>
  leaseChannels(db, { id, now: time, until: at(60) }, confirmations, { lanes, later })

interface Row {
  lease: string | null
  next_attempt_at: Date | null
  woken: boolean
  slow_turns: number
}
async function rowOf(id: string): Promise<Row | undefined> {
  const columns = 'lease, next_attempt_at, woken, slow_turns'
  return (await client.query<Row>(`SELECT ${columns} FROM channels WHERE id = $1`, [id])).rows[0]
}

test('what was written is carried over to active channels, and each entry counts once', async () => {
  const rests = await storeChannel(db)
  const waits = await storeChannel(db, { nextAttemptAt: at(30) })
  const pending = await storeChannel(db, { state: 'pending' })
  for (const { id } of [rests, rests, waits, pending])
    await client.query('INSERT INTO channel_wakes (channel_id) VALUES ($1)', [id])
  expect(await wakeChannels(db, now, 3)).toBe(3)
  expect(await wakeChannels(db, now, 3)).toBe(1)
  expect(await wakeChannels(db, now, 3)).toBe(0)
  expect(await rowOf(rests.id)).toMatchObject({ woken: true, next_attempt_at: now })
  expect(await rowOf(waits.id)).toMatchObject({ woken: true, next_attempt_at: at(30) })
  expect(await rowOf(pending.id)).toMatchObject({ woken: false, next_attempt_at: null })
})

test('a lease takes what is due, those first that have waited longest, as many as there are places', async () => {
  const id = randomUUID()
  const [second, first, third, early] = await Promise.all(
    [-2, -3, -1, 1].map((seconds) => storeChannel(db, { nextAttemptAt: at(seconds), woken: true })),
  )
  const leased = await leaseAt(id, now, [{ ...quick, places: 2 }])
  expect(leased.map(({ channel, isSlow }) => [channel.id, isSlow]).toSorted()).toEqual(
    [first, second].map((channel) => [channel?.id, false]).toSorted(),
  )
  expect(await rowOf(first?.id ?? '')).toEqual({
    lease: id,
    next_attempt_at: at(60),
    woken: false,
    slow_turns: 0,
  })
  expect((await rowOf(third?.id ?? ''))?.lease).toBeNull()
  const rest = await leaseAt(randomUUID(), now)
  expect(rest.map(({ channel }) => channel)).toEqual([third])
  expect((await rowOf(early?.id ?? ''))?.lease).toBeNull()
  // Another process takes over at the end of a lease.
  expect(await leaseAt(randomUUID(), at(60))).toHaveLength(4)
})

test('kinds and slow receivers are leased by lanes of their own', async () => {
  const due = { nextAttemptAt: now }
  await storeChannel(db, due)
  const slow = await storeChannel(db, { ...due, slowTurns: 3 })
  const mail = await storeChannel(db, { ...due, kind: 'email' })
  expect(await leaseAt(randomUUID(), now, [{ ...quick, isSlow: true }])).toEqual([
    { channel: slow, isSlow: true },
  ])
  expect(await leaseAt(randomUUID(), now, [{ ...quick, kind: 'email' }])).toEqual([
    { channel: mail, isSlow: false },
  ])
  expect(await leaseAt(randomUUID(), now, [])).toEqual([])
})

test('what has to wait for blocks is looked at again later, and not leased', async () => {
  const channel = await storeChannel(db, { nextAttemptAt: now })
  await storeDeliveries(db, channel, [{ blockNumber: 100n }])
  await client.query(
    `INSERT INTO checkpoints (chain_id, block_number, block_hash, updated_at) VALUES (1, 101, '', now())`,
  )
  expect(await leaseAt(randomUUID(), now, [quick], { 1: 2 })).toEqual([])
  expect(await rowOf(channel.id)).toMatchObject({ lease: null, next_attempt_at: later })
  expect(await leaseAt(randomUUID(), later, [quick], { 1: 1 })).toHaveLength(1)
})

test('a release says when the channel is looked at next', async () => {
  const turn = async (next: NextLook, isWoken = false) => {
    const id = randomUUID()
    const channel = await storeChannel(db, { lease: id, nextAttemptAt: at(60), woken: isWoken })
    const isDue = await releaseChannel(db, channel.id, { id, now }, { next, isSlow: false })
    const row = await rowOf(channel.id)
    expect(row).toMatchObject({ lease: null, woken: false })
    return [isDue, row?.next_attempt_at]
  }
  expect(await turn('now')).toEqual([true, now])
  expect(await turn('when written')).toEqual([false, null])
  expect(await turn('when written', true)).toEqual([true, now])
  expect(await turn(at(9))).toEqual([false, at(9)])
  expect(await turn(at(9), true)).toEqual([false, at(9)])
})

test('a lease of another process is not released', async () => {
  const id = randomUUID()
  const channel = await storeChannel(db, { lease: id, nextAttemptAt: at(60), slowTurns: 2 })
  const other = { id: randomUUID(), now }
  expect(await releaseChannel(db, channel.id, other, { next: 'now', isSlow: true })).toBe(false)
  expect(await rowOf(channel.id)).toMatchObject({ lease: id, next_attempt_at: at(60), slow_turns: 2 })
})

test('a receiver that was slow once is slow for ten turns', async () => {
  const channel = await storeChannel(db)
  const turns: (number | undefined)[] = []
  for (const isSlow of [true, ...Array<boolean>(11).fill(false)]) {
    const id = randomUUID()
    await client.query('UPDATE channels SET lease = $1', [id])
    await releaseChannel(db, channel.id, { id, now }, { next: 'now', isSlow })
    turns.push((await rowOf(channel.id))?.slow_turns)
  }
  expect(turns).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0])
})

test('what waits is told by kind, counted up to a limit, with the age of the oldest', async () => {
  const hook = await storeChannel(db)
  const mail = await storeChannel(db, { kind: 'email' })
  await storeDeliveries(db, hook, [{}, {}, {}, { state: 'delivered' }])
  await storeDeliveries(db, mail, [{}])
  await client.query(`UPDATE deliveries SET waiting_since = now() - interval '90 s' WHERE kind = 'email'`)
  await client.query(`UPDATE deliveries SET waiting_since = now() - interval '9 h' WHERE state = 'delivered'`)
  const rows = await readWaitingDeliveries(db, ['webhook', 'email', 'push'], 2)
  expect(rows.map(({ kind, count }) => [kind, count])).toEqual([
    ['webhook', 2],
    ['email', 1],
    ['push', 0],
  ])
  const seconds = rows.map(({ oldestSeconds }) => Math.floor(oldestSeconds / 90))
  expect(seconds).toEqual([0, 1, 0])
})
