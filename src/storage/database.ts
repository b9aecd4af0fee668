import { PrismaPg } from '@prisma/adapter-pg'
import { type Prisma, PrismaClient } from './generated/client.ts'
import { asOutage, tellOutages } from './outages.ts'

declare const opaque: unique symbol

/** Something to read with: the database, or the transaction in hand. Only this room looks inside. */
export interface Db {
  readonly [opaque]: 'db'
}

/** An open transaction. The use case that starts it owns it and hands it on as an argument. */
export interface Tx extends Db {
  readonly inTransaction: true
}

/** Every statement throws an Outage when the database does not answer. */
export interface Database extends Db {
  /** Commits when `run` returns, rolls back when it throws. Read committed; bounded in time. */
  transaction<T>(run: (tx: Tx) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  url: string
  maxConnections: number
  /** Told of every SQL statement; tests count them. */
  onStatement?: (sql: string) => void
}

const statementTimeoutMs = 10_000
/** A server that does not even say that a statement took too long. */
const silenceTimeoutMs = 12_000
const transactionTimeoutMs = 15_000

export function openDatabase({ url, maxConnections, onStatement }: DatabaseOptions): Database {
  const pool = new PrismaPg({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: silenceTimeoutMs,
    // Prisma writes times without a zone and reads them as UTC, whatever zone the database stands in.
    options: '-c timezone=UTC',
  })
  const client = new PrismaClient({
    adapter: tellOutages(pool),
    log: onStatement ? [{ emit: 'event', level: 'query' }] : [],
  })
  if (onStatement) {
    client.$on('query' as never, ((event: Prisma.QueryEvent) => onStatement(event.query)) as never)
  }
  const limits = { maxWait: 5_000, timeout: transactionTimeoutMs }
  return Object.assign(client as unknown as Db, {
    transaction: <T>(run: (tx: Tx) => Promise<T>) =>
      client
        .$transaction((tx) => run(tx as unknown as Tx), limits)
        .catch((error: unknown) => {
          throw asOutage(error)
        }) as Promise<T>,
    close: () => client.$disconnect(),
  })
}

/** @throws when the database does not answer */
export async function ping(db: Db): Promise<void> {
  await sql(db).$executeRaw`SELECT 1`
}

/** Prisma's client behind a `Db`. For this room alone. */
export function sql(db: Db): Prisma.TransactionClient {
  return db as unknown as Prisma.TransactionClient
}
