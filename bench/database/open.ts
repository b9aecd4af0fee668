import { totalmem } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startDatabase } from '../../src/dev/database/database.ts'
import type { Log } from '../../src/domain/log.ts'

export interface BenchServer {
  url: string
  stop(): Promise<void>
}

/** Opens the embedded PostgreSQL of a home, with one database for each size; it counts statements. */
export async function openEmbedded(home: string, name: string, log: Log): Promise<BenchServer> {
  const start = { home: path.resolve(home), log, sharedBuffers: quarterOfMemory() }
  let server = await startDatabase(start)
  if (!(await isCounting(server.url))) {
    await query(server.url, "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
    await server.stop()
    server = await startDatabase(start)
  }
  const known = await query(server.url, 'SELECT 1 FROM pg_database WHERE datname = $1', [name])
  if (known.length === 0) await query(server.url, `CREATE DATABASE ${name}`)
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return { url: url.href, stop: server.stop }
}

/**
 * Returns the size that PostgreSQL's manual advises for a dedicated server. With less, every figure includes
 * page copies.
 */
function quarterOfMemory(): string {
  return `${Math.floor(totalmem() / 4 / 2 ** 20)}MB`
}

async function isCounting(url: string): Promise<boolean> {
  const [row] = await query<{ shared_preload_libraries: string }>(url, 'SHOW shared_preload_libraries')
  return row?.shared_preload_libraries.includes('pg_stat_statements') ?? false
}

/** Runs one statement over a new connection. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text, values)).rows
  } finally {
    await client.end()
  }
}
