import type { Address } from '../domain/evm/address.ts'
import { bytea } from './database/columns.ts'
import { type Db, sql } from './database/database.ts'
import { Prisma } from './generated/client.ts'

/** Up to a number, or those with these numbers. */
export type ReadNotifications = { upTo: bigint } | { ids: readonly bigint[] }

/**
 * Marks at most `limit` notifications of an account as read; others keep the time of their first mark. One that is being corrected at the
 * moment is left out, since its correction is to be read: so nothing waits for a lock, and the indexer for none but this statement.
 * @returns how many. In SQL: it skips rows that are locked.
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
