import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { appCodeOf, referrerCodeOf } from '../../../src/domain/app-data/document.ts'
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

test('functions that read tables take indexes, also those that a later migration replaces', async () => {
  await using database = await createEmptyDatabase()
  await applyMigrations(database.url)
  const { rows } = await database.client.query(`SELECT p.proname, p.proconfig FROM pg_proc p
    JOIN pg_language l ON l.oid = p.prolang
    WHERE l.lanname = 'plpgsql' AND p.pronamespace = 'public'::regnamespace AND p.prosrc ~ 'FROM'`)
  expect(rows.length).toBeGreaterThan(5)
  for (const { proname, proconfig } of rows)
    expect([proname, proconfig]).toEqual([proname, expect.arrayContaining(['enable_seqscan=off'])])
})

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

test('documents that were stored before an unused one had an end get one, unless an order names them', async () => {
  await using database = await createEmptyDatabase()
  const { client } = database
  const migration = '20261128070000_older_unused_documents'
  await storeDocuments(client, '20261121230000_referrer_codes', ['{"a":1}', '{"b":2}'])
  const later = known.filter((name) => name > '20261121230000_referrer_codes' && name < migration)
  for (const name of later) await client.query(scriptOf(name))
  await client.query(`INSERT INTO app_data (hash, document) VALUES ('\\x09', '{"c":3}')`)
  await client.query(scriptOf(migration))
  const { rows } = await client.query(
    `SELECT document, round(extract(epoch FROM expires_at - now()) / 86400)::int AS days FROM app_data ORDER BY hash`,
  )
  expect(rows).toEqual([
    { document: '{"a":1}', days: null },
    { document: '{"b":2}', days: null },
    { document: '{"c":3}', days: 90 },
  ])
})

test('auctions that were stored before have the same orders, prices and policies', async () => {
  await using database = await createEmptyDatabase()
  const { client } = database
  const migration = '20261123010000_auction_spans'
  for (const name of known.filter((name) => name < migration)) await client.query(scriptOf(name))
  // Auctions of two networks in turns; orders, prices and policies that come, go and return.
  for (const statement of [
    'INSERT INTO auctions (id, chain_id, block, deadline_block) SELECT n, 1 + n % 2, n, n FROM generate_series(1, 60) n',
    'INSERT INTO auction_orders (order_id, auction_id) SELECT o * 2 + a.chain_id, a.id FROM auctions a, generate_series(1, 9) o WHERE a.id * o % 7 < 5',
    `INSERT INTO auction_prices (auction_id, token, price) SELECT a.id, set_byte('\\x00', 0, t), a.id / 9 * t FROM auctions a, generate_series(1, 5) t
     WHERE a.id * t % 11 < 8`,
    'INSERT INTO solution_executions (order_id, auction_id, solution_uid, executed_sell, executed_buy) SELECT order_id, auction_id, uid, 1, 1 FROM auction_orders, generate_series(0, 1) uid',
    `INSERT INTO fee_policies (order_id, auction_id, position, kind, factor, max_volume_factor)
     SELECT order_id, auction_id, n, 'surplus', auction_id % 3, n FROM auction_orders, generate_series(0, 1) n WHERE order_id % 3 > 0`,
  ])
    await client.query(statement)
  const readAll = async () => {
    const tables = ['auction_orders', 'auction_prices', 'fee_policies']
    const contents: unknown[][] = []
    for (const table of tables)
      contents.push((await client.query(`SELECT t::text FROM ${table} t ORDER BY t`)).rows)
    return contents
  }
  const before = await readAll()
  expect(before.map(({ length }) => length)).toEqual([403, 218, 530])
  await client.query(scriptOf(migration))
  expect(await readAll()).toEqual(before)
  const { rows } = await client.query('SELECT count(*)::int AS spans FROM auction_spans')
  expect(rows[0].spans).toBeLessThan(250)
})

test('feeds that were stored before have their entries in the same order, and miss the same', async () => {
  await using database = await createEmptyDatabase()
  const { client } = database
  const migration = '20261123120000_feed_places'
  for (const name of known.filter((name) => name < migration)) await client.query(scriptOf(name))
  // Transactions whose rows are stored against their order; each third account has a mark before its entries.
  for (const statement of [
    `INSERT INTO feed_entries (tx, id, account, notification_id)
     SELECT 900 - n % 7, n, decode(lpad(to_hex(n % 9), 2, '0'), 'hex'), n FROM generate_series(1, 200) n`,
    `INSERT INTO feed_marks (account, tx, id) SELECT decode(lpad(to_hex(n), 2, '0'), 'hex'), 894, n FROM generate_series(0, 8, 3) n`,
    'DELETE FROM feed_entries WHERE tx = 894 AND id < 20',
  ])
    await client.query(statement)
  const feedsBy = async (order: string) =>
    (
      await client.query(
        `SELECT account, array_agg(notification_id ORDER BY ${order}) AS ids FROM feed_entries GROUP BY account ORDER BY account`,
      )
    ).rows
  const before = await feedsBy('tx, id')
  await client.query(scriptOf(migration))
  expect(await feedsBy('place')).toEqual(before)
  const { rows } = await client.query(
    `SELECT count(*)::int AS marks, bool_and(m.place < (SELECT min(place) FROM feed_entries f WHERE f.account = m.key)) AS first,
       (SELECT nextval('feed_places') > max(place) FROM feed_entries) AS next FROM feed_marks m`,
  )
  expect(rows).toEqual([{ marks: 3, first: true, next: true }])
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
