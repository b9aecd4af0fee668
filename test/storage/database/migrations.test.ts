import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { appCodeOf } from '../../../src/domain/app-data/app-code.ts'
import { referrerCodeOf } from '../../../src/domain/app-data/referrer-code.ts'
import { applyMigrations } from '../../../src/storage/database/migrations.ts'
import { connectDirectly, createTestDatabase } from '../../setup/database.ts'

const root = path.join(import.meta.dirname, '..', '..', '..')
const known = readdirSync(path.join(root, 'prisma', 'migrations'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .sort()

const scriptOf = (name: string) =>
  readFileSync(path.join(root, 'prisma', 'migrations', name, 'migration.sql'), 'utf8')

async function createEmptyDatabase() {
  const database = await createTestDatabase()
  const client = await connectDirectly(database.url)
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  return {
    url: database.url,
    client,
    async tables(): Promise<string[]> {
      const { rows } = await client.query(
        `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') ORDER BY relname`,
      )
      return rows.map(({ relname }) => relname)
    },
    async [Symbol.asyncDispose]() {
      await client.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('an empty database gets every migration, a migrated one none', async () => {
  await using database = await createEmptyDatabase()
  expect(await applyMigrations(database.url)).toEqual(known)
  expect(await database.tables()).toContain('orders')
  expect(await applyMigrations(database.url)).toEqual([])
})

/** The tables as of `before`, with an order for each of these documents, whose hashes are their positions. */
async function storeDocuments(
  client: Awaited<ReturnType<typeof createEmptyDatabase>>['client'],
  before: string,
  documents: readonly string[],
): Promise<void> {
  for (const name of known.filter((name) => name < before)) await client.query(scriptOf(name))
  for (const [index, document] of documents.entries()) {
    await client.query('INSERT INTO app_data (hash, document) VALUES ($1, $2)', [
      Buffer.from([index]),
      document,
    ])
    await client.query(
      `INSERT INTO orders (chain_id, uid, owner, sell_token, buy_token, sell_amount, buy_amount, valid_to, app_data, fee_amount, kind,
        partially_fillable, sell_token_balance, buy_token_balance, signing_scheme, signature, settlement, class, full_balance_check,
        created_at, effective_valid_to)
       VALUES (1, $1, '', '', '', 1, 1, 1, $1, 0, 'sell', false, 'erc20', 'erc20', 'eip712', '', '', 'limit', false, now(), 1)`,
      [Buffer.from([index])],
    )
  }
  await client.query(scriptOf(before))
}

test('documents that were stored before name the application of their orders', async () => {
  await using database = await createEmptyDatabase()
  const { client } = database
  const documents = [
    '{"appCode":"Shop \\u00fc"}',
    '{"appCode":7}',
    '{"appCode":"a\\u0000"}',
    '{"appCode":"Shop","other":"\\ud800"}',
    '["appCode"]',
    'no JSON',
    `{"appCode":"${'a'.repeat(100)}"}`,
    `{"appCode":"${'a'.repeat(101)}"}`,
    '{"metadata":{"appCode":"inside"}}',
  ]
  await storeDocuments(client, '20261121165000_order_filters', documents)
  const { rows } = await client.query('SELECT app_code FROM orders ORDER BY id')
  const expected = documents.map(appCodeOf)
  // PostgreSQL parses no text with half a surrogate pair; such a document is not found by its name.
  expected[3] = null
  expect(rows.map(({ app_code }) => app_code)).toEqual(expected)
  expect(expected.filter((name) => name !== null)).toEqual(['Shop ü', 'a'.repeat(100)])
})

test('documents that were stored before name the referrer of their orders', async () => {
  await using database = await createEmptyDatabase()
  const { client } = database
  const naming = (code: unknown) => JSON.stringify({ metadata: { referrer: { code } } })
  const documents = [
    ...['ALPHA', 'al-pha_1', 'ABCD', 'A'.repeat(21), 'alphaß', 'ALPHA\n', 'ALPHA\0', 7, null, ['ALPHA']].map(
      naming,
    ),
    '{"metadata":{"referrer":"ALPHA"}}',
    '{"metadata":{"referrer":{"address":"0x1111111111111111111111111111111111111111"}}}',
    '{"metadata":7,"referrer":{"code":"ALPHA"}}',
    '["referrer"]',
    '"referrer"',
    'no JSON about a referrer',
    '{"appCode":"Shop","metadata":{"referrer":{"code":"BRAVO"}}}',
    '{"metadata":{"r\\u0065ferrer":{"code":"CH\\u0041RLIE"}}}',
  ]
  await storeDocuments(client, '20261121230000_referrer_codes', documents)
  const expected = documents.map(referrerCodeOf)
  expect(expected.filter((code) => code !== null)).toEqual(['ALPHA', 'AL-PHA_1', 'BRAVO', 'CHARLIE'])
  for (const table of ['app_data ORDER BY hash', 'orders ORDER BY id']) {
    const { rows } = await client.query(`SELECT referrer_code FROM ${table}`)
    expect(rows.map(({ referrer_code }) => referrer_code)).toEqual(expected)
  }
})

test('of processes that start at once, one migrates', async () => {
  await using database = await createEmptyDatabase()
  const applied = await Promise.all([1, 2, 3].map(() => applyMigrations(database.url)))
  expect(applied.flat()).toEqual(known)
})

test('a migration that was edited after it was applied is refused', async () => {
  await using database = await createTestDatabase()
  await using client = await connectDirectly(database.url)
  await client.query(`UPDATE _prisma_migrations SET checksum = 'other' WHERE migration_name = $1`, [known[0]])
  await expect(applyMigrations(database.url)).rejects.toThrow(
    `migration ${known[0]} was edited after it was applied`,
  )
})

test('a database of a newer version is refused', async () => {
  await using database = await createTestDatabase()
  await using client = await connectDirectly(database.url)
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'y', '29990101000000_later', now())`,
  )
  await expect(applyMigrations(database.url)).rejects.toThrow(
    'the database has migration 29990101000000_later, which this version does not know: it is newer',
  )
})

test('a failed migration leaves nothing behind, and is applied once its obstacle is gone', async () => {
  await using database = await createEmptyDatabase()
  // The last table that the first migration creates.
  await database.client.query('CREATE SEQUENCE auction_ids')
  const failure = await applyMigrations(database.url).catch((error) => error)
  expect(failure.message).toBe(`migration ${known[0]} failed`)
  expect(failure.cause.message).toContain('auction_ids')
  expect(await database.tables()).toEqual(['_prisma_migrations', 'auction_ids'])
  expect((await database.client.query('SELECT * FROM _prisma_migrations')).rows).toEqual([])
  await database.client.query('DROP SEQUENCE auction_ids')
  expect(await applyMigrations(database.url)).toEqual(known)
})

test('Prisma recognises its own table, with nothing missing and nothing edited', async () => {
  await using database = await createEmptyDatabase()
  await applyMigrations(database.url)
  const env = { ...process.env, DATABASE_URL: database.url }
  const command = [path.join(root, 'prisma', 'migrate.mjs'), 'status']
  const { stdout } = await promisify(execFile)(process.execPath, command, { env })
  expect(JSON.parse(stdout)).toMatchObject({
    hasMigrationsTable: true,
    history: null,
    failedMigrationNames: [],
    editedMigrationNames: [],
  })
  const { rows } = await database.client.query(
    `SELECT migration_name, applied_steps_count, rolled_back_at, logs, finished_at >= started_at AS finished
     FROM _prisma_migrations ORDER BY migration_name`,
  )
  expect(rows).toEqual(
    known.map((name) => ({
      migration_name: name,
      applied_steps_count: 1,
      rolled_back_at: null,
      logs: null,
      finished: true,
    })),
  )
})
