import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { checkReadiness } from '../../src/app/observing/monitoring.ts'
import { type Database, openDatabase } from '../../src/storage/database/database.ts'
import { connectDirectly } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer } from '../setup/server.ts'
import { request } from '../setup/trader.ts'

const emptyDocument = '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d'
const store = (url: string) =>
  request(`${url}/sepolia/api/v1/app_data/${emptyDocument}`, 'PUT', { fullAppData: '{}' })
const ready = (url: string) => request(`${url}/health/ready`)
const read = (url: string) => request(`${url}/sepolia/api/v1/app_data/${emptyDocument}`)

test('a database that takes no writes is an outage, until it does again', async () => {
  let db: Database | undefined
  const isReady = async () => (db ? checkReadiness([], db) : {})
  await using server = await openTestServer({}, { ready: isReady })
  const { url, database } = server
  db = database.db
  expect((await ready(url)).status).toBe(200)
  await using other = await connectDirectly(database.url)
  const { rows } = await other.query('SELECT current_database() AS name')
  await other.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = on`)
  await other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()`)

  await eventually('the readiness is that of the new server', async () => (await ready(url)).status === 503)
  expect((await ready(url)).body).toMatchObject({ database: false })
  const refused = await store(url)
  expect(refused).toMatchObject({ status: 503, body: { errorType: 'Unavailable' } })
  expect(refused.headers.get('retry-after')).toBe('1')
  // What is stored is still read.
  expect((await read(url)).status).toBe(404)
  expect(server.faults).toEqual([])

  // Connections that are open stay with the server that takes no writes: they have to be replaced.
  await other.query(`ALTER DATABASE ${rows[0].name} SET default_transaction_read_only = off`)
  await eventually('writes succeed', async () => (await store(url)).status === 201)
  await eventually('it is ready', async () => (await ready(url)).status === 200)
  expect((await read(url)).status).toBe(200)
})

test.each([
  ['is starting up', '57P03'],
  ['shuts down', '57P01'],
  ['has no connection left', '53300'],
  ['does not let the program in', '28P01'],
  ['accepts no connections', '55000'],
  ['lets others connect only', '42501'],
  ['is not there, as while it is restored', '3D000'],
  ['is behind a pooler that finds no server', '08P01'],
])('a database that %s is an outage', async (_name, code) => {
  const refusing = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(fatal(code)))
  }).listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  const { port } = refusing.address() as AddressInfo
  const db = openDatabase({ url: `postgresql://nobody:none@127.0.0.1:${port}/none`, maxConnections: 2 })
  await using server = await openTestServer({}, { db, ready: () => checkReadiness([], db) })
  expect(await ready(server.url)).toMatchObject({ status: 503, body: { database: false } })
  const refused = await read(server.url)
  expect(refused).toMatchObject({ status: 503, body: { errorType: 'Unavailable' } })
  expect(refused.headers.get('retry-after')).toBe('1')
  const document = await request(`${server.url}/graphql`, 'POST', { query: '{ meta { networks { name } } }' })
  expect(JSON.stringify(document.body)).not.toContain('InternalServerError')
  expect(server.faults).toEqual([])
  await db.close()
  refusing.close()
})

test.each(['db.invalid', '%2Fnowhere'])('a database at %s is an outage', async (host) => {
  const db = openDatabase({ url: `postgresql://nobody:none@${host}/none`, maxConnections: 2 })
  await using server = await openTestServer({}, { db })
  expect(await read(server.url)).toMatchObject({ status: 503, body: { errorType: 'Unavailable' } })
  expect(server.faults).toEqual([])
  await db.close()
})

test('a database that is closed to connections while the program runs is an outage, until it is open again', async () => {
  await using server = await openTestServer()
  const { url, database } = server
  expect((await store(url)).status).toBe(201)
  await using other = await connectDirectly(new URL('/postgres', database.url).href)
  const name = new URL(database.url).pathname.slice(1)
  await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
  await other.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
  for (const ask of [store, read]) {
    const refused = await ask(url)
    expect(refused).toMatchObject({ status: 503, body: { errorType: 'Unavailable' } })
    expect(refused.headers.get('retry-after')).toBe('1')
  }
  expect(server.faults).toEqual([])
  await other.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
  await eventually('it reads and writes again', async () => (await store(url)).status === 200)
  expect((await read(url)).status).toBe(200)
})

/** An ErrorResponse of the protocol. */
function fatal(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mno\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
