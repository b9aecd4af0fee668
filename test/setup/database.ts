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

/** A database with its connections, which stay from one test to the next. */
interface Kept {
  name: string
  db: Database
  client: Client
  /** The statements of the present test. */
  statements: string[]
}

/** Databases of earlier tests of this worker, empty again: a new one costs half a second of the processor. */
const spare: Kept[] = []

/**
 * An empty, migrated database. Its URL names a role that may not log in afterwards: a program that a test has not
 * stopped does not reach the next test. Plans of statements need one that `isNew`, since a used one has other sizes.
 */
export async function createTestDatabase({
  isNew = false,
}: {
  isNew?: boolean | undefined
} = {}): Promise<TestDatabase> {
  const kept = (isNew ? undefined : spare.pop()) ?? (await create())
  const role = `role_${randomBytes(6).toString('hex')}`
  await kept.client.query(`CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${role}'`)
  const url = urlOf(kept.name)
  url.username = url.password = role
  const statements: string[] = []
  kept.statements = statements
  return {
    url: url.href,
    db: kept.db,
    statements,
    async [Symbol.asyncDispose]() {
      kept.statements = []
      // A test may have ended the connection, or have left a database that can't be restored.
      if (await restore(kept.client, role).catch(() => false)) return void spare.push(kept)
      await Promise.all([kept.db.close(), kept.client.end()])
      await onServer(`DROP DATABASE ${kept.name} WITH (FORCE)`)
    },
  }
}

function urlOf(name: string): URL {
  const url = new URL(inject('serverUrl'))
  url.pathname = `/${name}`
  return url
}

async function create(): Promise<Kept> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await onServer(`CREATE DATABASE ${name} TEMPLATE template`)
  const { href: url } = urlOf(name)
  const onStatement = (sql: string) => void kept.statements.push(sql)
  const db = openDatabase({ url, maxConnections: 10, onStatement })
  const kept: Kept = { name, db, client: await connectDirectly(url), statements: [] }
  // Foreign keys need no check while all is deleted, and a password of one test needs no slow hash.
  kept.client.on('error', () => undefined)
  await kept.client.query('SET session_replication_role = replica; SET scram_iterations = 1')
  return kept
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

const namesOfTables = `SELECT quote_ident(tablename) AS name FROM pg_tables
  WHERE schemaname = 'public' AND tablename NOT LIKE '\\_%' ORDER BY name`

/** Deletes every row, which is faster than creating another database. */
export async function emptyTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(namesOfTables)
  await client.query(rows.map(({ name }) => `DELETE FROM ${name}`).join(';'))
}

/** Catalogs in which each change of the schema adds, changes or deletes a row. */
const catalogs = ['class', 'attribute', 'proc', 'trigger', 'constraint', 'namespace']

/** SQL that differs once a test has changed the schema, left statistics for the planner, or stored much. */
const stateOfSchema = `
  SELECT concat_ws(' ',
    ${catalogs.map((name) => `(SELECT max(xmin::text::bigint) || '/' || count(*) FROM pg_${name})`).join(', ')},
    (SELECT sum(reltuples) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'),
    (SELECT count(*) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      WHERE d.datname = current_database()),
    (SELECT string_agg(migration_name, '' ORDER BY migration_name) FROM _prisma_migrations),
    pg_database_size(current_database()) / 8000000) AS state`

/** The state of a new database, and the rows that migrations have stored. */
let fresh: Promise<{ state: string; rows: [table: string, rows: string][] }> | undefined

async function readFresh() {
  const client = await connectDirectly(urlOf('template').href)
  const { rows: tables } = await client.query<{ name: string }>(namesOfTables)
  const rows: [string, string][] = []
  for (const { name } of tables) {
    const { rows: found } = await client.query(`SELECT json_agg(t)::text AS rows FROM ${name} t`)
    if (found[0].rows) rows.push([name, found[0].rows])
  }
  const { state } = (await client.query(stateOfSchema)).rows[0]
  await client.end()
  return { state, rows }
}

/** Ends the connections of the role, and makes the database like a new one. @returns false where rows alone do not */
async function restore(client: Client, role: string): Promise<boolean> {
  fresh ??= readFresh()
  const { state, rows } = await fresh
  await client.query(`ALTER ROLE ${role} NOLOGIN`)
  await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = $1', [
    role,
  ])
  if ((await client.query(stateOfSchema)).rows[0].state !== state) return false
  await emptyTables(client)
  for (const [table, stored] of rows)
    await client.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
      stored,
    ])
  await client.query('SELECT setval(seqrelid::regclass, seqstart, false) FROM pg_sequence')
  return true
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
