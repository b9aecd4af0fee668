import { Client } from 'pg'
import { createThrottledLog } from '../../concurrency/throttled-log.ts'
import type { Log } from '../../domain/log.ts'

export interface LeadershipOptions {
  url: string
  /** Such as `auctions:11155111`: one leader for each name over all processes. */
  name: string
  log: Log
  signal: AbortSignal
  retryMs?: number
  /**
   * How long a leader that is suspended or cut off keeps other processes from leading. A leader sends several
   * heartbeats in this time; the database ends a session without them (PostgreSQL 14 or newer).
   */
  sessionTimeoutMs?: number
  onState?: (state: LeadershipState) => void
}

/** `away`: not connected, as between two tries. */
export type LeadershipState = 'away' | 'standby' | 'leading'

/**
 * Runs `lead` while this process holds the named session lock, and again whenever it regains it. The signal
 * passed to `lead` aborts when the lock's connection is lost, since another process may lead from then on.
 * Returns when `signal` aborts.
 */
export async function whileLeading(
  { url, name, log, signal, retryMs = 500, sessionTimeoutMs = 30_000, onState = () => {} }: LeadershipOptions,
  lead: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  // While the database is away it fails twice a second.
  const tell = createThrottledLog({ now: () => performance.now(), log: { ...log, warn: log.error } })
  while (!signal.aborted) {
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: 5_000,
      query_timeout: sessionTimeoutMs / 2,
      keepAlive: true,
    })
    const lost = new AbortController()
    const onLost = () => lost.abort()
    client.on('error', onLost)
    client.on('end', onLost)
    const heartbeat = setInterval(() => void client.query('SELECT 1').catch(onLost), sessionTimeoutMs / 6)
    try {
      await client.connect()
      await client.query(`SET idle_session_timeout = ${sessionTimeoutMs}`)
      onState('standby')
      if (await acquireLock(client, name, signal, retryMs)) {
        onState('leading')
        await lead(AbortSignal.any([signal, lost.signal]))
      }
    } catch (error) {
      if (!signal.aborted) tell(`${name}: stopped, starting again`, { error: String(error) })
    } finally {
      clearInterval(heartbeat)
      onState('away')
      await Promise.race([client.end().catch(() => {}), closeTimeout()])
    }
    if (!signal.aborted) await pause(retryMs, signal)
  }
}

async function acquireLock(
  client: Client,
  name: string,
  signal: AbortSignal,
  retryMs: number,
): Promise<boolean> {
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

/** Long enough to close a live connection; one whose server is gone never reports its end. */
function closeTimeout(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 1_000).unref()
  })
}
