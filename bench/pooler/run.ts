import pg from 'pg'
import { bytesToHex } from '../../src/domain/evm/hex.ts'
import { debugReportBody, oldestReported } from '../../src/storage/bodies/debug-report.ts'
import { fullOrder } from '../../src/storage/bodies/order.ts'
import { oneBody, readBody } from '../../src/storage/bodies/read.ts'
import { type Access, directAccess } from '../../src/storage/database/connections/pooler.ts'
import { openDatabase, sql } from '../../src/storage/database/database.ts'
import { oneOrder } from '../../src/storage/models/order/relations.ts'
import { startPooler } from '../../test/setup/pgbouncer.ts'
import { clear, fill } from '../database/fill.ts'

/**
 * Measures the cost of a pooler without prepared statements. `TEST_POSTGRES_URL=… node --import tsx
 * bench/pooler/run.ts`
 */
const serverUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const name = `bench_pooler_${process.pid}`
const atOnce = 4
const secondsEach = 4

const onServer = async (statement: string) => {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
await onServer(`CREATE DATABASE ${name}`)
const url = new URL(serverUrl)
url.pathname = `/${name}`
const pooler = await startPooler(url.href)
try {
  await clear(url.href)
  await fill(url.href, { orders: 2_000, brief: 0 }, () => {})
  const rows: [string, string, Access][] = [
    ['PostgreSQL itself, named', url.href, directAccess],
    [
      'PostgreSQL itself, named, settings with each transaction',
      url.href,
      { isPooled: true, prepares: true },
    ],
    [
      'PostgreSQL itself, unnamed, settings with each transaction',
      url.href,
      { isPooled: true, prepares: false },
    ],
    ['PgBouncer, unnamed, settings with each transaction', pooler.url, { isPooled: true, prepares: false }],
  ]
  for (const [label, address, access] of rows) {
    const db = openDatabase({ url: address, access, maxConnections: 2 * atOnce })
    const [order] = await sql(db).$queryRaw<{ uid: Buffer; chain: number }[]>`
      SELECT uid, chain_id AS chain FROM orders ORDER BY uid LIMIT 1`
    if (!order) throw new Error('no order')
    const found = oneOrder({ uid: bytesToHex(order.uid), chainId: order.chain })
    const ambient = { now: 1_800_000_000, hidesCompetitions: false }
    const reads = [
      ['order', oneBody(fullOrder), []],
      ['debug report', oneBody(debugReportBody, [oldestReported]), [null, 10]],
    ] as const
    for (const [what, body, values] of reads) {
      const read = async () => {
        if (!(await readBody(db, body, found, { ...ambient, values }))) throw new Error('no body')
      }
      process.stdout.write(`${label}, ${what}: ${await rate(read)}\n`)
    }
    const write = () => db.transaction(async (tx) => void (await sql(tx).$queryRaw`SELECT 1`))
    process.stdout.write(`${label}, a transaction of Prisma: ${await rate(write)}\n`)
    await db.close()
  }
} finally {
  await pooler[Symbol.asyncDispose]()
  await onServer(`DROP DATABASE ${name} WITH (FORCE)`)
}

/** Returns runs per second, and the median of one in ms. */
async function rate(run: () => Promise<void>): Promise<string> {
  for (let time = 0; time < 100; time++) await run()
  const times: number[] = []
  const until = performance.now() + secondsEach * 1_000
  const loop = async () => {
    while (performance.now() < until) {
      const began = performance.now()
      await run()
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, loop))
  times.sort((a, b) => a - b)
  const median = times[Math.floor(times.length / 2)] ?? 0
  return `${(times.length / secondsEach).toFixed(0)} a second, p50 ${median.toFixed(2)} ms`
}
