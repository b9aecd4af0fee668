import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { openDatabases } from '../../src/app/databases.ts'
import { probeAccess } from '../../src/storage/database/connections/pooler.ts'
import { applyMigrations } from '../../src/storage/database/migrations.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { type Pooler, startPooler } from '../setup/pgbouncer.ts'
import { createProcesses, end, type Processes, type Started } from '../setup/processes.ts'
import { createTrader, request } from '../setup/trader.ts'

/** The program over PgBouncer in transaction mode, as Debian has it: it keeps no prepared statements. */
let chain: TestChain
let processes: Processes
let pooler: Pooler
beforeAll(async () => {
  chain = await startTestChain()
  processes = await createProcesses(chain)
  pooler = await startPooler(processes.databaseUrl)
})
afterAll(async () => {
  await processes?.[Symbol.asyncDispose]()
  await pooler?.[Symbol.asyncDispose]()
  await chain?.[Symbol.asyncDispose]()
})

test('a pooler is found, and asks for the address of PostgreSQL itself', async () => {
  expect(await probeAccess(pooler.url)).toEqual({ isPooled: true, prepares: false })
  expect(await probeAccess(processes.databaseUrl)).toEqual({ isPooled: false, prepares: true })
  const settings = readSettings({})
  const open = (more: Partial<typeof settings>) =>
    openDatabases(pooler.url, { ...settings, ...more }, silentLog).catch((error) => error.message)
  const explains = 'name PostgreSQL itself, for locks, LISTEN and migrations'
  expect(await open({})).toBe(
    `configuration: DATABASE_DIRECT_URL: is needed, since DATABASE_URL is a pooler: ${explains}`,
  )
  const another = `${pooler.url}?application_name=x`
  expect(await open({ DATABASE_DIRECT_URL: another })).toBe(
    `configuration: DATABASE_DIRECT_URL: is a pooler: ${explains}`,
  )
}, 120_000)

test('reads, orders and streams go through it while others start and the schema changes', async () => {
  const through = { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: processes.databaseUrl }
  const started: Started[] = []
  const start = async (role: string) => {
    const process = await processes.start(role, through)
    started.push(process)
    return process
  }
  await using direct = await connectDirectly(processes.databaseUrl)
  // All start at once over an empty database, and one of them migrates it.
  const [one, other] = await Promise.all([start('serve'), start('serve'), start('index'), start('auction')])
  const trader = createTrader(one.ready, chain.market)
  const client = createClient({ url: `${other.ready}/graphql/stream` })
  const stream = client.iterate<{ notifications: { notification: { metadata: { orderId: string } } } }>({
    query: `subscription ($account: Address!) {
      notifications(account: $account, after: "earliest") { notification { metadata } }
    }`,
    variables: { account: trader.address },
  })
  const notified: unknown[] = []
  const listening = (async () => {
    for await (const { data } of stream) notified.push(data?.notifications.notification.metadata.orderId)
  })()

  const placed = await trader.place({ sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 18n, buyAmount: 1n })
  expect(placed.status).toBe(201)
  const starting = Promise.all([start('serve'), start('index')])
  const migrating = (async () => {
    for (let column = 0; column < 5; column++) {
      expect(await applyMigrations(processes.databaseUrl)).toEqual([])
      await direct.query(
        `BEGIN; SET LOCAL lock_timeout = '1s'; ALTER TABLE orders ADD COLUMN extra${column} int; COMMIT`,
      )
    }
  })()
  const statuses = new Map<number, number>()
  const paths = [
    `/sepolia/api/v1/orders/${placed.body}`,
    `/sepolia/api/v1/account/${trader.address}/orders`,
    `/sepolia/api/v1/trades?owner=${trader.address}`,
  ]
  for (let round = 0; round < 25; round++) {
    const answers = [one, other].flatMap(({ ready }) => paths.map((path) => request(`${ready}${path}`)))
    answers.push(...[one, other].flatMap(({ ready }) => [1, 2, 3].map(() => graphqlRead(ready, placed.body))))
    for (const { status, body } of await Promise.all(answers)) {
      expect(body.errors).toBeUndefined()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  expect(Object.fromEntries(statuses)).toEqual({ 200: 300 })
  await Promise.all([starting, migrating])
  await eventually('a notification of the order', () => notified.includes(placed.body))

  // A client that leaves: the pooler hands its cancellation on.
  await direct.query('BEGIN; LOCK TABLE solutions')
  const leaving = new AbortController()
  const competition = `${one.ready}/sepolia/api/v2/solver_competition/latest`
  const left = fetch(competition, { signal: leaving.signal }).catch(() => 'left')
  await using watch = await connectDirectly(processes.databaseUrl)
  const waiting = async () =>
    (await watch.query(`SELECT pid FROM pg_locks WHERE relation = 'solutions'::regclass AND NOT granted`))
      .rows
  const [reader] = await eventually('the read waits', async () => {
    const found = await waiting()
    return found.length > 0 && found
  })
  leaving.abort()
  expect(await left).toBe('left')
  const ends = async () => (await waiting()).every(({ pid }) => pid !== reader.pid)
  await eventually('the read is cancelled', ends, 5_000)
  await direct.query('ROLLBACK')

  await stream.return?.()
  client.dispose()
  await listening.catch(() => undefined)
  await Promise.all(started.map(({ child }) => end(child, 'SIGTERM')))
  // What is left are the pooler's connections: without locks, settings or statements of a session.
  const held =
    await direct.query(`SELECT l.locktype, l.mode FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND l.locktype = 'advisory'`)
  expect(held.rows).toEqual([])
  await using pooled = await connectDirectly(pooler.url)
  const { rows } = await pooled.query(`SELECT name FROM pg_settings
    WHERE source = 'session' AND name IN ('statement_timeout', 'lock_timeout', 'jit', 'plan_cache_mode', 'enable_seqscan')`)
  expect(rows).toEqual([])
  const statements = await pooled.query('SELECT count(*)::int AS kept FROM pg_prepared_statements')
  expect(statements.rows).toEqual([{ kept: 0 }])
}, 240_000)

function graphqlRead(url: string, uid: string) {
  const query = 'query ($uid: OrderUid!) { order(uid: $uid) { status events { nodes { label } } } }'
  return request(`${url}/graphql`, 'POST', { query, variables: { uid } })
}
