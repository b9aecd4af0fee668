import type { Address } from '../domain/address.ts'
import type {
  FeedEntry,
  Notification,
  NotificationMetadata,
  NotificationType,
} from '../domain/notification.ts'
import { bytea, hexOf, json, raw } from './columns.ts'
import { type Db, sql, type Tx } from './database.ts'
import { signal } from './signals.ts'

/** A notification about to be written with its cause. */
export interface NewNotification extends Omit<Notification, 'id'> {
  /** Names the cause, such as `filled:<chain>:<uid>`. */
  cause: string
  /** Block of a cause that a reorg can take back. */
  blockNumber: number | null
}

/** A place in the feed: behind everything up to it in commit order. */
export interface FeedPosition {
  tx: bigint
  id: bigint
}

export const feedStart: FeedPosition = { tx: 0n, id: 0n }

const notificationJson = `json_build_object('id', n.id::text, 'account', ${json.hex('n.account')}, 'type', n.type,
  'message', n.message, 'timestamp', ${json.time('n.timestamp')}, 'metadata', n.metadata)`

/** Rows of transactions that are over, whatever runs beside them: the fence that makes (tx, id) a commit order. */
const settled = `f.tx < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint`

/**
 * Writes notifications and their places in the feed. A cause that was told is not told again: a trade that returns after a reorg
 * only takes its block over. One that had been reverted for good and happens after all is told as an update.
 * (`xmax = 0` is PostgreSQL's mark of a row that was inserted here, not updated.)
 */
export async function recordNotifications(tx: Tx, items: readonly NewNotification[]): Promise<void> {
  for (const item of items) {
    const metadata = JSON.stringify(item.metadata)
    const [row] = await sql(tx).$queryRaw<{ id: bigint; tell: boolean }[]>`
      WITH before AS (SELECT metadata ? 'reverted' AS reverted FROM notifications WHERE cause = ${item.cause})
      INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata, block_number)
      VALUES (${item.cause}, ${item.metadata.chainId}, ${bytea(item.account)}, ${item.type}, ${item.message},
        ${item.timestamp}, ${metadata}::jsonb, ${item.blockNumber})
      ON CONFLICT (cause) DO UPDATE SET detached = false, message = excluded.message, metadata = excluded.metadata,
        block_number = excluded.block_number
      RETURNING id, xmax = 0 OR coalesce((SELECT reverted FROM before), false) AS tell`
    if (row?.tell) await appendToFeed(tx, item.account, row.id)
  }
}

/** Causes in blocks above `block` are gone for now; whether for good is known at finality. */
export async function detachNotifications(tx: Tx, chainId: number, block: number): Promise<void> {
  await sql(tx).$executeRaw`
    UPDATE notifications SET detached = true WHERE chain_id = ${chainId} AND NOT detached AND block_number > ${block}`
}

/** Marks notifications as reverted whose cause has not returned by finality, and says so once: they have no block any more. */
export async function revertDetached(tx: Tx, chainId: number, finalizedBlock: number): Promise<void> {
  const rows = await sql(tx).$queryRaw<{ id: bigint; account: Uint8Array }[]>`
    UPDATE notifications SET detached = false, block_number = NULL, metadata = metadata || '{"reverted": true}'::jsonb
    WHERE chain_id = ${chainId} AND detached AND block_number <= ${finalizedBlock} RETURNING id, account`
  for (const row of rows) await appendToFeed(tx, hexOf(row.account), row.id)
}

/** What stands after a place, in commit order. Nothing ever appears before a place that was read. */
export async function readFeed(
  db: Db,
  account: Address,
  after: FeedPosition,
  limit: number,
): Promise<FeedRow[]> {
  const rows = await sql(db).$queryRaw<FeedJson[]>`
    SELECT f.tx, f.id, ${raw(notificationJson)} AS json FROM feed_entries f JOIN notifications n ON n.id = f.notification_id
    WHERE f.account = ${bytea(account)} AND (f.tx, f.id) > (${after.tx}, ${after.id}) AND ${raw(settled)}
    ORDER BY f.tx, f.id LIMIT ${limit}`
  return rows.map(toFeedRow)
}

/** The newest entries, oldest of them first. */
export async function latestFeed(db: Db, account: Address, limit: number): Promise<FeedRow[]> {
  const rows = await sql(db).$queryRaw<FeedJson[]>`
    SELECT f.tx, f.id, ${raw(notificationJson)} AS json FROM feed_entries f JOIN notifications n ON n.id = f.notification_id
    WHERE f.account = ${bytea(account)} AND ${raw(settled)} ORDER BY f.tx DESC, f.id DESC LIMIT ${limit}`
  return rows.map(toFeedRow).reverse()
}

/** The place that everything from now on comes after. */
export async function feedHead(db: Db): Promise<FeedPosition> {
  const [row] = await sql(db).$queryRaw<{ tx: bigint }[]>`
    SELECT (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint AS tx`
  if (!row) throw new Error('no snapshot')
  return { tx: row.tx, id: 0n }
}

/** Newest first, each once. */
export async function listNotifications(db: Db, account: Address, limit: number): Promise<Notification[]> {
  const rows = await sql(db).$queryRaw<{ json: NotificationJson }[]>`
    SELECT ${raw(notificationJson)} AS json FROM notifications n WHERE n.account = ${bytea(account)}
    ORDER BY n.id DESC LIMIT ${limit}`
  return rows.map(({ json }) => toNotification(json))
}

export async function findNotifications(db: Db, ids: readonly string[]): Promise<Notification[]> {
  const rows = await sql(db).$queryRaw<{ json: NotificationJson }[]>`
    SELECT ${raw(notificationJson)} AS json FROM notifications n WHERE n.id = ANY(${ids.map(BigInt)}::bigint[])`
  return rows.map(({ json }) => toNotification(json))
}

export interface FeedRow {
  position: FeedPosition
  notification: FeedEntry['notification']
}

interface NotificationJson {
  id: string
  account: Address
  type: NotificationType
  message: string
  timestamp: number
  metadata: NotificationMetadata
}

interface FeedJson extends FeedPosition {
  json: NotificationJson
}

async function appendToFeed(tx: Tx, account: Address, notificationId: bigint): Promise<void> {
  await sql(tx).$executeRaw`
    INSERT INTO feed_entries (tx, account, notification_id)
    VALUES ((pg_current_xact_id()::text)::bigint, ${bytea(account)}, ${notificationId})`
  await signal(tx, 'feed', account)
}

function toFeedRow({ tx, id, json }: FeedJson): FeedRow {
  return { position: { tx, id }, notification: toNotification(json) }
}

function toNotification(row: NotificationJson): Notification {
  return { ...row, timestamp: new Date(row.timestamp) }
}
