import { type Database, sql } from '../database/database.ts'
import type { Batch } from './batch.ts'

/**
 * Tables whose rows end by age alone, oldest first. In SQL: rows that other transactions lock are skipped; by their place in the table,
 * since PostgreSQL may join a table of some size to a list of keys by reading all of it.
 */

interface Age {
  before: Date
  /** Rows of one transaction, at most. */
  limit: number
}

const batchOf = (table: string, count: number, limit: number): Batch => ({
  removed: { [table]: count },
  isLast: count < limit,
})

/** Quotes that expired before. */
export async function removeQuotes(db: Database, { before, limit }: Age): Promise<Batch> {
  const count = await sql(db).$executeRaw`DELETE FROM quotes WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM quotes WHERE expiration < ${before} ORDER BY expiration LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('quotes', count, limit)
}

export async function removeMarketPrices(db: Database, { before, limit }: Age): Promise<Batch> {
  const count = await sql(db).$executeRaw`DELETE FROM market_prices WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM market_prices WHERE at < ${before} ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('market_prices', count, limit)
}

export async function removeIdempotencyKeys(db: Database, { before, limit }: Age): Promise<Batch> {
  const count = await sql(db).$executeRaw`DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM idempotency_keys WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('idempotency_keys', count, limit)
}
