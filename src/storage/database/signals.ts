import { Client } from 'pg'
import type { Log } from '../../domain/log.ts'
import { type Db, sql } from './database.ts'

/** What a signal may say. It is a hint to read again, never the fact itself: a lost one costs time, not data. */
export type Topic = 'feed' | 'orders'

export interface Signals {
  /** `heard` gets the payload, or `undefined` after a gap in which any signal may have been lost. */
  on(topic: Topic, heard: (payload: string | undefined) => void): () => void
  close(): Promise<void>
}

const reconnectMs = 500

/** What PostgreSQL calls a topic. */
export function channel(topic: Topic): string {
  return `tradegraph_${topic}`
}

/** Sent when the transaction commits, and only then. In SQL: a function. */
export async function signal(db: Db, topic: Topic, payload: string): Promise<void> {
  await sql(db).$executeRaw`SELECT pg_notify(${channel(topic)}, ${payload})`
}

/** One connection of its own that listens, and listens again after it was lost. */
export async function openSignals(url: string, log: Log): Promise<Signals> {
  const listeners = new Map<string, Set<(payload: string | undefined) => void>>()
  let client: Client | undefined
  let closed = false
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const next = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true })
    next.on('error', () => next.removeAllListeners('notification'))
    next.on('notification', ({ channel, payload }) => {
      for (const heard of listeners.get(channel) ?? []) heard(payload)
    })
    try {
      await next.connect()
      await next.query(`LISTEN ${channel('feed')}; LISTEN ${channel('orders')}`)
    } catch (error) {
      await next.end()
      throw error
    }
    if (closed) return next.end()
    // A client that never listened ends too; only the loss of one that did is a reason to listen again.
    next.on('end', reconnect)
    client = next
    for (const heard of [...listeners.values()].flatMap((set) => [...set])) heard(undefined)
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
    on(topic, heard) {
      const name = channel(topic)
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(heard))
      return () => set.delete(heard)
    },
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
