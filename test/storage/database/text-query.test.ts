import { expect, test } from 'vitest'
import { Outage } from '../../../src/domain/errors/error.ts'
import { openDatabase } from '../../../src/storage/database/database.ts'
import { prepared } from '../../../src/storage/database/plan-names.ts'
import { readPrepared, runPrepared } from '../../../src/storage/database/prepared.ts'
import { connectDirectly, createTestDatabase } from '../../setup/database.ts'
import { eventually } from '../../setup/eventually.ts'

const kinds: [string, unknown, string, string | null][] = [
  ['text', 'a "quoted" ü', 'text', 'a "quoted" ü'],
  ['an empty text', '', 'text', ''],
  ['nothing', null, 'text', null],
  ['a number', 7, 'int4', '7'],
  ['a bigint', 2n ** 62n, 'int8', '4611686018427387904'],
  ['an amount', `${2n ** 256n - 1n}`, 'numeric', `${2n ** 256n - 1n}`],
  ['true', true, 'bool', 't'],
  ['bytes', Buffer.from([0, 255]), 'bytea', '\\x00ff'],
  ['a list of bytes', [Buffer.from([1]), Buffer.from([2])], 'bytea[]', '{"\\\\x01","\\\\x02"}'],
  ['a list of texts', ['a,b', '"'], 'text[]', '{"a,b","\\""}'],
  ['a time', new Date('2026-01-02T03:04:05.678Z'), 'timestamptz', '2026-01-02 03:04:05.678+00'],
]

test.each(kinds)('%s is sent, and read as text', async (_name, value, type, text) => {
  await using database = await createTestDatabase()
  const statement = `SELECT $1::${type}, 1 + $2::int4`
  expect(await readPrepared(database.db, statement, [value, 1])).toEqual([[text, '2']])
  expect(await readPrepared(database.db, prepared(`${statement} -- kept`), [value, 2])).toEqual([[text, '3']])
})

test('rows come in order, and no rows are an empty list', async () => {
  await using database = await createTestDatabase()
  const statement = 'SELECT n FROM generate_series(1, $1::int4) AS n'
  expect(await readPrepared(database.db, statement, [3])).toEqual([['1'], ['2'], ['3']])
  expect(await readPrepared(database.db, statement, [0])).toEqual([])
})

test('a statement that fails, in planning or in running, leaves its connection as it was', async () => {
  await using database = await createTestDatabase()
  const db = openDatabase({ url: database.url, maxConnections: 2 })
  const connection = async () => (await readPrepared(db, 'SELECT pg_backend_pid()', []))[0]?.[0]
  const before = await connection()
  const divides = prepared('SELECT 1 / $1::int4 -- by zero')
  for (let time = 0; time < 3; time++) {
    await expect(readPrepared(db, prepared('SELECT nonsense -- kept'), [])).rejects.toThrow('does not exist')
    await expect(readPrepared(db, divides, [0])).rejects.toThrow('division by zero')
    expect(await readPrepared(db, divides, [1])).toEqual([['1']])
  }
  expect(await connection()).toBe(before)
  await db.close()
})

test('a connection that ends in the middle is an outage, and the next statement uses another', async () => {
  await using database = await createTestDatabase()
  const db = openDatabase({ url: database.url, maxConnections: 2 })
  const ends = 'SELECT pg_terminate_backend(pg_backend_pid())'
  await expect(readPrepared(db, ends, [])).rejects.toThrow(Outage)
  expect(await readPrepared(db, 'SELECT 1', [])).toEqual([['1']])
  await expect(runPrepared(db, (run) => run(ends, []))).rejects.toThrow(Outage)
  expect(await runPrepared(db, (run) => run('SELECT 1 AS one', []))).toEqual([{ one: 1 }])
  await db.close()
})

test('a connection that breaks while idle in a transaction ends the transaction, and not the process', async () => {
  await using database = await createTestDatabase()
  const db = openDatabase({ url: database.url, maxConnections: 2 })
  await using other = await connectDirectly(database.url)
  const broken = runPrepared(db, async (run) => {
    const [row] = await run<{ pid: number }>('SELECT pg_backend_pid() AS pid', [])
    await other.query('SELECT pg_terminate_backend($1)', [row?.pid])
    await eventually('the connection is gone', async () => {
      const { rows } = await other.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [row?.pid])
      return rows.length === 0
    })
    return run('SELECT 1 AS one', [])
  })
  await expect(broken).rejects.toThrow(Outage)
  expect(await readPrepared(db, 'SELECT 1', [])).toEqual([['1']])
  await db.close()
})
