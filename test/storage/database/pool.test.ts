import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { StatementPool } from '../../../src/storage/database/connections/pool.ts'
import { directAccess } from '../../../src/storage/database/connections/pooler.ts'
import { sessionSettings } from '../../../src/storage/database/connections/session.ts'
import { eventually } from '../../setup/eventually.ts'

/** Connections that the gate in front of the server has not let through, oldest first. */
let held: Socket[] = []
let gate: Server
const pools: StatementPool[] = []

beforeEach(async () => {
  held = []
  gate = createServer((socket) => held.push(socket.on('error', () => {})))
  await once(gate.listen(0, '127.0.0.1'), 'listening')
})
afterEach(async () => {
  for (const socket of held) socket.destroy()
  await Promise.all(pools.splice(0).map((pool) => pool.end()))
  gate.close()
})

function openPool(max: number): StatementPool {
  const url = new URL(inject('serverUrl'))
  url.port = String((gate.address() as AddressInfo).port)
  const pool = new StatementPool({
    name: 'test',
    url: url.href,
    access: directAccess,
    max,
    settings: sessionSettings,
    waitMs: 60_000,
    onReadOnly() {},
  })
  pools.push(pool)
  return pool
}

const areHeld = (count: number) => eventually(`${count} connections are held`, () => held.length === count)

function letThrough(): void {
  const { hostname, port } = new URL(inject('serverUrl'))
  const client = held.shift()
  const server = connect(Number(port), hostname).on('error', () => {})
  client?.pipe(server).pipe(client)
}

async function connected(pool: StatementPool) {
  const client = pool.connect()
  await areHeld(1)
  letThrough()
  return client
}

/** A used connection that was released for the first of two callers that wait for new ones. */
async function releasedForSecond(pool: StatementPool) {
  const first = await connected(pool)
  const [second, third] = [pool.connect(), pool.connect()]
  await areHeld(2)
  first.release()
  expect(await second).toBe(first)
  return { first, third }
}

test('a caller that waits for a new connection gets one that is released before it is open', async () => {
  const pool = openPool(3)
  const { first, third } = await releasedForSecond(pool)
  // The connection that was opened for the second caller is for the third one.
  letThrough()
  const opened = await third
  expect(opened).not.toBe(first)
  letThrough()
  await eventually('the connection for the third caller is idle', () => pool.idleCount === 1)
  expect([pool.totalCount, pool.waitingCount]).toEqual([3, 0])
  for (const client of [first, opened]) client.release()
  expect(pool.idleCount).toBe(3)
})

test('a connection that cannot be opened fails the caller that got no other, and no other caller', async () => {
  const pool = openPool(3)
  const { first, third } = await releasedForSecond(pool)
  for (const socket of held.splice(0)) socket.destroy()
  await expect(third).rejects.toThrow('the database')
  await eventually('only the open connection is left', () => pool.totalCount === 1)
  expect(pool.waitingCount).toBe(0)
  first.release()
})

test('a full pool serves its callers in order', async () => {
  const pool = openPool(1)
  const first = await connected(pool)
  const [second, third] = [pool.connect(), pool.connect()]
  expect(held).toHaveLength(0)
  first.release()
  const next = await second
  next.release()
  expect(await third).toBe(first)
  first.release()
})

test('a pool that is renewed replaces idle connections at once, and used ones when they are released', async () => {
  const pool = openPool(2)
  const first = await connected(pool)
  const second = await connected(pool)
  second.release()
  pool.renew()
  await eventually('the idle connection is closed', () => pool.totalCount === 1)
  expect((await first.query<Promise<{ rows: unknown[] }>>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  first.release()
  await eventually('the used connection is closed', () => pool.totalCount === 0)
  const third = await connected(pool)
  expect([first, second]).not.toContain(third)
  third.release()
})
