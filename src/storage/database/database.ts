import { PrismaPg } from '@prisma/adapter-pg'
import { Outage } from '../../domain/errors/error.ts'
import type { Log } from '../../domain/log.ts'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { type PoolReport, StatementPool } from './connections/pool.ts'
import { type Access, directAccess } from './connections/pooler.ts'
import { followReplica, type Replica } from './connections/replica.ts'
import { readSettings, type SessionSettings, sessionSettings, streamSettings } from './connections/session.ts'
import { asOutage, reportOutages } from './outages.ts'
import { createPlanNames, type PlanNames, preparedName } from './plan-names.ts'

const handle = Symbol('database')

/** The database or an open transaction. Opaque outside `storage`. */
export interface Db {
  readonly [handle]: Handle
}

interface Handle {
  client: Prisma.TransactionClient
  /** Absent in a transaction. */
  pools?: DatabasePools
  /** Request whose reads these are, and the database itself. */
  view?: { db: Db; reader: Reader }
}

/** An open transaction. The use case that starts it owns it and passes it on as an argument. */
export interface Tx extends Db {
  readonly inTransaction: true
}

/** Every statement throws an Outage when the database does not answer. */
export interface Database extends Db {
  /**
   * Commits when `run` returns, rolls back when it throws. Read committed; bounded in time, to `minMs`
   * where that is longer.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, minMs?: number): Promise<T>
  close(): Promise<void>
}

interface DatabaseOptions {
  url: string
  /** Prefix of its pools' names in metrics, such as `loop-`. */
  name?: string
  /** Kind of access at `url`; PostgreSQL itself by default. */
  access?: Access
  /** Two or more: half of them are reserved for `readPrepared`, so that readers never block writers. */
  maxConnections: number
  /** Connections of these for `readPrepared`; half by default. */
  readConnections?: number
  /** Additional connections for streams; 3 by default, opened on demand. */
  streamConnections?: number
  /** Longest wait for a connection. */
  waitMs?: number
  /** Server for clients' reads while its data is recent enough. */
  replica?: { url: string; access: Access; maxLagMs: number; log: Log }
  /** Called with every SQL statement; tests count them. */
  onStatement?: (sql: string) => void
}

const defaultStreamConnections = 3
/** Longest wait: a longer one would not help. */
const defaultWaitMs = 1_500
const transactionTimeoutMs = 15_000
/** Pause between two replacements of all connections. */
const renewalPauseMs = 5_000

export function openDatabase({
  url,
  name = '',
  access = directAccess,
  maxConnections,
  readConnections = Math.ceil(maxConnections / 2),
  streamConnections = defaultStreamConnections,
  waitMs = defaultWaitMs,
  replica: replicaOptions,
  onStatement,
}: DatabaseOptions): Database {
  const open = (kind: string, max: number, settings: SessionSettings, at = { url, access }) =>
    new StatementPool({ ...at, name: `${name}${kind}`, max, settings, waitMs, onReadOnly: renew })
  const reads = open('reads', readConnections, readSettings)
  const streams = open('streams', streamConnections, streamSettings)
  const pool = open('writes', maxConnections - readConnections, sessionSettings)
  const replica =
    replicaOptions &&
    followReplica({
      ...replicaOptions,
      pool: open('replica', readConnections, readSettings, replicaOptions),
      primaryWatch: open('watch', 1, sessionSettings),
      replicaWatch: open('replica-watch', 1, sessionSettings, replicaOptions),
      prepares: replicaOptions.access.prepares,
    })
  let renewedAt = Number.NEGATIVE_INFINITY
  /** Connections may still lead to a server that was the primary before. */
  function renew(): void {
    if (performance.now() - renewedAt < renewalPauseMs) return
    renewedAt = performance.now()
    for (const each of [reads, streams, pool]) each.renew()
  }
  const statementNameGenerator = ({ sql }: { sql: string }) => (access.prepares && preparedName(sql)) || ''
  const client = new PrismaClient({
    adapter: reportOutages(new PrismaPg(pool, { statementNameGenerator })),
    log: onStatement ? [{ emit: 'event', level: 'query' }] : [],
  })
  if (onStatement) (client as PrismaClient<'query'>).$on('query', ({ query }) => onStatement(query))
  const { prepares } = access
  const names = createPlanNames()
  return {
    [handle]: { client, pools: { pool, reads, streams, replica, onStatement, names, prepares, renew } },
    transaction: (run, minMs = 0) =>
      client
        .$transaction((tx) => run({ [handle]: { client: tx }, inTransaction: true }), {
          // The pool's own limit comes first.
          maxWait: waitMs + 500,
          timeout: Math.max(transactionTimeoutMs, minMs),
        })
        .catch((error: unknown) => {
          throw asOutage(error)
        }),
    async close() {
      await client.$disconnect()
      await Promise.all([pool.end(), reads.end(), streams.end(), replica?.close()])
    },
  }
}

interface DatabasePools {
  /** Prisma's connections, and those of `writePrepared` and `runPrepared`. */
  pool: StatementPool
  /** Connections of `readPrepared`. */
  reads: StatementPool
  /** Connections of streams, which must not wait for requests, nor requests for them. */
  streams: StatementPool
  replica: Replica | undefined
  onStatement: ((sql: string) => void) | undefined
  names: PlanNames
  prepares: boolean
  renew(): void
}

/** State of the connections of each use. */
export function poolReports(db: Db): PoolReport[] {
  const { reads, pool, streams, replica } = poolsOf(db)
  return [reads, pool, streams, ...(replica ? [replica.pool] : [])].map((each) => each.report())
}

/** @throws TypeError in a transaction */
export function poolsOf(db: Db): DatabasePools {
  const { pools } = sharedDb(db)[handle]
  if (!pools) throw new TypeError('prepared statements need the database itself')
  return pools
}

/** The client that causes reads. */
export interface Reader {
  /** Key of the client: it sees its own writes. */
  client: string
  /** Returns a signal that aborts when the client has left, which cancels its reads. */
  gone(): AbortSignal
}

export function readerOf(db: Db): Reader | undefined {
  return db[handle].view?.reader
}

/** Returns the database for one request. Its reads may be as old as a replica is allowed to be. */
export function readFor(db: Db, reader: Reader): Db {
  const shared = sharedDb(db)
  return { [handle]: { ...shared[handle], view: { db: shared, reader } } }
}

/** Returns the database for reads that several requests share. */
export function sharedDb(db: Db): Db {
  return db[handle].view?.db ?? db
}

/** Checks the database. In SQL: no table is read. @throws Outage if it does not answer or is read-only */
export async function ping(db: Db): Promise<void> {
  const [row] = await sql(db).$queryRaw<
    { read_only: string }[]
  >`SELECT current_setting('transaction_read_only') AS read_only`
  if (row?.read_only !== 'on') return
  poolsOf(db).renew()
  throw new Outage('the database', new Error('it does not take writes'))
}

/** Prisma's client behind a `Db`. Only for `storage`. */
export function sql(db: Db): Prisma.TransactionClient {
  return db[handle].client
}
