import { type Connection, DatabaseError, type Pool, type PoolClient } from 'pg'
import utils from 'pg/lib/utils.js'
import { Refusal } from '../../../domain/errors/error.ts'
import { asOutage } from '../outages.ts'
import { cancelStatement } from './cancel.ts'
import { observedStatement } from './pool-measures.ts'
import { type FirstStatement, PrefixedQuery, type WireQuery } from './prefixed-query.ts'

/** Columns of a row as PostgreSQL's text. */
export type TextRow = (string | null)[]

/** Members of node-postgres' connection that its types leave out. */
type Wire = Connection & { parsedStatements: Record<string, string> }

/**
 * A statement whose columns are read as text, for `client.query`. The client's own query describes the
 * columns each time, makes parsers for them and copies its settings: a tenth of the time of a small read
 * (`docs/performance.md`).
 */
class TextQuery implements WireQuery {
  private readonly rows: TextRow[] = []

  constructor(
    /** Empty for a statement that the server plans each time. */
    readonly name: string,
    readonly text: string,
    private readonly values: readonly unknown[],
    /** node-postgres wraps it with its timeout. */
    public callback: (error: Error | null, rows?: TextRow[]) => void,
  ) {}

  submit(connection: Connection): Error | null {
    const { name, text } = this
    const { parsedStatements, stream } = connection as Wire
    const preparedText = parsedStatements[name]
    if (preparedText !== undefined && preparedText !== text)
      return new Error(`the name ${name} has another statement`)
    stream.cork()
    try {
      if (preparedText === undefined) connection.parse({ name, text, types: [] }, true)
      const values = this.values.map(utils.prepareValue)
      connection.bind({ statement: name, values }, true)
      connection.execute(null, true)
      connection.sync()
    } finally {
      stream.uncork()
    }
    return null
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.rows.push(fields)
  }

  handleCommandComplete(): void {}

  // The server sends none of these: no describe, no row limit, no empty statement.
  handleRowDescription(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.callback(null, this.rows)
  }

  handleError(error: Error): void {
    this.callback(error)
  }
}

export interface TextStatement {
  text: string
  /** Undefined for a statement that the server plans each time. */
  name: string | undefined
  values: readonly unknown[]
  /** Runs in the same transaction before it. */
  guard?: FirstStatement | undefined
  /** Reports whether the pool should replace the connection after this statement. */
  holdsTooManyPlans?(client: PoolClient): boolean
}

/**
 * Reads each column as PostgreSQL's text. When `gone` aborts, the server is requested to end the statement.
 * @throws Outage; the error of the server; Refusal Unavailable for a client that has gone
 */
export async function runAsText(
  pool: Pool,
  statement: TextStatement,
  gone?: AbortSignal,
): Promise<TextRow[]> {
  let client: PoolClient | undefined
  let cancelling: Promise<void> | undefined
  const cancel = () => {
    if (client) cancelling = cancelStatement(client)
  }
  try {
    client = await pool.connect()
    if (gone?.aborted) throw clientGone()
    gone?.addEventListener('abort', cancel)
    const mustClose = statement.holdsTooManyPlans?.(client) ?? false
    const connection = client
    const rows = await observedStatement(pool, statement.text, () => send(connection, statement))
    await cancelling
    client.release(mustClose)
    return rows
  } catch (error) {
    await cancelling
    client?.release(!(error instanceof Refusal || isStatementError(error)))
    throw cancelling ? clientGone() : asOutage(error)
  } finally {
    gone?.removeEventListener('abort', cancel)
  }
}

function send(client: PoolClient, { text, name = '', values, guard }: TextStatement): Promise<TextRow[]> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null, rows: TextRow[] = []) => (error ? reject(error) : resolve(rows))
    const query = new TextQuery(name, text, values, settle)
    client.query(guard ? new PrefixedQuery(guard, query) : query)
  })
}

function clientGone(): Refusal {
  return new Refusal('Unavailable', 'the client has gone')
}

/**
 * Statement name unknown (26000) or duplicate (42P05), or plan invalid after a migration (0A000): a new
 * connection helps.
 */
const staleStatementCodes: readonly (string | undefined)[] = ['26000', '42P05', '0A000']

/** Checks whether a statement failed because of a prepared statement on its connection. */
export function isStale(error: unknown): boolean {
  return error instanceof DatabaseError && staleStatementCodes.includes(error.code)
}

/** Checks whether the server refused the statement and the connection stays usable. */
function isStatementError(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR' && !isStale(error)
}
