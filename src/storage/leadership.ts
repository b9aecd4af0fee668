import { Client } from 'pg'
import type { Log } from '../domain/log.ts'

export interface LeadershipOptions {
  url: string
  /** Such as `auctions:11155111`: one leader for each name over all processes. */
  name: string
  log: Log
  signal: AbortSignal
  retryMs?: number
}

/**
 * Runs `lead` while this process holds the named session lock, and again whenever it gets it back.
 * The signal given to `lead` aborts when the lock's connection is lost, since another process may lead from then on.
 * Returns when `signal` aborts.
 */
export async function whileLeading(
  { url, name, log, signal, retryMs = 500 }: LeadershipOptions,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true })
    const lost = new AbortController()
    client.on('error', () => lost.abort())
    client.on('end', () => lost.abort())
    try {
      await client.connect()
      if (await acquire(client, name, signal, retryMs)) await lead(AbortSignal.any([signal, lost.signal]))
    } catch (error) {
      if (!signal.aborted) log.error(`${name}: stopped, starting again`, { error: String(error) })
    } finally {
      await client.end().catch(() => {})
    }
    if (!signal.aborted) await pause(retryMs, signal)
  }
}

async function acquire(client: Client, name: string, signal: AbortSignal, retryMs: number): Promise<boolean> {
  while (!signal.aborted) {
    const { rows } = await client.query<{ held: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('tradegraph', 0) # hashtextextended($1, 1)) AS held`,
      [name],
    )
    if (rows[0]?.held) return true
    await pause(retryMs, signal)
  }
  return false
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
}
