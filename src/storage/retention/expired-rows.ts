import { channelKinds } from '../../domain/notification/channel.ts'
import { wakeChannels } from '../channels/queue.ts'
import { raw } from '../database/columns.ts'
import { type Database, sql } from '../database/database.ts'
import { type AgedRows, leaveTime } from '../models/completeness.ts'
import type { RemovalBatch } from './batch.ts'

/**
 * Tables whose rows end by age alone, oldest first. In SQL: rows that other transactions lock are skipped; by
 * their place in the table, since PostgreSQL may join a table of some size to a list of keys by reading all
 * of it.
 */

interface Age {
  before: Date
  /** Limit of rows in one transaction. */
  limit: number
}

const batchOf = (table: string, count: number, limit: number): RemovalBatch => ({
  removed: { [table]: count },
  isLast: count < limit,
})

/** Removes quotes that expired before. */
export async function removeQuotes(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db).$executeRaw`DELETE FROM quotes WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM quotes WHERE expiration < ${before} ORDER BY expiration LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('quotes', count, limit)
}

export async function removeMarketPrices(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  return removeMarked(db, 'market_prices', { before, limit })
}

/** Removes rows, and leaves the time of the newest of them. */
async function removeMarked(db: Database, table: AgedRows, { before, limit }: Age): Promise<RemovalBatch> {
  const [row] = await sql(db).$queryRaw<{ count: number }[]>`
    WITH removed AS (
      DELETE FROM ${raw(table)} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM ${raw(table)} WHERE at < ${before} ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED)) RETURNING at
    ), marked AS (
      ${raw(leaveTime(table))}
    )
    SELECT count(*)::int AS count FROM removed`
  return batchOf(table, row?.count ?? 0, limit)
}

/** Removes refused solutions, including those of auctions that stay because they were settled. */
export async function removeRefusedSolutions(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  return removeMarked(db, 'refused_solutions', { before, limit })
}

export async function removeIdempotencyKeys(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db).$executeRaw`DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM idempotency_keys WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('idempotency_keys', count, limit)
}

/**
 * Removes documents that expired before and that no order names: a trigger of orders clears the expiry of a
 * named one. Skips documents locked by orders that are being stored.
 */
export async function removeDocuments(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db).$executeRaw`DELETE FROM app_data WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM app_data WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('app_data', count, limit)
}

/** Removes nonces and sessions that expired before. */
export async function removeSessions(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const nonces = await sql(db).$executeRaw`DELETE FROM sign_in_nonces WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM sign_in_nonces WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  const sessions = await sql(db).$executeRaw`DELETE FROM sessions WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM sessions WHERE expires_at < ${before} ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return { removed: { sign_in_nonces: nonces, sessions }, isLast: nonces < limit && sessions < limit }
}

/** Removes sessions of balances that expired before. They are few: no index is kept for this. */
export async function removeBalanceSessions(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db).$executeRaw`DELETE FROM balance_sessions WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM balance_sessions WHERE expires_at < ${before} LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('balance_sessions', count, limit)
}

/** Removes counts of tokens that were sent before. */
export async function removeConfirmations(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db).$executeRaw`DELETE FROM channel_confirmations WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM channel_confirmations WHERE sent_at < ${before} ORDER BY sent_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('channel_confirmations', count, limit)
}

/** Removes deliveries that ended before. */
export async function removeDeliveries(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db).$executeRaw`DELETE FROM deliveries WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM deliveries WHERE state <> 'waiting' AND ended_at < ${before} ORDER BY ended_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('deliveries', count, limit)
}

/** Ends deliveries that waited two days longer, as of a disabled kind: those that fail end earlier. */
export async function endForgotten(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db)
    .$executeRaw`UPDATE deliveries SET state = 'dead', ended_at = now(), fault = 'never sent'
    WHERE id = ANY(ARRAY(SELECT d.id FROM unnest(${[...channelKinds]}::text[]) AS k(kind), LATERAL (SELECT id FROM deliveries
      WHERE kind = k.kind AND state = 'waiting' AND waiting_since < ${before}::timestamptz - interval '2 days'
      ORDER BY waiting_since LIMIT ${limit} FOR UPDATE SKIP LOCKED) d))`
  return { removed: {}, isLast: count < limit }
}

/** Processes marks of channels with new deliveries even where no process sends. */
export async function carryWakes(db: Database, now: Date, limit: number): Promise<RemovalBatch> {
  return { removed: {}, isLast: (await wakeChannels(db, now, limit)) < limit }
}

/** Removes channels that ended before and have no deliveries left. */
export async function removeChannels(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db).$executeRaw`DELETE FROM channels WHERE ctid = ANY(ARRAY(
    SELECT c.ctid FROM channels c WHERE c.state = 'ended' AND c.ended_at < ${before}
      AND NOT EXISTS (SELECT FROM deliveries d WHERE d.channel_id = c.id) ORDER BY c.ended_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return batchOf('channels', count, limit)
}

/** Ends channels whose confirmation expired before, and forgets their addresses. */
export async function endUnconfirmed(db: Database, { before, limit }: Age): Promise<RemovalBatch> {
  const count = await sql(db)
    .$executeRaw`UPDATE channels SET state = 'ended', ended_at = ${before}, end_reason = 'unconfirmed',
      address = '', keys = '{}', confirmation_hash = NULL, confirmation_expires_at = NULL
    WHERE id = ANY(ARRAY(SELECT id FROM channels WHERE state = 'pending' AND confirmation_expires_at < ${before}
      ORDER BY confirmation_expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`
  return { removed: {}, isLast: count < limit }
}
