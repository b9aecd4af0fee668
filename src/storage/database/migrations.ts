import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { failToConnect } from './connections/pool.ts'

/** The advisory lock of Prisma's own engine, so that the two never run at once. */
const prismaMigrationLock = 72_707_369

const createTable = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`

export interface Migration {
  name: string
  script: string
  checksum: string
}

interface MigrationOptions {
  /** Called once if it has to wait for a migration of another process. */
  onWait?: () => void
  /** Called before the first migration, and after each. */
  onProgress?: (done: number, total: number) => void
  /** `prisma/migrations` of this version, unless a test gives another. */
  folder?: string
  /**
   * Wait of a statement for a table in use: all later statements wait behind it. It is tried again after a
   * pause, in which these proceed.
   */
  lockTimeoutMs?: number
}

const defaultLockTimeoutMs = 2_000
const lockTries = 40
/** Time to rewrite a large table. */
const statementTimeoutMs = 1_800_000
const pollMs = 250

/**
 * Applies pending migrations from `prisma/migrations`, in Prisma's layout and table, under Prisma's lock: any
 * number of processes may start at once. Each migration commits with its row, so that a failing one has no
 * effect. A database of a newer version is left as it is, if this version may run over it.
 * @returns names of the migrations applied now
 * @throws when an applied migration was edited, or this version does not fit the database
 */
export function applyMigrations(url: string, options: MigrationOptions = {}): Promise<string[]> {
  return withClient(url, async (client) => {
    const known = readMigrations(options.folder)
    // First without the lock: most starts have nothing to do, and need no right to change tables.
    if (pendingMigrations(known, await readApplied(client)).length === 0) return []
    await lock(client, options.onWait)
    await client.query(createTable)
    const pending = pendingMigrations(known, await readApplied(client))
    options.onProgress?.(0, pending.length)
    for (const [index, migration] of pending.entries()) {
      await apply(client, migration, options)
      options.onProgress?.(index + 1, pending.length)
    }
    return pending.map(({ name }) => name)
  })
}

/** Finds the migrations that `applyMigrations` would apply. @throws as it does */
export function findPendingMigrations(url: string, options: MigrationOptions = {}): Promise<Migration[]> {
  return withClient(url, async (client) =>
    pendingMigrations(readMigrations(options.folder), await readApplied(client)),
  )
}

async function withClient<T>(url: string, run: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect().catch(failToConnect)
  try {
    return await run(client)
  } finally {
    await client.end()
  }
}

/** Polls for the lock: a waiting statement would hold up CREATE INDEX CONCURRENTLY. */
async function lock(client: Client, onWait = () => {}): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS held', [prismaMigrationLock])
    if (rows[0]?.held) return
    if (isFirst) onWait()
    await pause(pollMs)
  }
}

interface Applied {
  /** Checksums by name. */
  checksums: ReadonlyMap<string, string>
  floors: readonly { migration: string; needs: string }[]
}

async function readApplied(client: Client): Promise<Applied> {
  const has = async (table: string) =>
    (await client.query('SELECT to_regclass($1) IS NOT NULL AS has', [table])).rows[0]?.has
  if (!(await has('_prisma_migrations'))) return { checksums: new Map(), floors: [] }
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM "_prisma_migrations" WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  )
  const floors = (await has('schema_floors'))
    ? (await client.query('SELECT migration, needs FROM schema_floors ORDER BY migration')).rows
    : []
  return { checksums: new Map(rows.map((row) => [row.migration_name, row.checksum])), floors }
}

function pendingMigrations(migrations: readonly Migration[], { checksums, floors }: Applied): Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const floor = floors.find(({ needs }) => !known.has(needs))
  if (floor) {
    const { migration, needs } = floor
    throw new Error(
      `this version is too old for the database: migration ${migration} has removed what it needs. Use a version that has migration ${needs}`,
    )
  }
  for (const [name, checksum] of checksums) {
    const migration = known.get(name)
    if (migration && migration.checksum !== checksum)
      throw new Error(`migration ${name} was edited after it was applied`)
  }
  const pending = migrations.filter(({ name }) => !checksums.has(name))
  const [unknown] = [...checksums.keys()].filter((name) => !known.has(name))
  if (pending[0] && unknown !== undefined)
    throw new Error(
      `the database has migration ${unknown}, which this version does not know, and lacks ${pending[0].name} of this version: neither is newer`,
    )
  return pending
}

/** CREATE INDEX CONCURRENTLY cannot run in a transaction, and is alone in its script. */
const besideWrites = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY "(\w+)"/m

async function apply(client: Client, migration: Migration, options: MigrationOptions): Promise<void> {
  const { lockTimeoutMs = defaultLockTimeoutMs } = options
  const [, index] = besideWrites.exec(migration.script) ?? []
  for (let tries = 1; ; tries++) {
    try {
      if (index === undefined) await applyInTransaction(client, migration, lockTimeoutMs)
      else await applyBesideWrites(client, migration, index)
      return
    } catch (error) {
      const isLocked = error instanceof DatabaseError && error.code === '55P03'
      if (!isLocked || tries >= lockTries)
        throw new Error(`migration ${migration.name} failed`, { cause: error })
    }
    // Pauses no less than it made others wait.
    await pause(lockTimeoutMs * (1 + Math.random()))
  }
}

async function applyInTransaction(
  client: Client,
  migration: Migration,
  lockTimeoutMs: number,
): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(
      `SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL statement_timeout = ${statementTimeoutMs}`,
    )
    await client.query(migration.script)
    await record(client, migration)
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  }
}

async function applyBesideWrites(client: Client, migration: Migration, index: string): Promise<void> {
  await client.query(`SET statement_timeout = ${statementTimeoutMs}`)
  // One that failed half-way stays behind.
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`)
  await client.query(migration.script)
  await record(client, migration)
  await client.query('RESET statement_timeout')
}

async function record(client: Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)`,
    [randomUUID(), checksum, name],
  )
}

export function readMigrations(folder = migrationsFolder()): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const script = readFileSync(path.join(folder, name, 'migration.sql'), 'utf8')
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') }
    })
}

/** `prisma/migrations` is next to `src`, in the checkout and in the built package alike. */
function migrationsFolder(): string {
  const folder = path.join(import.meta.dirname, '..', '..', '..', 'prisma', 'migrations')
  if (!existsSync(folder)) throw new Error(`no migrations at ${folder}`)
  return folder
}
