import { appCodeOf, referrerCodeOf } from '../domain/app-data/document.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { bytea, hexOf, raw } from './database/columns.ts'
import { type Database, type Db, sql, type Tx } from './database/database.ts'
import { lockDocument } from './order/progress.ts'

/**
 * @param now leaves out documents that have expired by then: they are about to be removed, and an order
 *   could lose its document
 */
export async function findAppData(db: Db, hash: Bytes32, now?: Date): Promise<string | undefined> {
  const row = await sql(db).appData.findFirst({
    where: { hash: bytea(hash), ...(now && { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] }) },
  })
  return row?.document
}

/** The stored documents, by hash. */
export async function findDocuments(db: Db, hashes: readonly Bytes32[]): Promise<Map<Bytes32, string>> {
  const rows = await sql(db).appData.findMany({ where: { hash: { in: [...new Set(hashes)].map(bytea) } } })
  return new Map(rows.map(({ hash, document }) => [hexOf(hash), document]))
}

/** The client that uploads a document, and how long it is kept while no order names it. */
interface Uploader {
  /** A hash of the client’s address. */
  client: Uint8Array
  expiresAt: Date
}

/** Values without expiry, for a document that an order brings. */
const kept = { client: null, expiresAt: null }

/**
 * Stores a document under its hash, and writes its app code and referrer code into the orders that refer to
 * it. Another upload of a document that no order names extends its expiry. In SQL: orders are updated from
 * another table's row.
 * @returns false if the hash already has a document, which stays
 */
export async function insertAppData(
  tx: Tx,
  hash: Bytes32,
  document: string,
  { client, expiresAt }: Uploader | typeof kept = kept,
): Promise<boolean> {
  // A separate statement: the next one must see every commit up to the moment the lock was taken.
  await lockDocument(tx, hash)
  const stored = await sql(tx).$queryRaw<unknown[]>`
    WITH stored AS (
      INSERT INTO app_data (hash, document, app_code, referrer_code, client, expires_at)
      SELECT ${bytea(hash)}, ${document}, ${appCodeOf(document)}, ${referrerCodeOf(document)},
        CASE WHEN NOT is_named THEN ${client}::bytea END, CASE WHEN NOT is_named THEN ${expiresAt}::timestamptz END
      FROM (SELECT EXISTS (SELECT FROM orders o WHERE o.app_data = ${bytea(hash)} AND o.app_code IS NULL) AS is_named) o
      ON CONFLICT DO NOTHING RETURNING hash, app_code, referrer_code
    ), prolonged AS (
      UPDATE app_data SET expires_at = ${expiresAt} WHERE hash = ${bytea(hash)} AND expires_at < ${expiresAt}
    ), documents AS (
      TABLE stored UNION ALL SELECT hash, app_code, referrer_code FROM app_data WHERE hash = ${bytea(hash)}
    ), named AS (${raw(nameOrders('documents'))})
    SELECT FROM stored`
  return stored.length === 1
}

export function storeAppData(
  db: Database,
  hash: Bytes32,
  document: string,
  uploader?: Uploader,
): Promise<boolean> {
  return db.transaction((tx) => insertAppData(tx, hash, document, uploader))
}

/** Size of a document's row without its text, including index entries. */
const rowBytes = 512

/** Bytes of the documents that a client has uploaded and no order names, as they are stored. */
export async function unusedBytes(db: Db, client: Uint8Array): Promise<number> {
  const [row] = await sql(db).$queryRaw<{ bytes: number }[]>`
    SELECT coalesce(sum(pg_column_size(document) + ${rowBytes}::int), 0)::float8 AS bytes FROM app_data WHERE client = ${client}`
  return row?.bytes ?? 0
}

/**
 * Writes the codes of documents into orders that were stored before them; `documents` is a relation of hashes
 * and codes.
 */
export function nameOrders(documents: string): string {
  return `UPDATE orders o SET app_code = d.app_code, referrer_code = d.referrer_code FROM ${documents} d
    WHERE o.app_data = d.hash AND o.app_code IS NULL AND o.referrer_code IS NULL
      AND coalesce(d.app_code, d.referrer_code) IS NOT NULL`
}
