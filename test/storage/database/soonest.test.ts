import { EventEmitter } from 'node:events'
import { type ClientConfig, Pool, type PoolClient } from 'pg'
import { beforeEach, expect, test } from 'vitest'
import { preferFreeConnection } from '../../../src/storage/database/connections/pools.ts'
import { eventually } from '../../setup/eventually.ts'

/** Ends the opening of each connection, in their order. */
let openings: ((fault?: Error) => void)[] = []
beforeEach(() => {
  openings = []
})

class SlowClient extends EventEmitter {
  readonly _queryable = true
  connect(done: (fault?: Error) => void) {
    openings.push(done)
  }
  ref() {}
  unref() {}
  end(done?: () => void) {
    done?.()
  }
}

const openPool = (max: number) =>
  preferFreeConnection(
    new Pool({ max, Client: SlowClient as unknown as new (config?: ClientConfig) => PoolClient }),
  )

async function connected(pool: Pool): Promise<PoolClient> {
  const client = pool.connect()
  openings.shift()?.()
  return client
}

test('who waits for a new connection gets one that is released before it is open', async () => {
  const pool = openPool(3)
  const first = await connected(pool)
  const [second, third] = [pool.connect(), pool.connect()]
  expect(openings).toHaveLength(2)
  first.release()
  expect(await second).toBe(first)
  // What was opened for the second is for the third.
  openings.shift()?.()
  const opened = await third
  expect(opened).not.toBe(first)
  openings.shift()?.()
  await eventually('what was opened for the third is idle', () => pool.idleCount === 1)
  expect([pool.totalCount, pool.waitingCount]).toEqual([3, 0])
  for (const client of [first, opened]) client.release()
  expect(pool.idleCount).toBe(3)
})

test('a connection that cannot be opened is told to who got no other, and to nobody else', async () => {
  const pool = openPool(3)
  const first = await connected(pool)
  const [second, third] = [pool.connect(), pool.connect()]
  first.release()
  expect(await second).toBe(first)
  for (const fail of openings.splice(0)) fail(new Error('refused'))
  await expect(third).rejects.toThrow('refused')
  expect([pool.totalCount, pool.waitingCount]).toEqual([1, 0])
})

test('a full pool serves in the order of asking', async () => {
  const pool = openPool(1)
  const first = await connected(pool)
  const [second, third] = [pool.connect(), pool.connect()]
  expect(openings).toHaveLength(0)
  first.release()
  const next = await second
  next.release()
  expect(await third).toBe(first)
})
