import { query } from '../database/open.ts'
import { canCount } from '../database/statements.ts'

const role = 'bench_source'
const maxShown = 110

/** Returns a URL with a role for the source: PostgreSQL counts its statements apart from the program's. */
export async function sourceUrl(url: string): Promise<string> {
  const known = await query(url, 'SELECT FROM pg_roles WHERE rolname = $1', [role])
  if (known.length === 0) await query(url, `CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'bench'`)
  if (!(await canCount(url))) throw new Error('this PostgreSQL does not load pg_stat_statements')
  const own = new URL(url)
  own.username = role
  own.password = 'bench'
  return own.href
}

export interface Counted {
  sql: string
  calls: number
  meanMs: number
}

export async function resetCount(url: string): Promise<void> {
  await query(url, 'SELECT bench.pg_stat_statements_reset()')
}

/** Returns the program's statements since the count was reset, the most frequent first. */
export async function countSince(url: string): Promise<Counted[]> {
  const rows = await query<{ sql: string; calls: string; mean: number }>(
    url,
    `SELECT query AS sql, sum(calls) AS calls, sum(total_exec_time) / sum(calls) AS mean FROM bench.pg_stat_statements
     WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND userid <> $1::regrole AND query NOT LIKE '%pg_stat_statements%'
     GROUP BY query ORDER BY sum(calls) DESC`,
    [role],
  )
  return rows.map(({ sql, calls, mean }) => ({ sql, calls: Number(calls), meanMs: mean }))
}

export const total = (counted: readonly Counted[]): number =>
  counted.reduce((sum, { calls }) => sum + calls, 0)

/** Formats a line for each statement. */
export function linesOf(counted: readonly Counted[]): string[] {
  return counted.map(
    ({ sql, calls, meanMs }) =>
      `  ${calls} × ${meanMs.toFixed(2)} ms ${sql.replace(/\s+/g, ' ').slice(0, maxShown)}`,
  )
}
