import { createHash } from 'node:crypto'
import pg from 'pg'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { batchSql, briefSql, helperSql, sharedSql } from './fill-sql.ts'
import { query } from './open.ts'
import { sizeOf } from './shape.ts'

export interface Filling {
  orders: number
  /** Orders with only one or two events. */
  brief: number
  /** The duration of the fill. */
  seconds: number
  /** The size of all tables of the program with their indexes. */
  bytes: number
}

/** A bound on one statement's size; a multiple of the group size. */
const batchOrders = 10_000
const writers = 2

/** A hash of the statements' text, whose change is a change of content. */
const version = createHash('sha256')
  .update(JSON.stringify([helperSql(sizeOf(1_000_000)), sharedSql, batchSql, briefSql]))
  .digest('hex')

/** Returns an earlier run's fill, if it equals this run's. */
export async function findFilling(url: string, orders: number, brief: number): Promise<Filling | undefined> {
  const [found] = await query(url, "SELECT to_regclass('bench.filling') IS NOT NULL AS there")
  if (!found?.there) return undefined
  const [filling] = await query<Filling & { version: string }>(url, 'SELECT * FROM bench.filling')
  if (filling?.version !== version || filling.orders !== orders || filling.brief !== brief) return undefined
  return { orders, brief, seconds: filling.seconds, bytes: filling.bytes }
}

/** Empties the bench's tables. @throws for a database with other content */
export async function clear(url: string): Promise<void> {
  const [found] = await query(
    url,
    `SELECT to_regnamespace('bench') IS NULL AND EXISTS (
       SELECT FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace) AS foreign_tables`,
  )
  if (found?.foreign_tables)
    throw new Error('the database holds tables that the bench did not make: it is left alone')
  await query(
    url,
    'DROP SCHEMA IF EXISTS bench CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE SCHEMA bench',
  )
}

/** Fills a cleared database. */
export async function fill(
  url: string,
  { orders, brief }: Pick<Filling, 'orders' | 'brief'>,
  print: (line: string) => void,
): Promise<Filling> {
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  await applyMigrations(url)
  await query(url, `${helperSql(sizeOf(orders, brief))}; ${sharedSql}`)
  const told = (filled: number) =>
    print(`filled ${filled} of ${orders + brief} orders, ${seconds().toFixed(1)} s`)
  await fillBatches(url, { first: 1, last: orders, sql: batchSql }, told)
  if (brief > 0) await fillBatches(url, { first: orders + 1, last: orders + brief, sql: briefSql }, told)
  // The batches set their ids; suites that add notifications do not.
  await query(url, `SELECT setval(pg_get_serial_sequence('notifications', 'id'), max(id)) FROM notifications`)
  await query(url, 'VACUUM (ANALYZE)')
  const filling = { orders, brief, seconds: seconds(), bytes: await tableBytes(url) }
  await query(
    url,
    `CREATE TABLE bench.filling AS
     SELECT $1::text AS version, $2::int AS orders, $3::int AS brief, $4::float8 AS seconds, $5::float8 AS bytes`,
    [version, filling.orders, filling.brief, filling.seconds, filling.bytes],
  )
  return filling
}

interface Span {
  first: number
  last: number
  sql: Readonly<Record<string, string>>
}

async function fillBatches(url: string, span: Span, told: (filled: number) => void): Promise<void> {
  let next = span.first
  let filled = span.first - 1
  async function write(): Promise<void> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      await client.query('SET synchronous_commit = off')
      while (next <= span.last) {
        const first = next
        const last = Math.min(first + batchOrders - 1, span.last)
        next = last + 1
        await client.query('BEGIN')
        for (const statement of Object.values(span.sql)) await client.query(statement, [first, last])
        await client.query('COMMIT')
        filled += last - first + 1
        if (filled % 100_000 === 0 || filled === span.last) told(filled)
      }
    } finally {
      await client.end()
    }
  }
  await Promise.all(Array.from({ length: writers }, write))
}

async function tableBytes(url: string): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    url,
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  return row?.bytes ?? 0
}
