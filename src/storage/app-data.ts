import { appCodeOf } from '../domain/app-data/app-code.ts'
import { referrerCodeOf } from '../domain/app-data/referrer-code.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import { bytea, hexOf, raw } from './database/columns.ts'
import { type Database, type Db, sql, type Tx } from './database/database.ts'
import { lockDocument } from './order/progress.ts'

export async function findAppData(db: Db, hash: Bytes32): Promise<string | undefined> {
  const row = await sql(db).appData.findUnique({ where: { hash: bytea(hash) } })
  return row?.document
}

/** Those that are stored, by their hashes. */
export async function findDocuments(db: Db, hashes: readonly Bytes32[]): Promise<Map<Bytes32, string>> {
  const rows = await sql(db).appData.findMany({ where: { hash: { in: [...new Set(hashes)].map(bytea) } } })
  return new Map(rows.map(({ hash, document }) => [hexOf(hash), document]))
}

/**
 * Stores a document under its hash, and writes its app code and referrer code into the orders that refer to it.
 * In SQL: orders are updated from another table's row.
 * @returns false when the hash already has a document, which stays
 */
export async function insertAppData(tx: Tx, hash: Bytes32, document: string): Promise<boolean> {
  // A separate statement: the next one must see every commit up to the moment the lock was taken.
  await lockDocument(tx, hash)
  const stored = await sql(tx).$queryRaw<unknown[]>`
    WITH stored AS (
      INSERT INTO app_data (hash, document, app_code, referrer_code)
      VALUES (${bytea(hash)}, ${document}, ${appCodeOf(document)}, ${referrerCodeOf(document)})
      ON CONFLICT DO NOTHING RETURNING hash, app_code, referrer_code
    ), documents AS (
      TABLE stored UNION ALL SELECT hash, app_code, referrer_code FROM app_data WHERE hash = ${bytea(hash)}
    ), named AS (${raw(nameOrders('documents'))})
    SELECT FROM stored`
  return stored.length === 1
}

export function storeAppData(db: Database, hash: Bytes32, document: string): Promise<boolean> {
  return db.transaction((tx) => insertAppData(tx, hash, document))
}

/** Writes the codes of documents into orders that were stored before them; `documents` is a relation of hashes and codes. */
export function nameOrders(documents: string): string {
  return `UPDATE orders o SET app_code = d.app_code, referrer_code = d.referrer_code FROM ${documents} d
    WHERE o.app_data = d.hash AND o.app_code IS NULL AND o.referrer_code IS NULL
      AND coalesce(d.app_code, d.referrer_code) IS NOT NULL`
}
