import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyMigrations, readMigrations } from '../../../src/storage/database/migrations.ts'
import { connectDirectly, createTestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'
import { runProgram } from '../../setup/program.ts'
import { createTrader } from '../../setup/trader.ts'
import { startProgram, startWorld, type World } from '../../setup/world.ts'
import { faultsOf } from './migration-rules.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const last = readMigrations().at(-1)?.name ?? ''

/** The migrations of a later version: those of this one, and more. */
const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-migrations-'))
cpSync(path.join(root, 'prisma', 'migrations'), folder, { recursive: true })
function addMigration(name: string, script: string): void {
  mkdirSync(path.join(folder, name))
  writeFileSync(path.join(folder, name, 'migration.sql'), script)
}
const expand = {
  name: '29990101000000_later',
  script: `ALTER TABLE "orders" ADD COLUMN "later" TEXT NOT NULL DEFAULT 'a default', ADD COLUMN "latest" INTEGER;
ALTER TABLE "trades" ADD COLUMN "later" BIGINT;
CREATE TABLE "later" ("id" BIGINT NOT NULL, CONSTRAINT "later_pkey" PRIMARY KEY ("id"));
`,
}
const contract = (needs: string) => ({
  name: '29990102000000_without',
  script: `ALTER TABLE "orders" DROP COLUMN "app_code";
INSERT INTO "schema_floors" ("migration", "needs") VALUES ('29990102000000_without', '${needs}');
`,
})

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const swap = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 18n, buyAmount: 1n } as const

test('a version runs on, and starts again, over a database that a later one has extended', async () => {
  const trader = createTrader(world.url, world.market)
  expect((await trader.place(swap)).status).toBe(201)
  addMigration(expand.name, expand.script)
  expect(faultsOf(expand, [])).toEqual([])
  expect(await applyMigrations(world.database.url, { folder })).toEqual([expand.name])
  // The process that was running has plans from before.
  const { status, body } = await trader.place({ ...swap, sellAmount: swap.sellAmount + 1n })
  expect(status).toBe(201)
  await eventually('it is filled', async () => (await trader.order(body)).status === 'fulfilled')
  const other = await startProgram(world, {})
  const again = createTrader(other.url ?? '', world.market)
  const placed = await again.place({ ...swap, sellAmount: swap.sellAmount + 2n })
  expect(placed.status).toBe(201)
  await eventually('it is filled', async () => (await again.order(placed.body)).status === 'fulfilled')
  await using client = await connectDirectly(world.database.url)
  expect((await client.query('SELECT DISTINCT later, latest FROM orders')).rows).toEqual([
    { later: 'a default', latest: null },
  ])
  await other.close()
})

test('a version does not start over a database from which what it needs was removed', async () => {
  await using database = await createTestDatabase()
  const parts = { ...world, database }
  const later = contract(expand.name)
  expect(faultsOf(later, [expand.name])).toEqual([])
  addMigration(later.name, later.script)
  expect(await applyMigrations(database.url, { folder })).toEqual([expand.name, later.name])
  await expect(startProgram(parts, {})).rejects.toThrow(
    `this version is too old for the database: migration ${later.name} has removed what it needs. Use a version that has migration ${expand.name}`,
  )
  // What this version does without already may go.
  await using client = await connectDirectly(database.url)
  await client.query('UPDATE schema_floors SET needs = $1', [last])
  const program = await startProgram(parts, {})
  expect((await fetch(`${program.url}/health/ready`)).status).toBe(200)
  await program.close()
})

test('of two versions of which each has a migration that the other lacks, none is newer', async () => {
  await using database = await createTestDatabase()
  await using client = await connectDirectly(database.url)
  await client.query('UPDATE _prisma_migrations SET migration_name = $1 WHERE migration_name = $2', [
    expand.name,
    last,
  ])
  await expect(applyMigrations(database.url)).rejects.toThrow(
    `the database has migration ${expand.name}, which this version does not know, and lacks ${last} of this version: neither is newer`,
  )
})

test('a migration waits for a table a little at a time, and lets others go on', async () => {
  await using database = await createTestDatabase()
  await using reader = await connectDirectly(database.url)
  await using other = await connectDirectly(database.url)
  await reader.query('BEGIN; SELECT 1 FROM orders')
  const applying = applyMigrations(database.url, { folder, lockTimeoutMs: 100 })
  const waits = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'orders'::regclass`
  const waiting = async () => (await other.query(waits)).rows[0].n === 1
  await eventually('it waits', waiting)
  // Behind it. It gives up, and this is answered while the reader still reads.
  await other.query('SELECT 1 FROM orders')
  await eventually('it waits again', waiting)
  await reader.query('COMMIT')
  expect(await applying).toEqual([expand.name, contract('').name])
})

test('an index is built beside writes, also over what is left of one that failed', async () => {
  await using database = await createTestDatabase()
  await using client = await connectDirectly(database.url)
  const name = '29990103000000_index'
  addMigration(
    name,
    '-- Beside writes\nCREATE INDEX CONCURRENTLY "orders_later" ON "orders" ("later", "latest");\n',
  )
  await client.query('CREATE INDEX orders_later ON orders (id)')
  expect((await applyMigrations(database.url, { folder })).at(-1)).toBe(name)
  const { rows } = await client.query(
    `SELECT pg_get_indexdef(indexrelid) AS is, indisvalid FROM pg_index WHERE indexrelid = 'orders_later'::regclass`,
  )
  expect(rows).toEqual([
    { is: 'CREATE INDEX orders_later ON public.orders USING btree (later, latest)', indisvalid: true },
  ])
})

test('the command says what it would do, does it, and finds nothing more to do', async () => {
  await using database = await createTestDatabase()
  await using client = await connectDirectly(database.url)
  await client.query('DROP TABLE schema_floors')
  await client.query(`DELETE FROM _prisma_migrations WHERE migration_name = '20261128040100_schema_floors'`)
  const run = async (...flags: string[]) =>
    (await runProgram(['migrate', ...flags], { DATABASE_URL: database.url })).stdout
  const dryRun = await run('--dry-run')
  expect(dryRun).toContain(
    '-- migration 20261128040100_schema_floors\n-- CreateTable\nCREATE TABLE "schema_floors"',
  )
  expect((await client.query(`SELECT to_regclass('schema_floors') AS is`)).rows).toEqual([{ is: null }])
  await expect(startProgram({ ...world, database }, { MIGRATE_AT_START: 'false' })).rejects.toThrow(
    'the database lacks migration 20261128040100_schema_floors: run `tradegraph migrate` first',
  )
  expect(await run()).toBe('-- applied 20261128040100_schema_floors\n')
  expect(await run('--dry-run')).toBe('-- nothing is pending\n')
  await (await startProgram({ ...world, database }, { MIGRATE_AT_START: 'false' })).close()
})
