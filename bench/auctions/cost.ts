import { query } from '../database/open.ts'

/** The content of a database, and its writes. */
export interface Cost {
  rows: number
  /** The size of all tables with their indexes. */
  bytes: number
  walBytes: number
}

export async function readCost(url: string): Promise<Cost> {
  const tables = await query<{ name: string; bytes: number }>(
    url,
    `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM ${name})`).join(' + ')
  const [sums] = await query<{ rows: number; wal: number }>(
    url,
    `SELECT (${counts})::float8 AS rows, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal`,
  )
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  return { rows: sums?.rows ?? 0, bytes, walBytes: sums?.wal ?? 0 }
}

export function costBetween(before: Cost, after: Cost): Cost {
  return {
    rows: after.rows - before.rows,
    bytes: after.bytes - before.bytes,
    walBytes: after.walBytes - before.walBytes,
  }
}
