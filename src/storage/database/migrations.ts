import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'

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

interface Migration {
  name: string
  script: string
  checksum: string
}

/**
 * Applies pending migrations from `prisma/migrations`, in Prisma's layout and table, under Prisma's lock: any number of processes may
 * start at once. Each migration commits with its row, so that a failing one has no effect.
 * @returns names of the migrations applied now
 * @throws when an applied migration was edited, or the database has one that this version does not
 */
export async function applyMigrations(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [prismaMigrationLock])
    await client.query(createTable)
    const applied = await appliedChecksums(client)
    const pending = pendingMigrations(readMigrations(), applied)
    for (const migration of pending) await apply(client, migration)
    return pending.map(({ name }) => name)
  } finally {
    await client.end()
  }
}

async function appliedChecksums(client: Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string }>(
    'SELECT migration_name, checksum FROM "_prisma_migrations" WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  )
  return new Map(rows.map((row) => [row.migration_name, row.checksum]))
}

function pendingMigrations(migrations: Migration[], applied: ReadonlyMap<string, string>): Migration[] {
  const migrationsByName = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const [name, checksum] of applied) {
    const migration = migrationsByName.get(name)
    if (!migration)
      throw new Error(`the database has migration ${name}, which this version does not know: it is newer`)
    if (migration.checksum !== checksum) throw new Error(`migration ${name} was edited after it was applied`)
  }
  return migrations.filter(({ name }) => !applied.has(name))
}

async function apply(client: Client, { name, script, checksum }: Migration): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(script)
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, finished_at, applied_steps_count) VALUES ($1, $2, $3, now(), 1)`,
      [randomUUID(), checksum, name],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw new Error(`migration ${name} failed`, { cause: error })
  }
}

function readMigrations(): Migration[] {
  const folder = migrationsFolder()
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
