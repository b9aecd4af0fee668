import { PrismaPg } from '@prisma/adapter-pg'
import { DatabaseError, Pool, type PoolClient, type QueryResultRow } from 'pg'
import { type Prisma, PrismaClient } from '../generated/client.ts'
import { asOutage, reportOutages } from './outages.ts'
import { createPlanNames, type PlanNames } from './plan-names.ts'
import {
  readSettings,
  sessionSettings,
  silenceTimeoutMs,
  statementTimeoutMs,
  streamSettings,
} from './session.ts'
import { TextQuery, type TextRow } from './text-query.ts'

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
  /** Commits when `run` returns, rolls back when it throws. Read committed; bounded in time, to `leastMs` where that is longer. */
  transaction<T>(run: (tx: Tx) => Promise<T>, leastMs?: number): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  /** At least 2: half of them are reserved for `readPrepared`, so that readers never block writers. */
  maxConnections: number
  /** Beside them, for `readBeside`; 3 when left out. They are opened when they are needed. */
  streamConnections?: number
  /** Called with every SQL statement; tests count them. */
  onStatement?: (sql: string) => void
}

const defaultStreamConnections = 3
const transactionTimeoutMs = 15_000

export function openDatabase({
  url,
  maxConnections,
  streamConnections = defaultStreamConnections,
  onStatement,
}: DatabaseOptions): Database {
  const readConnections = Math.ceil(maxConnections / 2)
  const reads = openPool(url, readConnections, readSettings)
  const streams = openPool(url, streamConnections, streamSettings)
  const pool = openPool(url, maxConnections - readConnections, sessionSettings)
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
          maxWait: 5_000,
          timeout: Math.max(transactionTimeoutMs, leastMs),
        })
        .catch((error: unknown) => {
          throw asOutage(error)
        }) as Promise<T>,
    async close() {
      await client.$disconnect()
      await Promise.all([pool.end(), reads.end(), streams.end()])
    },
  })
  pools.set(database, { pool, reads, streams, onStatement, names: createPlanNames() })
  return database
}

function openPool(connectionString: string, max: number, options: string): Pool {
  const pool = new Pool({
    connectionString,
    max,
    options,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: silenceTimeoutMs,
  })
  // The pool replaces a broken connection, and its statement reports the error. Without a listener, a connection that breaks while
  // it is checked out would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const preparedNames = new Map<string, string>()

/** Names a statement so that each connection plans it once. Only for texts that are fixed when the program starts. */
export function prepared(text: string): string {
  if (!preparedNames.has(text)) preparedNames.set(text, `kept${preparedNames.size}`)
  return text
}

/** Without a name the server does not keep the plan. */
function statementNameGenerator(query: { sql: string }): string {
  return preparedNames.get(query.sql) ?? ''
}

interface DatabasePools {
  pool: Pool
  /** For `readPrepared`. */
  reads: Pool
  /** For streams: these must not wait for requests, nor requests for them. */
  streams: Pool
  onStatement: ((sql: string) => void) | undefined
  names: PlanNames
}

const pools = new WeakMap<Db, DatabasePools>()

function poolsOf(db: Db): DatabasePools {
  const databasePools = pools.get(db)
  if (!databasePools) throw new TypeError('prepared statements need the database itself')
  return databasePools
}

/**
 * Rows of a read with a prepared plan, each column as PostgreSQL's text; `Row` says which columns can be null. Not in a transaction.
 */
export function readPrepared<Row extends TextRow>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return readFrom(poolsOf(db).reads, db, text, values)
}

/** The same on the connections of streams. */
export function readBeside<Row extends TextRow>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  return readFrom(poolsOf(db).streams, db, text, values)
}

async function readFrom<Row extends TextRow>(
  pool: Pool,
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { onStatement, names } = poolsOf(db)
  const name = preparedNames.get(text) ?? names.nameOf(text)
  onStatement?.(text)
  const holdsTooManyPlans = (client: PoolClient) =>
    name !== undefined && names.holdsTooManyPlans(client, name, text)
  return runAsText(pool, { text, name, values, holdsTooManyPlans }) as Promise<Row[]>
}

/** The same on the connections for writes: for `prepared` statements that write, and for reads that a write depends on. */
export async function writePrepared<Row extends TextRow>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { pool, onStatement } = poolsOf(db)
  onStatement?.(text)
  const name = preparedNames.get(text)
  return runAsText(pool, { text, name, values, holdsTooManyPlans: () => false }) as Promise<Row[]>
}

interface TextStatement {
  text: string
  name: string | undefined
  values: readonly unknown[]
  /** Whether the pool should replace the connection after this statement. */
  holdsTooManyPlans(client: PoolClient): boolean
}

async function runAsText(
  pool: Pool,
  { text, name, values, holdsTooManyPlans }: TextStatement,
): Promise<TextRow[]> {
  let client: PoolClient | undefined
  try {
    client = await pool.connect()
    const mustClose = holdsTooManyPlans(client)
    const rows = await TextQuery.run(client, text, name, values)
    client.release(mustClose)
    return rows
  } catch (error) {
    client?.release(!isStatementError(error))
    throw asOutage(error)
  }
}

/** Statement name unknown (26000) or duplicate (42P05), or plan invalid after a migration (0A000): a new connection helps. */
const staleStatementCodes: readonly (string | undefined)[] = ['26000', '42P05', '0A000']

/** Whether the server refused the statement and the connection stays usable. */
function isStatementError(error: unknown): boolean {
  return (
    error instanceof DatabaseError && error.severity === 'ERROR' && !staleStatementCodes.includes(error.code)
  )
}

export type RunPrepared = <Row extends QueryResultRow>(
  text: string,
  values: readonly unknown[],
) => Promise<Row[]>

/**
 * A transaction of `prepared` statements without Prisma, which takes several times as long for them.
 * Commits when `work` returns a value, rolls back when it returns undefined.
 */
export async function runPrepared<T>(
  db: Database,
  work: (run: RunPrepared) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { pool, onStatement } = poolsOf(db)
  let client: PoolClient | undefined
  try {
    client = await pool.connect()
    const connection = client
    const run: RunPrepared = async (text, values) => {
      onStatement?.(text)
      const name = preparedNames.get(text)
      return (await connection.query({ text, values: [...values], ...(name && { name }) })).rows
    }
    await run('BEGIN', [])
    const result = await work(run)
    await run(result === undefined ? 'ROLLBACK' : 'COMMIT', [])
    client.release()
    return result
  } catch (error) {
    // Closing the connection rolls the transaction back.
    client?.release(true)
    throw asOutage(error)
  }
}

/** In SQL: it reads no table. @throws when the database does not answer */
export async function ping(db: Db): Promise<void> {
  await sql(db).$executeRaw`SELECT 1`
}

/** Prisma's client behind a `Db`. Only for `storage`. */
export function sql(db: Db): Prisma.TransactionClient {
  return db as unknown as Prisma.TransactionClient
}
