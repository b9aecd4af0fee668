import type { Bytes32 } from '../domain/hex.ts'
import { bytea, hexOf } from './columns.ts'
import { type Db, sql } from './database.ts'

export async function findAppData(db: Db, hash: Bytes32): Promise<string | undefined> {
  const row = await sql(db).appData.findUnique({ where: { hash: bytea(hash) } })
  return row?.document
}

export async function findAppDataMany(db: Db, hashes: readonly Bytes32[]): Promise<Map<Bytes32, string>> {
  const rows = await sql(db).appData.findMany({ where: { hash: { in: hashes.map(bytea) } } })
  return new Map(rows.map((row) => [hexOf(row.hash), row.document]))
}

/** Stores a document under its hash. The first one stays: false when there was one, the same or another. */
export async function storeAppData(db: Db, hash: Bytes32, document: string): Promise<boolean> {
  const { count } = await sql(db).appData.createMany({
    data: [{ hash: bytea(hash), document }],
    skipDuplicates: true,
  })
  return count === 1
}
