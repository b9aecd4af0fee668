import { DatabaseError } from 'pg'
import { Refusal } from '../../../domain/errors/error.ts'
import { asOutage } from '../outages.ts'
import type { Connected } from './client.ts'
import type { StatementPool } from './pool.ts'
import { cancelStatement } from './server.ts'
import type { Prepared, TextRow, TextStatement } from './text-query.ts'

interface RunOptions {
  /** Ends the statement at the server when it aborts. */
  gone?: AbortSignal | undefined
  /** Reports whether the pool should replace the connection after this statement. */
  holdsTooManyPlans?(connection: Prepared): boolean
}

/**
 * Runs statements in one transaction, and returns the rows of the last one as text.
 * @throws Outage; the error of the server; Refusal Unavailable for a client that has gone
 */
export async function runAsText(
  pool: StatementPool,
  statements: readonly TextStatement[],
  { gone, holdsTooManyPlans }: RunOptions = {},
): Promise<TextRow[]> {
  let client: Connected | undefined
  let cancelling: Promise<void> | undefined
  const cancel = () => {
    if (client) cancelling = cancelStatement(client)
  }
  try {
    client = await pool.connect()
    if (gone?.aborted) throw clientGone()
    gone?.addEventListener('abort', cancel)
    const rows = await client.readAsText(statements)
    await cancelling
    client.release(holdsTooManyPlans?.(client) ?? false)
    return rows
  } catch (error) {
    await cancelling
    client?.release(!(error instanceof Refusal || isStatementError(error)))
    throw cancelling ? clientGone() : asOutage(error)
  } finally {
    gone?.removeEventListener('abort', cancel)
  }
}

function clientGone(): Refusal {
  return new Refusal('Unavailable', 'the client has gone')
}

/**
 * Statement name unknown (26000) or duplicate (42P05), or plan invalid after a migration (0A000): a new
 * connection helps.
 */
const staleStatementCodes: readonly (string | undefined)[] = ['26000', '42P05', '0A000']

/** Reports whether a statement failed because of the statements that its connection had prepared. */
export function isStale(error: unknown): boolean {
  return error instanceof DatabaseError && staleStatementCodes.includes(error.code)
}

/** Reports whether the server refused the statement and the connection stays usable. */
function isStatementError(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === 'ERROR' && !isStale(error)
}
