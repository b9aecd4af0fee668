import { query } from './open.ts'

export interface Statement {
  sql: string
  callsPerRequest: number
  meanMs: number
}

const ours = '%pg_stat_statements%'

/** Reports whether PostgreSQL counts the statements that this database gets, however a server sends them. */
export async function canCount(url: string): Promise<boolean> {
  try {
    await query(url, 'CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA bench')
    await query(url, 'SELECT 1 FROM bench.pg_stat_statements LIMIT 1')
    return true
  } catch {
    return false
  }
}

/** Counts the statements of `requests` requests, while the database has no other client. */
export async function countStatements(
  url: string,
  requests: number,
  run: () => Promise<void>,
): Promise<Statement[]> {
  await query(url, 'SELECT bench.pg_stat_statements_reset()')
  await run()
  const rows = await query<{ sql: string; calls: string; mean: number }>(
    url,
    `SELECT query AS sql, calls, mean_exec_time AS mean FROM bench.pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND query NOT LIKE $1
     ORDER BY calls DESC, total_exec_time DESC`,
    [ours],
  )
  return rows.map(({ sql, calls, mean }) => ({
    sql,
    callsPerRequest: Number(calls) / requests,
    meanMs: mean,
  }))
}
