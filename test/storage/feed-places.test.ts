import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { readWaitingCommits } from '../../src/storage/feeds/tail.ts'
import { notificationFeed } from '../../src/storage/models/notification/feed.ts'
import { recordNotifications } from '../../src/storage/notifications.ts'
import { shortTransaction } from '../../src/storage/retention/batch.ts'
import { headOf, notificationOf, readEntries } from '../fakes/feed-reading.ts'
import { type HeldTransaction, holdTransaction } from '../fakes/held-transaction.ts'
import { numbered } from '../fakes/order.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'

const account = numbered('a1')
const writers = 8

let database: TestDatabase
/** With a connection for each writer. */
let db: Database
let written = 0
beforeAll(async () => {
  database = await createTestDatabase()
  db = openDatabase({ url: database.url, maxConnections: 2 * (writers + 2) })
})
afterAll(async () => {
  await db?.close()
  await database?.[Symbol.asyncDispose]()
})

/** A notification that no other test has. @returns its message */
async function record(tx: Parameters<typeof recordNotifications>[0], to: Address = account): Promise<string> {
  const message = String(written++)
  const metadata = { orderId: '0x', chainId: 1 } as const
  const shared = { type: 'order_filled' as const, timestamp: new Date(0), metadata, blockNumber: null }
  await recordNotifications(tx, [{ ...shared, account: to, cause: message, message }])
  return message
}

/** Follows the account's feed by places. */
async function createReader() {
  const read: string[] = []
  let position = await headOf(db)
  return {
    read,
    async look(): Promise<number> {
      const rows = await readEntries(db, notificationFeed, account, position, 3)
      for (const row of rows) {
        expect(row.place > position).toBe(true)
        position = row.place
        read.push(notificationOf(row).message)
      }
      return rows.length
    },
  }
}

describe('places', () => {
  /** Ranks of the writers: those with the same rank commit at once. */
  const interleaving = fc.array(fc.nat(writers - 1), { minLength: writers, maxLength: writers })

  test('are in the order of commits, however eight writers overlap: a reader misses none and has none twice', async () => {
    await fc.assert(
      fc.asyncProperty(interleaving, async (ranks) => {
        const reader = await createReader()
        const open: ({ rank: number } & HeldTransaction<string>)[] = []
        for (const rank of ranks) open.push({ rank, ...(await holdTransaction(db, (tx) => record(tx))) })
        let isWriting = true
        const reading = (async () => {
          while (isWriting) await reader.look()
        })()
        for (let rank = 0; rank < writers; rank++)
          await Promise.all(open.filter((each) => each.rank === rank).map(({ commit }) => commit()))
        isWriting = false
        await reading
        while ((await reader.look()) > 0);
        expect([...reader.read].sort()).toEqual(open.map(({ result }) => result).sort())
        const rankOf = (message: string) => open.find(({ result }) => result === message)?.rank
        expect(reader.read.map(rankOf)).toEqual([...ranks].sort())
      }),
      { numRuns: 100 },
    )
  }, 120_000)

  test('wait for no open transaction: of another database, of other tables, or with notifications', async () => {
    await using other = await createTestDatabase()
    const elsewhere = await holdTransaction(other.db, (tx) => record(tx))
    await using direct = await connectDirectly(database.url)
    await direct.query('BEGIN')
    await direct.query(`INSERT INTO app_data (hash, document) VALUES ('', '')`)
    const slow = await holdTransaction(db, (tx) => record(tx))
    const reader = await createReader()
    for (let round = 0; round < 20; round++) {
      const message = await db.transaction((tx) => record(tx))
      expect(await reader.look()).toBe(1)
      expect(reader.read.at(-1)).toBe(message)
    }
    await slow.commit()
    await reader.look()
    expect(reader.read.at(-1)).toBe(slow.result)
    await direct.query('ROLLBACK')
    await elsewhere.commit()
  })

  test('are given to ten thousand notifications of one transaction', async () => {
    await using direct = await connectDirectly(database.url)
    const head = await headOf(db)
    await direct.query(`INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata)
      SELECT 'bulk' || n, 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), 'order_filled', '', now(), '{}' FROM generate_series(1, 10000) n`)
    expect((await headOf(db)) - head).toBe(10_000n)
  })
})

test('a commit that waits too long for its place is undone, and the next one is not', async () => {
  await using direct = await connectDirectly(database.url)
  await direct.query('BEGIN; SELECT next_feed_place()')
  const reader = await createReader()
  await expect(shortTransaction(db, (tx) => record(tx))).rejects.toThrow(/lock timeout/)
  const waiting = db.transaction((tx) => record(tx))
  const counted = await eventually('a commit that waits', async () => {
    const counted = await readWaitingCommits(db)
    return counted.count > 0 && counted
  })
  expect(counted).toEqual({ count: 1, maxSeconds: expect.any(Number) })
  expect((await readWaitingCommits(db)).maxSeconds).toBeGreaterThan(counted.maxSeconds)
  await direct.query('ROLLBACK')
  const message = await waiting
  expect(await readWaitingCommits(db)).toEqual({ count: 0, maxSeconds: 0 })
  await reader.look()
  expect(reader.read).toEqual([message])
})
