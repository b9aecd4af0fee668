import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
import { Outage } from '../../../domain/errors/error.ts'
import { measuredClient, measurePool } from './pool-measures.ts'
import type { Access } from './pooler.ts'
import { pooledClient } from './prefixed-query.ts'
import { type SessionSettings, silenceTimeoutMs } from './session.ts'
import { endSilent } from './silence.ts'

/**
 * Gives each request the first free connection. The pool itself binds it to the connection that it opens for
 * the request, although another one is usually released long before: opening takes several round trips, and
 * the server a new process. A connection opened in vain serves the next request.
 */
export function preferFreeConnection(pool: Pool): Pool {
  const { max } = pool.options
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>
  /** Requests that wait for a new connection, first come first served. */
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

export interface PoolOptions {
  /** Label in metrics. */
  name: string
  url: string
  access: Access
  max: number
  settings: SessionSettings
  /** Longest wait for a connection. */
  waitMs: number
  /** Called when the server refuses to write. */
  onReadOnly(): void
}

/** Opens connections on demand, and closes them after ten idle seconds. */
export function openPool({ name, url, access, max, settings, waitMs, onReadOnly }: PoolOptions): Pool {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const pool = new Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: waitMs,
    query_timeout: silenceTimeoutMs,
    ...(!access.isPooled && { options: options.join(' ') }),
    Client: measuredClient(
      access.isPooled ? pooledClient(settings, access.prepares) : Client,
      name,
    ) as unknown as new (
      config?: ClientConfig,
    ) => PoolClient,
  })
  // The pool replaces a broken connection, and its statement reports the error. Without a listener, a
  // connection that breaks while it is checked out would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => {
    client.on('error', () => {})
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyCode) onReadOnly()
    })
    openedAt.set(client, performance.now())
  })
  pool.on('release', (_error, client) => {
    const opened = openedAt.get(client) ?? 0
    // The pool removes ended connections.
    if (opened < (renewedAt.get(pool) ?? 0)) client.end().catch(() => {})
  })
  return measurePool(name, reportRefusals(preferFreeConnection(endSilent(pool, waitMs))))
}

/** Reports each fault of a connection as an Outage: without one the data is unknown, whatever the reason. */
function reportRefusals(pool: Pool): Pool {
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>
  const reporting = () =>
    connect().catch((fault: unknown): never => {
      throw new Outage('the database', fault)
    })
  return Object.assign(pool, { connect: reporting })
}

/** read_only_sql_transaction */
const readOnlyCode = '25006'

const openedAt = new WeakMap<PoolClient, number>()
const renewedAt = new WeakMap<Pool, number>()

/** Replaces each connection after its statement: its server may have lost its role. */
export function renewPool(pool: Pool): void {
  renewedAt.set(pool, performance.now())
  for (let idle = pool.idleCount; idle > 0; idle--) {
    pool.connect().then(
      (client) => client.release(),
      () => {},
    )
  }
}

/** The driver names no database: "timeout expired". @throws */
export function failToConnect(fault: Error & { code?: string }, what = 'the database'): never {
  throw new Error(`${what} does not answer: ${fault.message || fault.code}`, { cause: fault })
}
