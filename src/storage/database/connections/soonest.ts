import type { Pool, PoolClient } from 'pg'

/**
 * Gives each who asks the connection that is free first. The pool itself binds them to the connection that it opens for them, although
 * another one is mostly released long before that: opening takes several round trips, and the server a new process. What was opened in
 * vain waits for the next.
 */
export function soonest(pool: Pool): Pool {
  const { max } = pool.options
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>
  /** Those for whom a connection is being opened, first come first served. */
  const waiting = new Set<() => void>()

  function openOrWait(): Promise<PoolClient> {
    return new Promise((resolve, reject) => {
      let isServed = false
      const serve = () => {
        isServed = true
        waiting.delete(serve)
        connect().then(resolve, reject)
      }
      waiting.add(serve)
      connect().then(
        (client) => {
          waiting.delete(serve)
          if (isServed) client.release()
          else resolve(client)
        },
        (fault) => {
          waiting.delete(serve)
          if (!isServed) reject(fault)
        },
      )
    })
  }

  pool.on('release', () => {
    // It is idle only after this event, unless the queue of the pool has given it away.
    queueMicrotask(() => {
      const [serve] = waiting
      if (serve && pool.idleCount > 0 && pool.waitingCount === 0) serve()
    })
  })
  return Object.assign(pool, {
    connect: () => (pool.idleCount > 0 || pool.totalCount >= max ? connect() : openOrWait()),
  })
}
