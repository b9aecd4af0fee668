import { Client } from 'pg'
import type { Log } from '../../domain/log.ts'
import { failToConnect } from './connections/pool.ts'
import { type Db, sql } from './database.ts'

/**
 * Topics of signals. A signal is a hint to read again, never the fact itself: a lost one costs time, not
 * data.
 */
const topics = ['feed', 'orders', 'deliveries', 'writes', 'balances'] as const
export type Topic = (typeof topics)[number]

export interface Signals {
  /**
   * `listener` gets the payload, or `undefined` after a gap in which any signal may have been lost.
   * @returns a function that unsubscribes
   */
  on(topic: Topic, listener: (payload: string | undefined) => void): () => void
  close(): Promise<void>
}

const reconnectMs = 500

/** PostgreSQL's channel for a topic. */
export function channel(topic: Topic): string {
  return `tradegraph_${topic}`
}

/** PostgreSQL sends it when the transaction commits. In SQL: a function. */
export async function signal(db: Db, topic: Topic, payload: string): Promise<void> {
  await sql(db).$executeRaw`SELECT pg_notify(${channel(topic)}, ${payload})`
}

/** Listens on a dedicated connection, and reconnects after a loss. */
export async function openSignals(url: string, log: Log): Promise<Signals> {
  const listeners = new Map<string, Set<(payload: string | undefined) => void>>()
  let client: Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const connection = new Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    })
    connection.on('error', () => connection.removeAllListeners('notification'))
    connection.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload)
    })
    try {
      await connection.connect().catch(failToConnect)
      await connection.query(topics.map((topic) => `LISTEN ${channel(topic)}`).join('; '))
    } catch (error) {
      await connection.end()
      throw error
    }
    if (closed) return connection.end()
    // Only after LISTEN: the end of a connection that failed to listen is handled by its caller.
    connection.on('end', reconnect)
    client = connection
    for (const listener of [...listeners.values()].flatMap((set) => [...set])) listener(undefined)
  }

  function reconnect(): void {
    if (closed || retry) return
    log.warn('signals: connection lost, listening again soon')
    retry = setTimeout(() => {
      retry = undefined
      connect().catch(reconnect)
    }, reconnectMs)
  }

  await connect()
  return {
    on(topic, listener) {
      const name = channel(topic)
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(listener))
      return () => set.delete(listener)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
