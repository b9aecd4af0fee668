import { expect, test } from 'vitest'
import { probeAccess } from '../../../src/storage/database/connections/pooler.ts'
import { type Db, openDatabase, sql } from '../../../src/storage/database/database.ts'
import { prepared } from '../../../src/storage/database/plan-names.ts'
import {
  readForStreams,
  readPrepared,
  runPrepared,
  writePrepared,
} from '../../../src/storage/database/prepared.ts'
import { createTestDatabase } from '../../setup/database.ts'

const names = ['timezone', 'jit', 'lock_timeout', 'statement_timeout', 'plan_cache_mode', 'enable_seqscan']
const current = `SELECT ${names.map((name) => `current_setting('${name}')`).join(', ')}`
const kept = prepared(`${current} -- kept`)
const [session, read] = ['auto', 'force_generic_plan'].map((mode) => ['UTC', 'off', '10s', '10s', mode, 'on'])
const stream = ['UTC', 'off', '10s', '10s', 'force_generic_plan', 'off']

const ofPrisma = async (db: Db) =>
  Object.values((await sql(db).$queryRawUnsafe<Record<string, string>[]>(aliased))[0] ?? {})
const aliased = `SELECT ${names.map((name, index) => `current_setting('${name}') AS s${index}`).join(', ')}`

test.each([
  ['unnamed', false],
  ['named', true],
])(
  'over a pooler, with %s statements, each transaction has its settings and leaves none',
  async (_name, prepares) => {
    await using database = await createTestDatabase()
    const access = { isPooled: true, prepares }
    // One connection of each kind, so that what is left behind is found.
    const db = openDatabase({ url: database.url, access, maxConnections: 2, streamConnections: 1 })
    for (let time = 0; time < 4; time++) {
      expect(await readPrepared(db, kept, [])).toEqual([read])
      expect(await readPrepared(db, current, [])).toEqual([read])
      expect(await readForStreams(db, current, [])).toEqual([stream])
      expect(await writePrepared(db, kept, [])).toEqual([session])
      expect(await ofPrisma(db)).toEqual(session)
      expect(await db.transaction(ofPrisma)).toEqual(session)
      const inTransaction = await runPrepared(db, (run) => run<Record<string, string>>(aliased, []))
      expect(Object.values(inTransaction?.[0] ?? {})).toEqual(session)
      // Numbers, times and nulls pass through Prisma as they do without a pooler.
      expect(
        await sql(db).$queryRaw`SELECT ${7}::int AS n, ${null}::text AS nothing, 'epoch'::timestamptz AS at`,
      ).toEqual([{ n: 7, nothing: null, at: new Date(0) }])
    }
    await expect(readPrepared(db, 'SELECT nonsense', [])).rejects.toThrow('does not exist')
    await expect(writePrepared(db, prepared('SELECT 1 / $1::int -- pooled'), [0])).rejects.toThrow(
      'division by zero',
    )
    expect(await writePrepared(db, prepared('SELECT 1 / $1::int -- pooled'), [1])).toEqual([['1']])
    const failed = db.transaction(async (tx) => sql(tx).$queryRawUnsafe('SELECT nonsense'))
    await expect(failed).rejects.toThrow('does not exist')
    expect(await ofPrisma(db)).toEqual(session)

    // Connections keep nothing, neither settings nor, where the pooler could not keep them, statements.
    const [[held] = []] = await readPrepared<[string]>(db, 'SELECT count(*) FROM pg_prepared_statements', [])
    expect(Number(held) > 0).toBe(prepares)
    await db.close()
  },
)

test('a connection to PostgreSQL itself is no pooler', async () => {
  await using database = await createTestDatabase()
  expect(await probeAccess(database.url)).toEqual({ isPooled: false, prepares: true })
})
