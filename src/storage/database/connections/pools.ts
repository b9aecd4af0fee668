import { Client, type ClientConfig, Pool, type PoolClient } from 'pg'
import { Outage } from '../../../domain/errors/error.ts'
import { measuredClient, measurePool } from './pool-measures.ts'
import type { Access } from './pooler.ts'
import { pooledClient } from './preceded.ts'
import { type SessionSettings, silenceTimeoutMs } from './session.ts'
import { endSilent } from './silence.ts'
import { soonest } from './soonest.ts'

export interface PoolOptions {
  /** In metrics. */
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

/** A connection is opened when it is needed, and closed when it was not needed for ten seconds. */
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
  // The pool replaces a broken connection, and its statement reports the error. Without a listener, a connection that breaks while
  // it is checked out would end the process.
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
    // The pool removes what has ended.
    if (opened < (renewedAt.get(pool) ?? 0)) client.end().catch(() => {})
  })
  return measurePool(name, reportRefusals(soonest(endSilent(pool, waitMs))))
}

/** Without a connection nothing is known of the data, whatever the server's reason is: each fault is an Outage. */
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

/** Replaces each connection when its statement has ended: its server is not the one any more that it was. */
export function renewPool(pool: Pool): void {
  renewedAt.set(pool, performance.now())
  for (let idle = pool.idleCount; idle > 0; idle--) {
    pool.connect().then(
      (client) => client.release(),
      () => {},
    )
  }
}
