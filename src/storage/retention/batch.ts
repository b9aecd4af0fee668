import { type Database, sql, type Tx } from '../database/database.ts'

/** Rows removed by one transaction, by table, and whether there may be more. */
export interface RemovalBatch {
  removed: Record<string, number>
  isLast: boolean
}

/**
 * Longest wait for a row that another transaction has locked; the batch is then undone and tried again later.
 */
const lockTimeoutMs = 250

/**
 * A transaction that never waits long, so that others never wait long for it. In SQL: Prisma has no settings
 * of a transaction.
 */
export function shortTransaction<T>(db: Database, run: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await sql(tx).$executeRawUnsafe(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
    return run(tx)
  })
}

/** How far a removal has come; 0 before it began. */
export async function removedUpTo(tx: Tx, name: string): Promise<bigint> {
  return (await sql(tx).retentionMark.findUnique({ where: { name } }))?.place ?? 0n
}

export async function setRemovedUpTo(tx: Tx, name: string, place: bigint): Promise<void> {
  await sql(tx).retentionMark.upsert({ where: { name }, create: { name, place }, update: { place } })
}
