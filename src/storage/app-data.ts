import { appCodeOf } from '../domain/app-code.ts'
import type { Bytes32 } from '../domain/hex.ts'
import { bytea, hexOf, raw } from './columns.ts'
import { type Db, sql } from './database.ts'

export async function findAppData(db: Db, hash: Bytes32): Promise<string | undefined> {
  const row = await sql(db).appData.findUnique({ where: { hash: bytea(hash) } })
  return row?.document
}

export async function findAppDataMany(db: Db, hashes: readonly Bytes32[]): Promise<Map<Bytes32, string>> {
  const rows = await sql(db).appData.findMany({ where: { hash: { in: hashes.map(bytea) } } })
  return new Map(rows.map((row) => [hexOf(row.hash), row.document]))
}

/**
 * Stores a document under its hash, and names its application in the orders that waited for it.
 * The first document stays: false when there was one, the same or another.
 */
export async function storeAppData(db: Db, hash: Bytes32, document: string): Promise<boolean> {
  const stored = await sql(db).$queryRaw<unknown[]>`
    WITH stored AS (
      INSERT INTO app_data (hash, document, app_code) VALUES (${bytea(hash)}, ${document}, ${appCodeOf(document)})
      ON CONFLICT DO NOTHING RETURNING hash, app_code
    ), named AS (${raw(nameOrders('stored'))})
    SELECT FROM stored`
  return stored.length === 1
}

/** Writes the application's name into orders that came before their document; `documents` holds hashes with their `app_code`. */
export function nameOrders(documents: string): string {
  return `UPDATE orders o SET app_code = d.app_code FROM ${documents} d
    WHERE o.app_data = d.hash AND o.app_code IS NULL AND d.app_code IS NOT NULL`
}
