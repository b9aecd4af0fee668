import { Client } from 'pg'
import type { BackendKey } from './client.ts'

/** State that a connection keeps between transactions. */
export interface Access {
  /** The next transaction may get another server: settings are sent with each transaction. */
  isPooled: boolean
  /** True if statements can be prepared by name. */
  prepares: boolean
}

/** A connection to PostgreSQL itself. */
export const directAccess: Access = { isPooled: false, prepares: true }

const probeName = 'tradegraph_probe'

/**
 * Detects a pooler at an address: it gives clients its own keys, so the process id is not that of the server.
 * A pooler that keeps prepared statements for its clients (PgBouncer since 1.21) renames them on the server.
 * @throws when the database does not answer
 */
export async function probeAccess(url: string): Promise<Access> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  client.on('error', () => {})
  let process: number | undefined
  client.connection.once('backendKeyData', ({ processID }: BackendKey) => {
    process = processID
  })
  await client.connect()
  try {
    // One transaction runs on one server, and leaves nothing behind.
    await client.query('BEGIN')
    const { rows: servers } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    if (servers[0]?.pid === process) return directAccess
    const text = `SELECT EXISTS (SELECT FROM pg_prepared_statements WHERE name = '${probeName}') AS kept`
    const { rows: found } = await client.query<{ kept: boolean }>({ name: probeName, text })
    const keepsName = found[0]?.kept === true
    if (keepsName) await client.query(`DEALLOCATE ${probeName}`)
    await client.query('COMMIT')
    return { isPooled: true, prepares: !keepsName }
  } finally {
    await client.end()
  }
}
