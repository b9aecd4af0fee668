import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Client } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { applyReorg } from '../../src/indexer/apply.ts'
import { type TestDatabase, useTables } from '../setup/database.ts'

const root = path.join(import.meta.dirname, '..', '..')
const read = (...file: string[]) => readFileSync(path.join(root, ...file), 'utf8')

/** The table of the architecture: by column, the verb that says what a reorg does to it. */
const fates = new Map(
  [
    ...read('docs', 'architecture.md').matchAll(/^\| (deletes|clears|moves|keeps) [^|]+\| (.+) \|$/gm),
  ].flatMap(([, fate, columns = '']) =>
    [...columns.matchAll(/`(\w+\.\w+)`/g)].map(([, name = '']) => [name, fate]),
  ),
)

let database: TestDatabase
let client: Client
useTables((tables) => {
  database = tables.database
  client = tables.client
})

interface Column {
  table: string
  column: string
  type: string
  isArray: boolean
  isNeeded: boolean
}

let columns: Column[]
beforeEach(async () => {
  const { rows } = await client.query<Column>(
    `SELECT c.table_name AS table, column_name AS column, ltrim(udt_name, '_') AS type, data_type = 'ARRAY' AS "isArray",
      is_nullable = 'NO' AS "isNeeded"
    FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'`,
  )
  columns = rows
})

const isInteger = ({ type, isArray }: Column) => /^int[48]$/.test(type) && !isArray

/** Columns of integers that the comment of the schema describes by a block. */
const described = new Set(
  [...read('prisma', 'schema.prisma').matchAll(/^model \w+ \{\n(.*?)^\}/gms)].flatMap(([, body = '']) => {
    const table = /@@map\("(\w+)"\)/.exec(body)?.[1]
    const about = [...body.matchAll(/((?:^ +\/\/\/ .*\n)+) +(\w+) .*?(?:@map\("(\w+)"\).*)?$/gm)]
    return about
      .filter(([, comment = '']) => /\b(?:block|head)\b/.test(comment))
      .map(([, , name, mapped]) => `${table}.${mapped ?? name}`)
  }),
)

test('the table of what a reorg undoes has every column of a block number', () => {
  const found = columns.filter((one) => {
    const name = `${one.table}.${one.column}`
    return isInteger(one) && (one.column.includes('block') || described.has(name) || name === 'blocks.number')
  })
  expect([...fates.keys()].sort()).toEqual(found.map(({ table, column }) => `${table}.${column}`).sort())
})

const [low, kept, above] = [50, 100, 150]
const bytes = `0x${'11'.repeat(56)}`

const values: Record<string, string> = {
  bytea: `'\\x${'11'.repeat(56)}'`,
  text: `'log'`,
  jsonb: `'{}'`,
  timestamptz: 'now()',
  bool: 'false',
  numeric: '1',
  float8: '1',
  int2: '1',
  uuid: 'gen_random_uuid()',
}

/** Stores one row of each table in the list. All ids, UIDs and keys are the same, so that the rows belong together. */
async function store(block: (name: string) => number) {
  await client.query(`SET session_replication_role = replica`)
  for (const table of new Set([...fates.keys()].map((name) => name.split('.')[0] ?? ''))) {
    const filled = columns.filter((one) => one.table === table && (one.isNeeded || isInteger(one)))
    const texts = filled.map((one) => {
      if (one.isArray) return `'{}'`
      const name = `${table}.${one.column}`
      return fates.has(name) ? String(block(name)) : isInteger(one) ? '1' : (values[one.type] ?? one.type)
    })
    const names = filled.map(({ column }) => `"${column}"`).join(', ')
    await client.query(`INSERT INTO ${table} (${names}) VALUES (${texts.join(', ')})`)
  }
}

/** The values of all columns in the list after a reorg; undefined where the row is deleted. */
async function undo() {
  const { rows } = await client.query(
    `SELECT block_number, '0x' || encode(block_hash, 'hex') AS hash FROM checkpoints`,
  )
  const from = { number: Number(rows[0].block_number), hash: rows[0].hash }
  const indexing = { chainId: 1, db: database.db, now: () => 1_800_000_000_000 }
  await applyReorg(from, { number: kept, hash: bytes as Bytes32 }, indexing)
  const after = new Map<string, number | null | undefined>()
  for (const name of fates.keys()) {
    const [table, column] = name.split('.')
    const { rows } = await client.query(`SELECT "${column}" AS value FROM ${table}`)
    after.set(name, rows[0]?.value == null ? rows[0]?.value : Number(rows[0].value))
  }
  return after
}

/** Blocks that readers begin with are no higher than those that they have read. */
const isFirst = (name: string) => fates.get(name) === 'keeps' && name.endsWith('.from_block')

test('a reorg leaves no number of a later block in these columns', async () => {
  await store((name) => (isFirst(name) ? low : above))
  const after = await undo()
  const left = [...after].filter(
    ([name, value]) => fates.get(name) !== 'keeps' && value != null && value > kept,
  )
  expect(left).toEqual([])
})

test('a reorg clears and moves numbers of rows that it keeps, and nothing else', async () => {
  const isOld = (name: string) => fates.get(name) === 'deletes' || isFirst(name)
  await store((name) => (isOld(name) ? low : above))
  const after = await undo()
  // The attempt has a settlement that stands.
  after.delete('settlement_attempts.end_block')
  const expected = [...after].map(([name, value]) => {
    const fate = fates.get(name)
    if (fate === 'clears' || fate === 'moves')
      return [name, value === null || Number(value) <= kept ? value : null]
    return [name, isOld(name) ? low : above]
  })
  expect([...after]).toEqual(expected)
})
