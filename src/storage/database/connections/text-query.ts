import type { Connection } from 'pg'
import utils from 'pg/lib/utils.js'
import type { WireQuery } from './preceded.ts'

/** Columns of a row as PostgreSQL's text. */
export type TextRow = (string | null)[]

/** Members of node-postgres' connection that its types leave out. */
type Wire = Connection & { parsedStatements: Record<string, string> }

/**
 * A statement whose columns are read as text, for `client.query`. The client's own query describes the columns each time, makes
 * parsers for them and copies its settings: a tenth of the time of a small read (`docs/performance.md`).
 */
export class TextQuery implements WireQuery {
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
