import { DatabaseError, type Pool, type PoolClient } from 'pg'
import { Refusal } from '../../../domain/errors/error.ts'
import { asOutage } from '../outages.ts'
import { cancelStatement } from './cancel.ts'
import { observedStatement } from './pool-measures.ts'
import { type FirstStatement, Preceded } from './preceded.ts'
import { TextQuery, type TextRow } from './text-query.ts'

export interface TextStatement {
  text: string
  /** Undefined for a statement that the server plans each time. */
  name: string | undefined
  values: readonly unknown[]
  /** Runs in the same transaction before it. */
  guard?: FirstStatement | undefined
  /** Whether the pool should replace the connection after this statement. */
  holdsTooManyPlans?(client: PoolClient): boolean
}

/**
 * Each column as PostgreSQL's text. When `gone` aborts, the server is asked to end the statement.
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
    client.query(guard ? new Preceded(guard, query) : query)
  })
}

function clientGone(): Refusal {
  return new Refusal('Unavailable', 'the client has gone')
}

/** Statement name unknown (26000) or duplicate (42P05), or plan invalid after a migration (0A000): a new connection helps. */
const staleStatementCodes: readonly (string | undefined)[] = ['26000', '42P05', '0A000']

/** Whether a statement failed because of what its connection had prepared. */
export function isStale(error: unknown): boolean {
  return error instanceof DatabaseError && staleStatementCodes.includes(error.code)
}

/** Whether the server refused the statement and the connection stays usable. */
function isStatementError(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR' && !isStale(error)
}
