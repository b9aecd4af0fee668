import type { Address } from '../domain/evm/address.ts'
import type { Notification } from '../domain/notification/notification.ts'
import { bytea } from './database/columns.ts'
import { type Db, sql, type Tx } from './database/database.ts'
import { Prisma } from './generated/client.ts'

/** A notification to be written, with its cause. */
export interface NewNotification extends Omit<Notification, 'id'> {
  /** Unique name of the cause, such as `filled:<chain>:<uid>`. */
  cause: string
  /** Block of a cause that a reorg can take back. */
  blockNumber: number | null
  /** The cause of the price improvement of the same trade, which is written with a fill. */
  improvedBy?: string | undefined
}

/**
 * Writes notifications in one statement; a trigger gives them their entries in the feed when the transaction
 * commits. A cause gets one entry: a trade that returns after a reorg only updates the block. A cause that
 * was reverted for good and then happens again gets another, as an update. In SQL: Prisma's upsert would read
 * first.
 */
export async function recordNotifications(tx: Tx, notifications: readonly NewNotification[]): Promise<void> {
  if (notifications.length === 0) return
  // The last of a cause counts, since one statement writes a row once.
  const rows = [...new Map(notifications.map((notification) => [notification.cause, notification])).values()]
  const values = <Value>(of: (notification: NewNotification) => Value) => rows.map(of)
  await sql(tx).$executeRaw`
    INSERT INTO notifications (cause, chain_id, account, type, message, timestamp, metadata, block_number, improved_by)
    SELECT cause, chain_id, account, type, message, timestamp, metadata, block_number, improved_by
    FROM unnest(${values(({ cause }) => cause)}::text[], ${values(({ metadata }) => metadata.chainId)}::int[],
      ${values(({ account }) => bytea(account))}::bytea[], ${values(({ type }) => type)}::text[],
      ${values(({ message }) => message)}::text[], ${values(({ timestamp }) => timestamp)}::timestamptz[],
      ${values(({ metadata }) => JSON.stringify(metadata))}::jsonb[], ${values(({ blockNumber }) => blockNumber)}::bigint[],
      ${values(({ improvedBy = null }) => improvedBy)}::text[])
      WITH ORDINALITY AS n(cause, chain_id, account, type, message, timestamp, metadata, block_number, improved_by, position)
    ORDER BY position
    ON CONFLICT (cause) DO UPDATE SET detached = false, message = excluded.message, metadata = excluded.metadata,
      block_number = excluded.block_number, improved_by = excluded.improved_by`
}

/**
 * Marks notifications of blocks above `block` as detached: finality decides whether they are reverted for
 * good.
 */
export async function detachNotifications(tx: Tx, chainId: number, block: number): Promise<void> {
  await sql(tx).notification.updateMany({
    where: { chainId, detached: false, blockNumber: { gt: BigInt(block) } },
    data: { detached: true },
  })
}

/**
 * Marks notifications as reverted, and unread, when their cause has not returned by finality; a trigger gives
 * each one more feed entry. Their block is cleared, so that this happens once. In SQL: JSON is merged.
 */
export async function revertDetached(db: Db, chainId: number, finalizedBlock: number): Promise<void> {
  await sql(db).$executeRaw`
    UPDATE notifications SET detached = false, block_number = NULL, read_at = NULL, metadata = metadata || '{"reverted": true}'::jsonb
    WHERE chain_id = ${chainId} AND detached AND block_number <= ${finalizedBlock}`
}

/** Notifications up to a number, or with these numbers. */
export type ReadNotifications = { upTo: bigint } | { ids: readonly bigint[] }

/**
 * Marks up to `limit` notifications of an account as read; others keep the time of their first mark. Skips a
 * notification that is being corrected, since the correction has to be read. So the call waits for no lock,
 * and the indexer waits only for this statement.
 * @returns how many. In SQL: it skips locked rows.
 */
export async function markRead(
  db: Db,
  account: Address,
  which: ReadNotifications,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const named = 'upTo' in which ? Prisma.sql`id <= ${which.upTo}` : Prisma.sql`id = ANY(${which.ids})`
  return await sql(db).$executeRaw`
    UPDATE notifications SET read_at = ${now} WHERE id IN (
      SELECT id FROM notifications WHERE account = ${bytea(account)} AND read_at IS NULL AND ${named}
      LIMIT ${limit} FOR UPDATE SKIP LOCKED)`
}
