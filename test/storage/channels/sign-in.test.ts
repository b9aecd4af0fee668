import { createHash } from 'node:crypto'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { type Confirmation, countConfirmation, freeReceiver } from '../../../src/storage/channels/channels.ts'
import type { Database } from '../../../src/storage/database/database.ts'
import {
  deleteSessions,
  findSession,
  insertNonce,
  insertSession,
  takeNonce,
} from '../../../src/storage/sign-in-sessions.ts'
import { numbered } from '../../fakes/order.ts'
import { useTables } from '../../setup/database.ts'

const now = new Date(1_800_000_000_000)
const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
const [account, other] = [numbered('01'), numbered('02')]
const hashOf = (token: string) => createHash('sha256').update(token).digest()
let client: Client
let db: Database
useTables((tables) => {
  ;({
    client,
    database: { db },
  } = tables)
})

test('a nonce is taken once, before it expires', async () => {
  await insertNonce(db, 'a', at(60))
  await insertNonce(db, 'b', at(60))
  expect(await takeNonce(db, 'a', at(60))).toBe(false)
  const taken = await Promise.all([1, 2, 3].map(() => takeNonce(db, 'a', at(59))))
  expect(taken.toSorted()).toEqual([false, false, true])
  expect(await takeNonce(db, 'c', now)).toBe(false)
  expect(await takeNonce(db, 'b', now)).toBe(true)
})

async function sign(token: string, seconds: number, limit: number, of = account) {
  const session = { tokenHash: hashOf(token), account: of, createdAt: now, expiresAt: at(seconds) }
  await insertSession(db, session, limit)
}
const known = async (...tokens: string[]) =>
  await Promise.all(tokens.map((token) => findSession(db, hashOf(token), now)))

test('a session is known until it expires', async () => {
  await sign('a', 60, 9)
  expect(await findSession(db, hashOf('a'), at(59))).toBe(account)
  expect(await findSession(db, hashOf('a'), at(60))).toBeUndefined()
  expect(await known('b')).toEqual([undefined])
})

test('of too many sessions those end that expire first', async () => {
  await sign('a', 30, 2)
  await sign('b', 20, 2)
  await sign('other', 10, 2, other)
  await sign('c', 40, 2)
  expect(await known('a', 'b', 'c', 'other')).toEqual([account, undefined, account, other])
})

test('one session ends, or all of an account', async () => {
  for (const token of ['a', 'b', 'c']) await sign(token, 60, 9)
  await sign('other', 60, 9, other)
  expect(await deleteSessions(db, { tokenHash: hashOf('a') })).toBe(1)
  expect(await deleteSessions(db, { tokenHash: hashOf('a') })).toBe(0)
  expect(await deleteSessions(db, { account })).toBe(2)
  expect(await known('a', 'b', 'c', 'other')).toEqual([undefined, undefined, undefined, other])
})

const limits = { receiver: 2, account: 3 }
const dayMs = 86_400_000
const count = (confirmation: Partial<Confirmation>, time: Date, kind: Confirmation['kind'] = 'email') => {
  const whole = { kind, receiver: hashOf('reader'), account, ...confirmation }
  return db.transaction((tx) => countConfirmation(tx, whole, limits, time))
}

test('a receiver is sent so many tokens in a day, for any accounts', async () => {
  expect(await count({}, at(0))).toBeUndefined()
  expect(await count({ account: other }, at(1))).toBeUndefined()
  const full = { reached: 'receiver', until: new Date(now.getTime() + dayMs) }
  expect(await count({}, at(2))).toEqual(full)
  expect(await count({}, new Date(now.getTime() + dayMs - 1))).toEqual(full)
  expect(await count({}, at(2), 'push')).toBeUndefined()
  expect(await count({}, new Date(now.getTime() + dayMs))).toBeUndefined()
})

test('an account sends so many tokens in a day, to any receivers', async () => {
  for (const [index, reader] of ['a', 'b', 'c'].entries())
    expect(await count({ receiver: hashOf(reader) }, at(index))).toBeUndefined()
  const until = new Date(now.getTime() + dayMs)
  expect(await count({ receiver: hashOf('d') }, at(9))).toEqual({ reached: 'account', until })
  expect(await count({ receiver: hashOf('d'), account: other }, at(9))).toBeUndefined()
})

test('of those who ask at once no more get a token than there is room for', async () => {
  const asked = await Promise.all([0, 1, 2, 3, 4].map((seconds) => count({}, at(seconds))))
  expect(asked.filter((limit) => limit === undefined)).toHaveLength(2)
})

test('a receiver that wants tokens of an account is not bounded by them; the account is', async () => {
  await count({}, at(0))
  await count({}, at(1))
  await count({ kind: 'push' }, at(1))
  await freeReceiver(db, { kind: 'email', receiver: hashOf('reader'), account: other })
  expect(await count({}, at(2))).toMatchObject({ reached: 'receiver' })
  await freeReceiver(db, { kind: 'email', receiver: hashOf('reader'), account })
  expect(await count({}, at(3))).toBeUndefined()
  expect(await count({}, at(4))).toMatchObject({ reached: 'account' })
  const { rows } = await client.query(
    `SELECT length(receiver) AS size FROM channel_confirmations WHERE kind = 'push'`,
  )
  expect(rows).toEqual([{ size: 32 }])
})
