import { createLruCache } from '../../../domain/derived.ts'
import { Outage } from '../../../domain/errors/error.ts'
import type { Log } from '../../../domain/log.ts'
import type { StatementPool } from './pool.ts'
import type { TextStatement } from './text-query.ts'

/** A position in the primary's log: everything before it is committed. */
type Lsn = bigint

/** Clients whose last write is remembered. */
const maxWriters = 50_000
/** Limit of that time: after a switch-over to a server that lost a write, its position may never come. */
const rememberedMs = 120_000

const position = (lsn: string) => `pg_wal_lsn_diff(${lsn}, '0/0')::text`
/** Position of a replica, or of a server that was promoted or never was one. */
const replayed =
  'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END'

/** Text that reads the primary's position, which follows everything committed before. */
export const primaryPosition = position('pg_current_wal_flush_lsn()')
const replicaPlace = position(replayed)

/** Fails with a division by zero on a replica that has not got so far: several may be behind one address. */
const guardText = `SELECT 1 / (pg_wal_lsn_diff(${replayed}, '0/0') >= $1::numeric)::int`
/** Codes of the guard's division by zero, and of a conflict of the read with the replay. */
const repeatableCodes: unknown[] = ['22012', '40001']
const canceledCode = '57014'

const codeOf = (error: unknown) => (error as { code?: string } | null | undefined)?.code
/** Recognizes timeouts of the pool and of the driver. */
const isTimeout = (error: unknown) =>
  error instanceof Error && /^(timeout exceeded|Query read timeout)/.test(error.message)

export interface Replica {
  pool: StatementPool
  prepares: boolean
  /** Statement to run before a client's read there; undefined if the primary has to serve the read. */
  guardFor(client: string): TextStatement | undefined
  /** @param place of the primary after the write */
  wrote(client: string, place: string): void
  /** Any client may have written meanwhile. */
  forget(): void
  /** Decides whether a failed read is repeated at the primary: not after a timeout, which would recur. */
  mayAskPrimary(error: unknown): boolean
  close(): Promise<void>
}

interface ReplicaOptions {
  /** Connections for reads. */
  pool: StatementPool
  /** A connection to the primary, and one to the replica, that wait for no request. */
  primaryWatch: StatementPool
  replicaWatch: StatementPool
  /** Maximum age of data. */
  maxLagMs: number
  prepares: boolean
  log: Log
}

/**
 * Decides which reads a replica may serve, without comparing clocks: positions of the primary are noted with
 * this process's time. A replica is recent enough if it has replayed the position of `maxLagMs` ago and the
 * client's last write.
 */
export function followReplica({
  pool,
  primaryWatch,
  replicaWatch,
  maxLagMs,
  prepares,
  log,
}: ReplicaOptions): Replica {
  const everyMs = Math.max(50, Math.min(1_000, maxLagMs / 4))
  const writers = createLruCache<string, Lsn>({
    max: maxWriters,
    ttl: rememberedMs,
    // An evicted client is no longer known: all clients then have to see its writes.
    dispose: (place, _client, reason) => {
      if (reason === 'evict' && place > floor) floor = place
    },
  })
  /** Places of the primary, oldest first. */
  let notes: { at: number; place: Lsn }[] = []
  let reached: Lsn | undefined
  let floor: Lsn = 0n
  /** Set by `forget`: the next note is a floor for all. */
  let mustRaise = false
  let state = 'used'
  let closed = false

  async function look(): Promise<void> {
    const at = performance.now()
    const [atPrimary, atReplica] = await Promise.all([
      placeOf(primaryWatch, primaryPosition),
      placeOf(replicaWatch, replicaPlace),
    ])
    if (atPrimary !== undefined) {
      // Occurs after a switch-over to a server that is behind the old one.
      const last = notes.at(-1)
      if (last && atPrimary < last.place) {
        notes = []
        writers.clear()
        floor = atPrimary
      }
      notes.push({ at, place: atPrimary })
      if (mustRaise) floor = atPrimary
      mustRaise = false
    }
    reached = atReplica
    const bound = boundNow()
    report(reached === undefined ? 'away' : bound !== undefined && reached >= bound ? 'used' : 'behind')
  }

  /** The oldest place that is new enough. */
  function boundNow(): Lsn | undefined {
    const oldest = performance.now() - maxLagMs
    while (notes[0] && notes[0].at < oldest) notes.shift()
    return notes[0]?.place
  }

  function report(next: string): void {
    if (next === state || closed) return
    state = next
    if (next === 'used') log.info('the replica is new enough again')
    else log.warn(`the replica is ${next}: reads go to the primary`)
  }

  let timer: NodeJS.Timeout | undefined
  const follow = () => {
    look()
      .catch(() => {})
      .finally(() => {
        if (!closed) timer = setTimeout(follow, everyMs).unref()
      })
  }
  follow()

  return {
    pool,
    prepares,
    guardFor(client) {
      const bound = boundNow()
      if (bound === undefined || reached === undefined || mustRaise) return undefined
      const written = writers.get(client) ?? 0n
      const min = [floor, written].reduce((max, place) => (place > max ? place : max), bound)
      if (reached < min) return undefined
      return { name: prepares ? 'replica_guard' : undefined, text: guardText, values: [String(min)] }
    },
    wrote(client, text) {
      const place = BigInt(text)
      if (place > (writers.get(client) ?? 0n)) writers.set(client, place)
    },
    forget() {
      mustRaise = true
    },
    mayAskPrimary(error) {
      if (!(error instanceof Outage)) return repeatableCodes.includes(codeOf(error))
      return codeOf(error.cause) !== canceledCode && !isTimeout(error.cause)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await Promise.all([pool, primaryWatch, replicaWatch].map((each) => each.end()))
    },
  }
}

async function placeOf(pool: StatementPool, text: string): Promise<Lsn | undefined> {
  try {
    const { rows } = await pool.query<{ place: string | null }>(`SELECT ${text} AS place`)
    return rows[0]?.place == null ? undefined : BigInt(rows[0].place)
  } catch {
    return undefined
  }
}
