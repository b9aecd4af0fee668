import { expect, test } from 'vitest'
import { readMigrations } from '../../../src/storage/database/migrations.ts'
import { faultsOf } from './migration-rules.ts'

/** Those up to here are from before the rules. */
const lastFree = '20261128044900_rounds_by_time'

test('migrations let the version before run: what takes something away says since when the program does without it', () => {
  const migrations = readMigrations()
  const names = migrations.map(({ name }) => name)
  const faults = migrations
    .filter(({ name }) => name > lastFree)
    .flatMap((migration) => {
      const earlier = names.filter((name) => name < migration.name)
      return faultsOf(migration, earlier).map((fault) => `${migration.name} ${fault}`)
    })
  expect(faults).toEqual([])
})

const floor = `INSERT INTO "schema_floors" ("migration", "needs") VALUES ('2_this', '1_before');`

test.each([
  'ALTER TABLE "orders" DROP COLUMN "a"',
  'DROP TABLE "a"',
  'DROP INDEX "a"',
  'ALTER TABLE "a" RENAME COLUMN "b" TO "c"',
  'ALTER TABLE "a" ALTER COLUMN "b" SET DATA TYPE BIGINT',
  'ALTER TABLE "a" ALTER COLUMN "b" TYPE bigint USING b::bigint',
  'ALTER TABLE "a" ALTER COLUMN "b" SET NOT NULL',
  'ALTER TABLE "a" ADD COLUMN "b" TEXT NOT NULL',
  'ALTER TABLE "a" ADD COLUMN "b" TEXT NOT NULL, ADD COLUMN "c" INT DEFAULT 1',
  'ALTER TABLE "a" ADD COLUMN "c" INT DEFAULT 1,\n  ADD COLUMN "b" TEXT NOT NULL',
  'ALTER TABLE "a" ADD CONSTRAINT "c" CHECK (b > 0) NOT VALID',
  'CREATE UNIQUE INDEX CONCURRENTLY "a_b" ON "a" ("b")',
  'DELETE FROM a',
  'TRUNCATE a',
])('%s needs a line in schema_floors', (statement) => {
  const script = `-- What it is for\n${statement};\n`
  expect(faultsOf({ name: '2_this', script }, ['1_before'])).toHaveLength(1)
  if (!statement.includes('CONCURRENTLY'))
    expect(faultsOf({ name: '2_this', script: `${script}${floor}\n` }, ['1_before'])).toEqual([])
})

test.each([
  'CREATE TABLE "a" ("b" TEXT NOT NULL); CREATE UNIQUE INDEX "a_b" ON "a" ("b"); ALTER TABLE "a" ADD CONSTRAINT "c" CHECK (true)',
  `ALTER TABLE "a" ADD COLUMN "b" TEXT, ADD COLUMN "c" BOOLEAN NOT NULL DEFAULT false`,
  'ALTER TABLE "a" ADD COLUMN "c" BOOLEAN DEFAULT false NOT NULL',
  'ALTER TABLE "a" ALTER COLUMN "b" DROP NOT NULL',
  'CREATE INDEX CONCURRENTLY "a_b" ON "a" ("b")',
  'CREATE OR REPLACE FUNCTION f() RETURNS void AS $$ BEGIN DELETE FROM a; DROP TABLE a; END $$ LANGUAGE plpgsql',
  `COMMENT ON TABLE a IS 'DROP TABLE; nothing'`,
])('%s needs none', (statement) => {
  expect(faultsOf({ name: '2_this', script: `${statement};\n` }, [])).toEqual([])
})

test.each([
  ['CREATE INDEX "a_b" ON "a" ("b");', 'builds an index that stops writes to a'],
  ['CREATE INDEX CONCURRENTLY "a_b" ON "a" ("b"); CREATE TABLE c (d INT);', 'together with other statements'],
  ['UPDATE a SET b = 1;', 'writes rows in one transaction'],
  [`DROP TABLE a;\n${floor.replace('1_before', '3_later')}`, 'needs 3_later, which is no earlier migration'],
  [`DROP TABLE a;\n${floor.replace('2_this', '1_before')}`, 'names 1_before as itself'],
])('%s is refused in any migration', (script, fault) => {
  expect(faultsOf({ name: '2_this', script }, ['1_before'])).toEqual([expect.stringContaining(fault)])
})
