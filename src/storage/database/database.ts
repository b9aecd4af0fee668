import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { Outage } from '../../domain/errors/error.ts'
import type { Log } from '../../domain/log.ts'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { type PoolReport, reportOf } from './connections/pool-measures.ts'
import { type Access, directAccess } from './connections/pooler.ts'
import { openPool, renewPool } from './connections/pools.ts'
import { followReplica, type Replica } from './connections/replica.ts'
import { readSettings, type SessionSettings, sessionSettings, streamSettings } from './connections/session.ts'
import { asOutage, reportOutages } from './outages.ts'
import { createPlanNames, type PlanNames, preparedName } from './plan-names.ts'

declare const opaque: unique symbol

/** The database or an open transaction. Opaque outside `storage`. */
export interface Db {
  readonly [opaque]: 'db'
}

/** An open transaction. The use case that starts it owns it and passes it on as an argument. */
export interface Tx extends Db {
  readonly inTransaction: true
}

/** Every statement throws an Outage when the database does not answer. */
export interface Database extends Db {
  /**
   * Commits when `run` returns, rolls back when it throws. Read committed; bounded in time, to `leastMs`
   * where that is longer.
   */
  transaction<T>(run: (tx: Tx) => Promise<T>, leastMs?: number): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
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
    openPool({ ...at, name: `${name}${kind}`, max, settings, waitMs, onReadOnly: renew })
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
    for (const each of [reads, streams, pool]) renewPool(each)
  }
  const statementNameGenerator = ({ sql }: { sql: string }) => (access.prepares && preparedName(sql)) || ''
  const client = new PrismaClient({
    adapter: reportOutages(new PrismaPg(pool, { statementNameGenerator })),
    log: onStatement ? [{ emit: 'event', level: 'query' }] : [],
  })
  if (onStatement) {
    client.$on('query' as never, ((event: Prisma.QueryEvent) => onStatement(event.query)) as never)
  }
  const database = Object.assign(client as unknown as Db, {
    transaction: <T>(run: (tx: Tx) => Promise<T>, leastMs = 0) =>
      client
        .$transaction((tx) => run(tx as unknown as Tx), {
          // The pool's own limit comes first.
          maxWait: waitMs + 500,
          timeout: Math.max(transactionTimeoutMs, leastMs),
        })
        .catch((error: unknown) => {
          throw asOutage(error)
        }) as Promise<T>,
    async close() {
      await client.$disconnect()
      await Promise.all([pool.end(), reads.end(), streams.end(), replica?.close()])
    },
  })
  const { prepares } = access
  const names = createPlanNames()
  pools.set(database, { pool, reads, streams, replica, onStatement, names, prepares, renew })
  return database
}

export interface DatabasePools {
  pool: Pool
  /** Connections for `readPrepared`. */
  reads: Pool
  /** Connections for streams: streams and requests must not wait for each other. */
  streams: Pool
  replica: Replica | undefined
  onStatement: ((sql: string) => void) | undefined
  names: PlanNames
  prepares: boolean
  renew(): void
}

const pools = new WeakMap<Db, DatabasePools>()

/** The connections for each use, as they are now. */
export function poolReports(db: Db): PoolReport[] {
  const { reads, pool, streams, replica } = poolsOf(db)
  return [reads, pool, streams, ...(replica ? [replica.pool] : [])].map(reportOf)
}

/** @throws TypeError in a transaction */
export function poolsOf(db: Db): DatabasePools {
  const databasePools = pools.get(sharedDb(db))
  if (!databasePools) throw new TypeError('prepared statements need the database itself')
  return databasePools
}

/** The client of a read. */
export interface Reader {
  /** Key of the client: it sees its own writes. */
  client: string
  /** Its signal aborts when the client has left, which cancels its reads. */
  gone(): AbortSignal
}

const readers = new WeakMap<Db, { db: Db; reader: Reader }>()

export function readerOf(db: Db): Reader | undefined {
  return readers.get(db)?.reader
}

/** The database for one request. Its reads may be as old as a replica is allowed to be. */
export function readFor(db: Db, reader: Reader): Db {
  const view = {} as Db
  readers.set(view, { db: sharedDb(db), reader })
  return view
}

/** The database for reads that several requests share. */
export function sharedDb(db: Db): Db {
  return readers.get(db)?.db ?? db
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
  return sharedDb(db) as unknown as Prisma.TransactionClient
}
