import { readdirSync } from 'node:fs'
import { query } from '../database/open.ts'
import type { ServerProcess } from '../servers/process.ts'

/** The state at one moment, as numbers by name. */
export interface Sample {
  seconds: number
  values: Record<string, number>
}

/** @param seconds since the start */
export async function takeSample(program: ServerProcess, url: string, seconds: number): Promise<Sample> {
  const { rssMb, cpuMs, p99BlockMs } = await program.vitals()
  const [connections] = await query<{ all: number; active: number }>(
    url,
    `SELECT count(*)::int AS all, count(*) FILTER (WHERE state = 'active')::int AS active FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  const [tables] = await query<{ mb: number; dead: number; rows: number }>(
    url,
    `SELECT sum(pg_total_relation_size(relid))::float8 / 1048576 AS mb, sum(n_dead_tup)::float8 AS dead, sum(n_live_tup)::float8 AS rows
     FROM pg_stat_user_tables`,
  )
  return {
    seconds,
    values: {
      'memory MiB': rssMb,
      'CPU ms': cpuMs,
      'block p99 ms': p99BlockMs,
      handles: readdirSync(`/proc/${program.pid}/fd`).length,
      connections: connections?.all ?? 0,
      'tables MiB': tables?.mb ?? 0,
      'dead rows': tables?.dead ?? 0,
      rows: tables?.rows ?? 0,
    },
  }
}

/** Takes the memory in use after a collection: growth here is never freed. */
export async function takeHeldMemory(program: ServerProcess, seconds: number): Promise<Sample> {
  const { heapMb, externalMb } = await program.heldMemory()
  return { seconds, values: { 'held heap MiB': heapMb, 'held buffers MiB': externalMb } }
}

/** Returns bytes, rows and dead rows of the largest tables. */
export async function maxTables(url: string) {
  return query<{ table: string; mb: number; rows: number; dead: number }>(
    url,
    `SELECT relname AS table, pg_total_relation_size(relid)::float8 / 1048576 AS mb, n_live_tup::float8 AS rows, n_dead_tup::float8 AS dead
     FROM pg_stat_user_tables ORDER BY 2 DESC LIMIT 10`,
  )
}

export interface Slope {
  what: string
  first: number
  last: number
  /** Growth by the line through the samples of the second half: caches have filled by then. */
  anHour: number
}

export function slopesOf(samples: readonly Sample[]): Slope[] {
  const later = samples.slice(Math.floor(samples.length / 2))
  const names = Object.keys(samples[0]?.values ?? {})
  return names.map((what) => ({
    what,
    first: samples[0]?.values[what] ?? 0,
    last: samples.at(-1)?.values[what] ?? 0,
    anHour: 3_600 * slope(later.map(({ seconds, values }) => [seconds, values[what] ?? 0])),
  }))
}

/** Returns the slope by least squares. */
function slope(points: readonly (readonly [number, number])[]): number {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / Math.max(1, points.length)
  const [x0, y0] = [mean(0), mean(1)]
  const over = points.reduce((sum, [x, y]) => sum + (x - x0) * (y - y0), 0)
  const under = points.reduce((sum, [x]) => sum + (x - x0) ** 2, 0)
  return under === 0 ? 0 : over / under
}
