import { createHash, randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { confirmationWays } from '../../../src/domain/notification/channel.ts'
import {
  channelsOfChat,
  endChannel,
  endChat,
  findChannel,
  findChannelById,
  findChannelLocked,
  findChannels,
  insertChannel,
  type NewChannel,
  renewConfirmation,
  storeConfirmation,
  updateChannel,
} from '../../../src/storage/channels/channels.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import { numbered } from '../../fakes/order.ts'
import { storeChannel, storeDeliveries } from '../../fakes/stored-channel.ts'
import { useTables } from '../../setup/database.ts'

const now = new Date(1_800_000_000_000)
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
const [account, other] = [numbered('01'), numbered('02')]
/** How a token comes back. */
const [token, chat] = [{ kinds: confirmationWays.token }, { kinds: confirmationWays.chat }]
const hashOf = (token: string) => createHash('sha256').update(token).digest()
let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})

const sketch = (token: string, more: Partial<NewChannel> = {}): NewChannel => ({
  id: randomUUID(),
  account,
  kind: 'webhook',
  address: `https://receiver.example/${token}`,
  keys: { secret: 'whsec_x' },
  types: ['order_filled', 'order_expired'],
  chainIds: [1, 100],
  leastImprovement: '0.005',
  createdAt: now,
  confirmation: { hash: hashOf(token), expiresAt: at(60) },
  ...more,
})
const insert = (channel: NewChannel, limit = 9) => db.transaction((tx) => insertChannel(tx, channel, limit))

test('a channel waits for its confirmation as it was registered', async () => {
  const { confirmation: _, ...channel } = sketch('a')
  expect(await insert({ ...channel, confirmation: _ })).toBe('stored')
  const stored = { ...channel, state: 'pending', confirmedAt: null, endedAt: null, endReason: null }
  expect(await findChannelById(db, channel.id)).toEqual(stored)
  expect(await findChannel(db, account, channel.id)).toEqual(stored)
  expect(await db.transaction((tx) => findChannelLocked(tx, channel.id))).toEqual(stored)
  expect(await findChannel(db, other, channel.id)).toBeUndefined()
  expect(await findChannelById(db, randomUUID())).toBeUndefined()
})

test('an address is registered once by an account, and channels up to a limit', async () => {
  expect(await insert(sketch('a'), 2)).toBe('stored')
  expect(await insert({ ...sketch('a'), confirmation: sketch('b').confirmation }, 2)).toBe('known')
  expect(await insert(sketch('c', { account: other }), 1)).toBe('stored')
  expect(await insert(sketch('d'), 2)).toBe('stored')
  expect(await insert(sketch('e'), 2)).toBe('too many')
  const [first] = await findChannels(db, account)
  await db.transaction((tx) => endChannel(tx, first?.id ?? '', 'account', now))
  expect(await insert(sketch('e'), 2)).toBe('stored')
})

test('channels are listed oldest first, without those that have ended', async () => {
  const second = await storeChannel(db, { createdAt: at(1) })
  const first = await storeChannel(db, { createdAt: at(0), state: 'pending' })
  const ended = await storeChannel(db, { state: 'ended' })
  await storeChannel(db, { account: other })
  expect(await findChannels(db, account)).toEqual([first, second])
  expect(await findChannel(db, account, ended.id)).toBeUndefined()
  expect(await db.transaction((tx) => findChannelLocked(tx, ended.id))).toBeUndefined()
  expect(await findChannelById(db, ended.id)).toEqual(ended)
})

test('channels of the same moment are listed by their ids', async () => {
  const channels = await Promise.all([1, 2, 3, 4, 5].map(() => storeChannel(db)))
  const ids = channels.map(({ id }) => id).toSorted()
  expect((await findChannels(db, account)).map(({ id }) => id)).toEqual(ids)
})

test('a locked channel is changed by nobody else until the transaction ends', async () => {
  const { id } = await storeChannel(db)
  await db.transaction(async (tx) => {
    await findChannelLocked(tx, id)
    await expect(client.query('SELECT FROM channels WHERE id = $1 FOR UPDATE NOWAIT', [id])).rejects.toThrow(
      'could not obtain lock',
    )
  })
})

test('a token confirms its channel once', async () => {
  const channel = sketch('a')
  await insert(channel)
  const confirmed = { id: channel.id, state: 'active', confirmedAt: now, address: channel.address }
  expect(await storeConfirmation(db, hashOf('b'), { ...token, now })).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('a'), { ...token, now, account: other })).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('a'), { ...token, now, account })).toMatchObject(confirmed)
  expect(await findChannelById(db, channel.id)).toMatchObject(confirmed)
  expect(await storeConfirmation(db, hashOf('a'), { ...token, now })).toBeUndefined()
  const { rows } = await client.query('SELECT confirmation_hash, confirmation_expires_at FROM channels')
  expect(rows).toEqual([{ confirmation_hash: null, confirmation_expires_at: null }])
})

test('a token that has expired confirms nothing', async () => {
  await insert(sketch('a'))
  expect(await storeConfirmation(db, hashOf('a'), { ...token, now: at(60) })).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('a'), { ...token, now: at(59) })).toMatchObject({
    state: 'active',
  })
})

test('a token of another kind confirms nothing, and works on', async () => {
  await insert(sketch('a'))
  await insert(sketch('b', { kind: 'telegram', address: '' }))
  await insert(sketch('c', { kind: 'email', address: 'a@b.example' }))
  const link = { kinds: confirmationWays.link, now }
  expect(await storeConfirmation(db, hashOf('a'), { ...chat, now, address: '4711' })).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('a'), link)).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('b'), { ...token, now })).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('b'), link)).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('c'), { ...chat, now, address: '4711' })).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('a'), { ...token, now })).toMatchObject({ kind: 'webhook' })
  expect(await storeConfirmation(db, hashOf('b'), { ...chat, now, address: '4711' })).toMatchObject({
    address: '4711',
  })
  expect(await storeConfirmation(db, hashOf('c'), link)).toMatchObject({ kind: 'email' })
})

test('what a later version writes is no fault of a list', async () => {
  const first = await storeChannel(db, { types: ['order_filled', 'of_later'], createdAt: at(0) })
  await storeChannel(db, { kind: 'of_later', createdAt: at(1) })
  const { id } = await storeChannel(db, { state: 'of_later', createdAt: at(2) })
  expect(await findChannels(db, account)).toEqual([{ ...first, types: ['order_filled'] }])
  expect(await findChannel(db, account, id)).toBeUndefined()
})

test('a chat is known from its confirmation on, once for an account', async () => {
  const unknown = { kind: 'telegram' as const, address: '' }
  const named = { ...chat, now, address: '4711' }
  expect(await insert(sketch('a', unknown))).toBe('stored')
  expect(await insert(sketch('b', unknown))).toBe('known')
  expect(await storeConfirmation(db, hashOf('a'), named)).toMatchObject({ address: '4711' })
  const second = sketch('c', unknown)
  expect(await insert(second)).toBe('stored')
  expect(await storeConfirmation(db, hashOf('c'), named)).toEqual({ known: second.id })
})

test('a fault of the database is not taken for a known address', async () => {
  await insert(sketch('a'))
  const tooLong = { ...token, now, address: '\0' }
  await expect(storeConfirmation(db, hashOf('a'), tooLong)).rejects.toThrow()
})

test('another token replaces one that was not given lately', async () => {
  const { id } = sketch('a')
  await insert(sketch('a', { id }))
  const confirmation = { hash: hashOf('b'), expiresAt: at(120) }
  expect(await renewConfirmation(db, id, confirmation, at(59))).toBe(false)
  expect(await renewConfirmation(db, id, confirmation, at(60))).toBe(true)
  expect(await storeConfirmation(db, hashOf('a'), { ...token, now })).toBeUndefined()
  expect(await storeConfirmation(db, hashOf('b'), { ...token, now: at(119) })).toMatchObject({ id })
  expect(await renewConfirmation(db, id, confirmation, at(999))).toBe(false)
})

test('what a channel is sent may be changed, each part alone', async () => {
  const channel = sketch('a')
  await insert(channel)
  const { id, types, chainIds, leastImprovement, keys } = channel
  const update = async (change: Parameters<typeof updateChannel>[2]) => {
    const { types, chainIds, leastImprovement, keys } = (await updateChannel(db, id, change)) ?? {}
    return { types, chainIds, leastImprovement, keys }
  }
  const before = { types, chainIds, leastImprovement, keys }
  expect(await update({})).toEqual(before)
  expect(await update({ types: ['order_cancelled'] })).toEqual({ ...before, types: ['order_cancelled'] })
  expect(await update({ chainIds: [] })).toEqual({ ...before, types: ['order_cancelled'], chainIds: [] })
  expect(await update({ types: [], leastImprovement: null, keys: { secret: 'y' } })).toEqual({
    types: [],
    chainIds: [],
    leastImprovement: null,
    keys: { secret: 'y' },
  })
  await db.transaction((tx) => endChannel(tx, id, 'account', now))
  expect(await updateChannel(db, id, { types: ['order_filled'] })).toBeUndefined()
})

test('a channel ends once, with what waits for it, and its address is forgotten', async () => {
  const channel = await storeChannel(db, {
    keys: { secret: 'x' },
    lease: randomUUID(),
    nextAttemptAt: now,
    confirmationHash: Uint8Array.from(hashOf('a')),
    confirmationExpiresAt: now,
  })
  const neighbour = await storeChannel(db)
  await storeDeliveries(db, channel, [{}, { state: 'dead' }])
  await storeDeliveries(db, neighbour, [{}])
  const end = (time: Date) => db.transaction((tx) => endChannel(tx, channel.id, 'receiver', time))
  expect(await end(now)).toBe(true)
  expect(await end(at(1))).toBe(false)
  const ended = { address: '', keys: {}, state: 'ended', endedAt: now, endReason: 'receiver' }
  expect(await findChannelById(db, channel.id)).toEqual({ ...channel, ...ended })
  const columns = 'lease, next_attempt_at, confirmation_hash, confirmation_expires_at'
  const { rows } = await client.query(`SELECT ${columns} FROM channels WHERE id = $1`, [channel.id])
  expect(Object.values(rows[0])).toEqual([null, null, null, null])
  expect(await findChannelById(db, neighbour.id)).toEqual(neighbour)
  const deliveries = await client.query('SELECT state, ended_at FROM deliveries ORDER BY id')
  expect(deliveries.rows).toEqual([
    { state: 'dropped', ended_at: now },
    { state: 'dead', ended_at: null },
    { state: 'waiting', ended_at: null },
  ])
})

test('all channels of a chat end together', async () => {
  const chat = { kind: 'telegram', address: '4711' }
  const own = await storeChannel(db, chat)
  const another = await storeChannel(db, { ...chat, account: other })
  await storeChannel(db, { ...chat, address: '4712' })
  await storeChannel(db, { ...chat, kind: 'email' })
  expect(await channelsOfChat(db, '4711')).toBe(2)
  expect(await endChat(db, '4711', now)).toBe(2)
  expect(await channelsOfChat(db, '4711')).toBe(0)
  expect(await endChat(db, '4711', now)).toBe(0)
  for (const { id } of [own, another])
    expect(await findChannelById(db, id)).toMatchObject({ state: 'ended', endReason: 'receiver' })
  expect((await client.query(`SELECT FROM channels WHERE state = 'active'`)).rowCount).toBe(2)
})
