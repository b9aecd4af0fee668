import type { QueryResult, QueryResultRow } from 'pg'
import type { Connected } from './connections/client.ts'
import type { StatementPool } from './connections/pool.ts'
import { isStale, runAsText } from './connections/run-text.ts'
import type { TextRow, TextStatement } from './connections/text-query.ts'
import { type Database, type Db, poolsOf, readerOf } from './database.ts'
import { asOutage } from './outages.ts'
import { preparedName } from './plan-names.ts'

/**
 * Returns the rows of a read with a prepared plan, each column as PostgreSQL's text; `Row` says which columns
 * can be null. Not in a transaction.
 */
export async function readPrepared<Row extends TextRow>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { replica } = poolsOf(db)
  const reader = readerOf(db)
  const guard = reader && replica?.guardFor(reader.client)
  if (!reader || !replica || !guard) return readCurrent<Row>(db, text, values)
  try {
    const rows = await readFrom<Row>(replica, db, text, values, guard)
    // The row may be new: its client may have written it at another process, before this process knows of it.
    return rows.length > 0 ? rows : await readCurrent<Row>(db, text, values)
  } catch (error) {
    if (!replica.mayAskPrimary(error)) throw error
    return readCurrent<Row>(db, text, values)
  }
}

/** Reads from the primary, for answers that need the newest state. */
export function readCurrent<Row extends TextRow>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { reads: pool, prepares } = poolsOf(db)
  return readFrom({ pool, prepares }, db, text, values)
}

/** Reads on the connections of streams. */
export function readForStreams<Row extends TextRow>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { streams: pool, prepares } = poolsOf(db)
  return readFrom({ pool, prepares }, db, text, values)
}

async function readFrom<Row extends TextRow>(
  { pool, prepares }: { pool: StatementPool; prepares: boolean },
  db: Db,
  text: string,
  values: readonly unknown[],
  guard?: TextStatement,
): Promise<Row[]> {
  const { onStatement, names } = poolsOf(db)
  const name = prepares ? (preparedName(text) ?? names.nameOf(text)) : undefined
  onStatement?.(text)
  const gone = readerOf(db)?.gone()
  const run = (name: string | undefined) =>
    runAsText(pool, [...(guard ? [guard] : []), { name, text, values }], {
      gone,
      holdsTooManyPlans: names.holdsTooManyPlans,
    })
  const rows = await run(name).catch((error) => {
    // Its connection is closed. Without a name the statement meets no prepared one.
    if (isStale(error)) return run(undefined)
    throw error
  })
  return rows as Row[]
}

/**
 * Runs on the connections for writes: `prepared` statements that write, and reads that a write depends on.
 */
export async function writePrepared<Row extends TextRow>(
  db: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { pool, onStatement, prepares } = poolsOf(db)
  onStatement?.(text)
  const name = prepares ? preparedName(text) : undefined
  return runAsText(pool, [{ name, text, values }]) as Promise<Row[]>
}

type RunPrepared = <Row extends QueryResultRow>(text: string, values: readonly unknown[]) => Promise<Row[]>

/**
 * A transaction of `prepared` statements without Prisma, which takes several times as long for them.
 * Commits when `work` returns a value, rolls back when it returns undefined.
 */
export async function runPrepared<T>(
  db: Database,
  work: (run: RunPrepared) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { pool, onStatement, prepares } = poolsOf(db)
  let client: Connected | undefined
  try {
    client = await pool.connect()
    const connection = client
    const run = async <Row extends QueryResultRow>(text: string, values: readonly unknown[]) => {
      onStatement?.(text)
      const name = prepares ? preparedName(text) : undefined
      const statement = { text, values: [...values], ...(name && { name }) }
      return (await connection.query<Promise<QueryResult<Row>>>(statement)).rows
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
