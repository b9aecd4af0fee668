import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'

export interface TestDatabase extends AsyncDisposable {
  url: string
  db: Database
  /** SQL statements sent through `db` so far. */
  statements: string[]
}

/** A new, empty, migrated database. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(`CREATE DATABASE ${name} TEMPLATE template`)
  const url = new URL(inject('serverUrl'))
  url.pathname = `/${name}`
  const statements: string[] = []
  const db = openDatabase({ url: url.href, maxConnections: 10, onStatement: (sql) => statements.push(sql) })
  return {
    url: url.href,
    db,
    statements,
    async [Symbol.asyncDispose]() {
      await db.close()
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

/** A connection outside the program, to inspect the database and to interfere. */
export async function connectDirectly(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/**
 * A database for all tests of a file, with a connection beside the program's; its tables are emptied after
 * each test.
 */
export function useTables(onOpen: (tables: { database: TestDatabase; client: Client }) => void): void {
  let database: TestDatabase | undefined
  let client: Client | undefined
  beforeAll(async () => {
    database = await createTestDatabase()
    client = await connectDirectly(database.url)
    onOpen({ database, client })
  })
  afterAll(async () => {
    await client?.end()
    await database?.[Symbol.asyncDispose]()
  })
  afterEach(async () => {
    if (client) await emptyTables(client)
  })
}

/** Deletes every row, which is faster than creating another database. */
export async function emptyTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_%'`,
  )
  await client.query(rows.map(({ name }) => `DELETE FROM ${name}`).join(';'))
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject('serverUrl') })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
