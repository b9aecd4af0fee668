import type { Address } from '../domain/evm/address.ts'
import type { Notification } from '../domain/notification.ts'
import { bytea, hexOf } from './database/columns.ts'
import { type Db, readPrepared, sql, type Tx } from './database/database.ts'
import { signal } from './database/signals.ts'
import { feedEdge } from './models/notification/feed.ts'
import { isSettled } from './models/notification/notification.ts'
import { param, type Selection } from './query/selected.ts'
import type { Slot } from './query/slot.ts'
import { type Statement, streamStatement } from './query/statement.ts'

/** A notification to be written, with its cause. */
export interface NewNotification extends Omit<Notification, 'id'> {
  /** Unique name of the cause, such as `filled:<chain>:<uid>`. */
  cause: string
  /** Block of a cause that a reorg can take back. */
  blockNumber: number | null
}

/** A position in the feed: after every entry up to it, in commit order. */
export interface FeedPosition {
  tx: bigint
  id: bigint
}

/**
 * Writes notifications and their feed entries. A cause gets one entry: a trade that returns after a reorg only updates the block.
 * A cause that was reverted for good and then happens again gets another entry, as an update.
 * In SQL: `xmax = 0` says that PostgreSQL inserted the row rather than updated it.
 */
export async function recordNotifications(tx: Tx, notifications: readonly NewNotification[]): Promise<void> {
  for (const notification of notifications) {
    const metadata = JSON.stringify(notification.metadata)
    const [row] = await sql(tx).$queryRaw<{ id: bigint; isNew: boolean }[]>`
      WITH before AS (SELECT metadata ? 'reverted' AS reverted FROM notifications WHERE cause = ${notification.cause})
      INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata, block_number)
      VALUES (${notification.cause}, ${notification.metadata.chainId}, ${bytea(notification.account)}, ${notification.type}, ${notification.message},
        ${notification.timestamp}, ${metadata}::jsonb, ${notification.blockNumber})
      ON CONFLICT (cause) DO UPDATE SET detached = false, message = excluded.message, metadata = excluded.metadata,
        block_number = excluded.block_number
      RETURNING id, xmax = 0 OR coalesce((SELECT reverted FROM before), false) AS "isNew"`
    if (row?.isNew) await appendToFeed(tx, notification.account, row.id)
  }
}

/** Marks notifications of blocks above `block` as detached: finality decides whether they are reverted for good. */
export async function detachNotifications(tx: Tx, chainId: number, block: number): Promise<void> {
  await sql(tx).notification.updateMany({
    where: { chainId, detached: false, blockNumber: { gt: BigInt(block) } },
    data: { detached: true },
  })
}

/**
 * Marks notifications as reverted when their cause has not returned by finality, with one more feed entry. Their block is cleared,
 * so that this happens once. In SQL: JSON is merged.
 */
export async function revertDetached(tx: Tx, chainId: number, finalizedBlock: number): Promise<void> {
  const rows = await sql(tx).$queryRaw<{ id: bigint; account: Uint8Array }[]>`
    UPDATE notifications SET detached = false, block_number = NULL, metadata = metadata || '{"reverted": true}'::jsonb
    WHERE chain_id = ${chainId} AND detached AND block_number <= ${finalizedBlock} RETURNING id, account`
  for (const row of rows) await appendToFeed(tx, hexOf(row.account), row.id)
}

/** How a stream reads a feed: each entry's text holds what the client selected. */
export interface FeedReading {
  item: Selection
  slots: readonly Slot[]
  /** Unix seconds. */
  now(): number
}

const entries = (account: string, tx: string, id: string, limit: string) =>
  `feed_entries f JOIN notifications n ON n.id = f.notification_id
   WHERE f.account = ${account} AND (f.tx, f.id) > (${tx}::bigint, ${id}::bigint) AND ${isSettled}
   ORDER BY f.tx, f.id LIMIT ${limit}::int`

const statements = new WeakMap<Selection, Statement>()

/** Entries after a position, in commit order. No entry ever appears before a position that was read. */
export async function readFeed(
  db: Db,
  account: Address,
  after: FeedPosition,
  limit: number,
  { item, slots, now }: FeedReading,
): Promise<FeedRow[]> {
  const parameters = [1, 2, 3, 4].map(param)
  const cached = statements.get(item)
  const statement =
    cached ??
    streamStatement(
      feedEdge,
      item,
      'f.tx, f.id',
      entries(...(parameters as [string, string, string, string])),
      parameters.length,
      slots,
      { spelling: 'stored', isMixed: true },
    )
  if (!cached) statements.set(item, statement)
  const values = [now(), bytea(account), after.tx, after.id, limit, ...slots.flatMap(({ values }) => values)]
  const rows = await readPrepared<[string, string, string]>(
    db,
    statement.text,
    statement.valueIndexes.map((valueIndex) => values[valueIndex]),
  )
  return rows.map(([tx, id, text]) => ({ position: { tx: BigInt(tx), id: BigInt(id) }, text }))
}

/** The position before all entries that will be committed from now on. In SQL: a function, as in `appendToFeed`. */
export async function feedHead(db: Db): Promise<FeedPosition> {
  const [row] = await sql(db).$queryRaw<{ tx: bigint }[]>`
    SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint AS tx`
  if (!row) throw new Error('no snapshot')
  return { tx: row.tx, id: 0n }
}

export interface FeedRow {
  position: FeedPosition
  /** JSON. */
  text: string
}

async function appendToFeed(tx: Tx, account: Address, notificationId: bigint): Promise<void> {
  await sql(tx).$executeRaw`
    INSERT INTO feed_entries (tx, account, notification_id)
    VALUES ((pg_current_xact_id()::text)::bigint, ${bytea(account)}, ${notificationId})`
  await signal(tx, 'feed', account)
}
