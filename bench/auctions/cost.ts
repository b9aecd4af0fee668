import { query } from '../database/open.ts'

/** The content of a database, and its writes. */
export interface Cost {
  rows: number
  /** The size of all tables with their indexes. */
  bytes: number
  walBytes: number
}

export interface TableCost extends Pick<Cost, 'rows' | 'bytes'> {
  table: string
}

/** Reads the costs of every table of the program. */
export async function tableCosts(url: string): Promise<TableCost[]> {
  const tables = await query<{ table: string; bytes: number }>(
    url,
    `SELECT relname AS table, pg_total_relation_size(oid)::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  const counts = tables.map(
    ({ table }) => `SELECT '${table}' AS table, count(*)::float8 AS rows FROM ${table}`,
  )
  const rows = await query<{ table: string; rows: number }>(url, counts.join(' UNION ALL '))
  const rowsOf = new Map(rows.map(({ table, rows }) => [table, rows]))
  return tables.map(({ table, bytes }) => ({ table, bytes, rows: rowsOf.get(table) ?? 0 }))
}

export async function readCost(url: string): Promise<Cost> {
  const tables = await tableCosts(url)
  const [wal] = await query<{ bytes: number }>(
    url,
    "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes",
  )
  const sum = (of: (table: TableCost) => number) => tables.reduce((total, table) => total + of(table), 0)
  return { rows: sum(({ rows }) => rows), bytes: sum(({ bytes }) => bytes), walBytes: wal?.bytes ?? 0 }
}

export function costBetween(before: Cost, after: Cost): Cost {
  return {
    rows: after.rows - before.rows,
    bytes: after.bytes - before.bytes,
    walBytes: after.walBytes - before.walBytes,
  }
}
