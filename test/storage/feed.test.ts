import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Database, Tx } from '../../src/storage/database/database.ts'
import type { EntryText, FeedPosition } from '../../src/storage/feeds/texts.ts'
import { notificationFeed } from '../../src/storage/models/notification/feed.ts'
import {
  detachNotifications,
  type NewNotification,
  recordNotifications,
  revertDetached,
} from '../../src/storage/notifications.ts'
import { notificationOf, readEntries } from '../fakes/feed-reading.ts'
import { holdTransaction } from '../fakes/held-transaction.ts'
import { numbered } from '../fakes/order.ts'
import { listNotifications } from '../fakes/stored-story.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'

const chainId = 11155111
let database: TestDatabase
let db: Database
let accounts = 0
beforeAll(async () => {
  database = await createTestDatabase()
  db = database.db
})
afterAll(() => database[Symbol.asyncDispose]())

const newAccount = () => numbered((0xa0 + accounts++).toString(16))

function caused(account: Address, cause: string, more: Partial<NewNotification> = {}): NewNotification {
  return {
    account,
    cause: `${cause}:${account}`,
    type: 'order_filled',
    message: cause,
    timestamp: new Date(0),
    metadata: { orderId: '0x', chainId },
    blockNumber: 10,
    ...more,
  }
}

const record = (...items: NewNotification[]) => db.transaction((tx) => recordNotifications(tx, items))

/** Follows the cursor, as a subscriber does. */
function createReader(account: Address) {
  const read: EntryText[] = []
  let position: FeedPosition = 0n
  return {
    messages: () => read.map((row) => notificationOf(row).message),
    rows: () => read,
    async look(): Promise<number> {
      const rows = await readEntries(db, notificationFeed, account, position, 2)
      read.push(...rows)
      position = rows.at(-1)?.place ?? position
      return rows.length
    },
    /** Looks until nothing is left. */
    async all(): Promise<void> {
      while ((await this.look()) > 0);
    },
  }
}

describe('commit order', () => {
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]
  test.each(orders)(
    'each writer is read at once when overlapping writers commit as %d %d %d',
    async (...order) => {
      const account = newAccount()
      const names = ['first', 'second', 'third']
      const writers = []
      for (const name of names)
        writers.push(await holdTransaction(db, (tx) => recordNotifications(tx, [caused(account, name)])))
      const reader = createReader(account)
      for (const index of order) {
        await writers[index]?.commit()
        expect(await reader.look()).toBe(1)
      }
      expect(reader.messages()).toEqual(order.map((index) => names[index]))
      expect(await reader.look()).toBe(0)
    },
  )
})

describe('a cause of a notification', () => {
  const rollback = (block: number) => db.transaction((tx) => detachNotifications(tx, chainId, block))
  const finalize = (block: number) => db.transaction((tx) => revertDetached(tx, chainId, block))
  async function entries(account: Address) {
    const reader = createReader(account)
    await reader.all()
    return reader.rows()
  }

  test('that is recorded twice is notified once', async () => {
    const account = newAccount()
    await record(caused(account, 'once'), caused(account, 'once'))
    await record(caused(account, 'once'))
    expect(await entries(account)).toHaveLength(1)
    expect(await listNotifications(db, account, 10)).toHaveLength(1)
  })

  test('that two transactions record at once is notified once', async () => {
    const account = newAccount()
    const write = (tx: Tx) => recordNotifications(tx, [caused(account, 'once')])
    const first = await holdTransaction(db, write)
    const second = db.transaction(write)
    await using client = await connectDirectly(database.url)
    await eventually('the second waits for the first', async () => {
      const { rows } = await client.query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted`,
      )
      return rows.length > 0
    })
    await first.commit()
    await second
    expect(await entries(account)).toHaveLength(1)
  })

  test('that a reorg removes and brings back is notified once, with its new block', async () => {
    const account = newAccount()
    await record(caused(account, 'back', { message: '50 %' }))
    const [before] = await listNotifications(db, account, 1)
    await rollback(9)
    const metadata = { orderId: '0x', chainId, txHash: '0x22' } as const
    await record(caused(account, 'back', { message: '60 %', blockNumber: 11, metadata }))
    await finalize(12)
    expect(await listNotifications(db, account, 1)).toEqual([{ ...before, message: '60 %', metadata }])
    expect(await entries(account)).toHaveLength(1)
  })

  test('below the fork stays', async () => {
    const account = newAccount()
    await record(caused(account, 'deep'))
    await rollback(10)
    await finalize(12)
    expect((await listNotifications(db, account, 1))[0]?.metadata).not.toHaveProperty('reverted')
  })

  test('that is gone at finality is notified once more, as reverted', async () => {
    const account = newAccount()
    await record(caused(account, 'gone'))
    await rollback(9)
    await finalize(9)
    expect((await listNotifications(db, account, 1))[0]?.metadata).not.toHaveProperty('reverted')
    await finalize(10)
    await finalize(11)
    const rows = await entries(account)
    expect(rows.map((row) => notificationOf(row).metadata.reverted)).toEqual([true, true])
    expect(new Set(rows.map((row) => notificationOf(row).notificationId)).size).toBe(1)
  })

  test('that happens after all loses the reverted mark, with one update', async () => {
    const account = newAccount()
    await record(caused(account, 'after all'))
    await rollback(9)
    await finalize(10)
    await record(caused(account, 'after all', { blockNumber: 20 }))
    await record(caused(account, 'after all', { blockNumber: 20 }))
    await finalize(30)
    const rows = await entries(account)
    expect(rows).toHaveLength(3)
    expect(rows.map((row) => notificationOf(row).metadata)[2]).toEqual({ orderId: '0x', chainId })
  })

  test('without a block is never reverted', async () => {
    const account = newAccount()
    await record(caused(account, 'cancelled', { blockNumber: null }))
    await rollback(-1)
    await finalize(1_000)
    expect(await entries(account)).toHaveLength(1)
  })
})
