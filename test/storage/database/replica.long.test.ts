import { afterAll, beforeAll, expect, test } from 'vitest'
import { uploadAppData } from '../../../src/app-data/upload.ts'
import { createByteBudget } from '../../../src/concurrency/byte-budget.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { orderUid } from '../../../src/domain/signing/signing.ts'
import { createOrderReader } from '../../../src/mirror/read-through.ts'
import { directAccess } from '../../../src/storage/database/connections/pooler.ts'
import { type Database, openDatabase, readFor } from '../../../src/storage/database/database.ts'
import { listenForWrites, noteWrite } from '../../../src/storage/database/own-writes.ts'
import { readCurrent, readPrepared } from '../../../src/storage/database/prepared.ts'
import { openSignals } from '../../../src/storage/database/signals.ts'
import { claimOrderBook } from '../../../src/storage/order/mirror.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { sampleOrder } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { type Replicated, startReplicated } from '../../setup/replica.ts'
import { openTestServer } from '../../setup/server.ts'
import { request } from '../../setup/trader.ts'

const maxLagMs = 3_000

let servers: Replicated
const opened: Database[] = []
const logged: string[] = []

beforeAll(async () => {
  servers = await startReplicated()
})
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()))
  await servers?.[Symbol.asyncDispose]()
})

function open(lag = maxLagMs): Database {
  const note = (message: string) => void logged.push(message)
  const log = { ...silentLog, warn: note, info: note }
  const replica = { url: servers.replica.url, access: directAccess, maxLagMs: lag, log }
  const db = openDatabase({ url: servers.primary.url, maxConnections: 4, replica })
  opened.push(db)
  return db
}

const stay = new AbortController().signal
const clientOf = (db: Database, client: string) => readFor(db, { client, gone: () => stay })
/** Which server a read of a client is answered by. */
const served = async (db: Database, client: string) => {
  const [[isReplica] = []] = await readPrepared<[string]>(
    clientOf(db, client),
    'SELECT pg_is_in_recovery()',
    [],
  )
  return isReplica === 't' ? 'replica' : 'primary'
}
const reaches = (db: Database, client: string, server: string) =>
  eventually(`${client} is served by the ${server}`, async () => (await served(db, client)) === server)
const pauseReplay = () => servers.replica.run('SELECT pg_wal_replay_pause()')
const resumeReplay = () => servers.replica.run('SELECT pg_wal_replay_resume()')

test('reads of clients go to the replica, all others to the primary', async () => {
  const db = open()
  await reaches(db, 'alice', 'replica')
  const current = await readCurrent(clientOf(db, 'alice'), 'SELECT pg_is_in_recovery()', [])
  expect(current).toEqual([['f']])
  expect(await readPrepared(db, 'SELECT pg_is_in_recovery()', [])).toEqual([['f']])
})

test('a client reads what it wrote, from another process too; others what is not older than the lag', async () => {
  const [db, other] = [open(60_000), open(60_000)]
  const signals = await openSignals(servers.primary.url, silentLog)
  listenForWrites(other, signals)
  await Promise.all([reaches(db, 'alice', 'replica'), reaches(other, 'alice', 'replica')])
  await pauseReplay()
  await servers.primary.run('CREATE TABLE written_now (n int)')
  await noteWrite(db, 'alice')
  const own = 'SELECT n FROM written_now'
  expect(await readPrepared(clientOf(db, 'alice'), own, [])).toEqual([])
  expect(await served(db, 'alice')).toBe('primary')
  expect(await served(db, 'bob')).toBe('replica')
  await expect(readPrepared(clientOf(db, 'bob'), own, [])).rejects.toThrow('does not exist')
  await reaches(other, 'alice', 'primary')
  expect(await served(other, 'bob')).toBe('replica')
  await resumeReplay()
  await Promise.all([reaches(db, 'alice', 'replica'), reaches(other, 'alice', 'replica')])
  expect(await readPrepared(clientOf(db, 'bob'), own, [])).toEqual([])
  await signals.close()
})

test('what is not on the replica yet is not missing', async () => {
  const db = open(60_000)
  await servers.primary.run('CREATE TABLE placed (n int)')
  await eventually('the replica has it', async () => {
    const [row] = await servers.replica.run(`SELECT to_regclass('placed') IS NOT NULL AS has`)
    return row?.has === true
  })
  await reaches(db, 'bob', 'replica')
  await pauseReplay()
  await servers.primary.run('INSERT INTO placed VALUES (1)')
  const one = (n: number) => readPrepared(clientOf(db, 'bob'), 'SELECT n FROM placed WHERE n = $1', [n])
  expect(await one(1)).toEqual([['1']])
  expect(await one(2)).toEqual([])
  expect(await served(db, 'bob')).toBe('replica')
  await resumeReplay()
})

test('a replica behind the lag, or away, is left for the primary, and used again', async () => {
  const db = open(1_000)
  await reaches(db, 'bob', 'replica')
  await pauseReplay()
  await servers.primary.run('CREATE TABLE newer_than_the_lag (n int)')
  const began = performance.now()
  await reaches(db, 'bob', 'primary')
  // Until then it was no older than allowed.
  expect(performance.now() - began).toBeGreaterThan(500)
  await eventually('it is told', () => logged.includes('the replica is behind: reads go to the primary'))
  await resumeReplay()
  await reaches(db, 'bob', 'replica')

  await servers.replica.stop()
  // No read fails meanwhile.
  for (let read = 0; read < 20; read++) expect(await served(db, 'bob')).toBe('primary')
  await eventually('it is told', () => logged.includes('the replica is away: reads go to the primary'))
  await servers.replica.start()
  await reaches(db, 'bob', 'replica')
})

test('while the primary is away reads go on, until they would be older than the lag', async () => {
  const db = open(2_000)
  await reaches(db, 'bob', 'replica')
  await servers.primary.stop()
  expect(await served(db, 'bob')).toBe('replica')
  const outage = () =>
    served(db, 'bob').then(
      () => undefined,
      (error: unknown) => error,
    )
  expect(await eventually('the lag is over', outage)).toBeInstanceOf(Outage)
  await servers.primary.start()
  await reaches(db, 'bob', 'replica')
})

test('over HTTP, what a request has written is in the next one', async () => {
  const db = open(60_000)
  await using server = await openTestServer(
    {},
    {
      db,
      uploadAppData: (hash, document, client) =>
        uploadAppData(
          db,
          { hash, document, client },
          { maxBytes: 1_000, maxUnusedBytes: 100_000, unusedMs: 1_000, now: Date.now },
        ),
    },
  )
  await reaches(db, '127.0.0.1', 'replica')
  await pauseReplay()
  const { status, body } = await request(`${server.url}/sepolia/api/v1/app_data`, 'PUT', {
    fullAppData: '{"v":1}',
  })
  expect(status).toBe(201)
  expect(await served(db, '127.0.0.1')).toBe('primary')
  expect(await request(`${server.url}/sepolia/api/v1/app_data/${body}`)).toMatchObject({
    status: 200,
    body: { fullAppData: '{"v":1}' },
  })
  await resumeReplay()
  await reaches(db, '127.0.0.1', 'replica')
})

test('what is read from an order book is there at once, for each client that names it', async () => {
  const db = open(60_000)
  const { chainId } = sampleNetwork
  await claimOrderBook(db, chainId, 'http://order-book.example/', async () => ({
    indexedFrom: 0,
    notifiedFrom: 0,
  }))
  const { uid, body } = presignOrder()
  const ignored = { looked() {}, competitions() {}, unknownMembers() {} }
  const unused = () => Promise.reject(new Error('it is not called'))
  const calls = createByteBudget({ what: 'calls', bytes: 10, ageMs: 1_000 }, { now: Date.now })
  const read = createOrderReader({
    network: sampleNetwork,
    db,
    now: Date.now,
    log: silentLog,
    callsOfClients: calls,
    orderBook: {
      ordersByUids: unused,
      ordersOf: unused,
      ordersIn: unused,
      latestCompetition: unused,
      tradesOf: unused,
      competition: unused,
      get: unused,
      pass: unused,
      order: () => Promise.resolve(body),
      state: () => 'closed',
    },
    meter: { stored() {}, compared() {}, refused() {}, unverified() {}, missing() {}, ...ignored },
    readSettled: unused,
    checkSignature: unused,
    describeTokens: async () => new Map(),
    readPresignatures: async () => new Map(),
    readInvalidated: async () => new Set(),
    blockTimes: async () => new Map(),
  })
  await Promise.all([reaches(db, 'erin', 'replica'), reaches(db, 'frank', 'replica')])
  await pauseReplay()
  for (const client of ['erin', 'frank']) {
    expect(await read([uid], { key: client, checkRoom() {}, addStored() {} })).toBe(true)
    const rows = await readPrepared(clientOf(db, client), 'SELECT chain_id FROM orders', [])
    expect(rows).toEqual([[String(chainId)]])
  }
  await resumeReplay()
})

/** An order whose signature is to be on chain, as an order book writes it. */
function presignOrder() {
  const { uid: _, ...order } = sampleOrder({ signingScheme: 'presign', signature: '0x' })
  const uid = orderUid(sampleNetwork, order, order.owner)
  const text = JSON.stringify(
    { ...order, uid, fullAppData: null, quote: null, status: 'presignaturePending' },
    (_, value) => (typeof value === 'bigint' ? String(value) : value),
  )
  return { uid, body: { ...JSON.parse(text), quoteId: null } }
}
