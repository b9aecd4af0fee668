import type { Connection, Submittable } from 'pg'
import utils from 'pg/lib/utils.js'

/** Columns of a row as PostgreSQL writes them. */
export type TextRow = (string | null)[]

/** What the client keeps of a connection beside its public parts. */
type Wire = Connection & { parsedStatements: Record<string, string> }

/**
 * A statement whose columns are read as text, for `client.query`. The client's own query asks what the columns are each time, makes
 * parsers for them and copies its settings: a tenth of what a small read takes (`docs/performance.md`).
 */
export class TextQuery implements Submittable {
  private readonly rows: TextRow[] = []

  private constructor(
    /** Empty for one that the server plans each time. */
    readonly name: string,
    readonly text: string,
    private readonly values: readonly unknown[],
    /** The client puts its deadline around it. */
    public callback: (error: Error | null, rows?: TextRow[]) => void,
  ) {}

  /** @throws what the server or the connection says */
  static run(
    client: { query(query: TextQuery): unknown },
    text: string,
    name: string | undefined,
    values: readonly unknown[],
  ): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, rows: TextRow[] = []) => (error ? reject(error) : resolve(rows))
      client.query(new TextQuery(name ?? '', text, values, settle))
    })
  }

  submit(connection: Connection): Error | null {
    const { name, text } = this
    const { parsedStatements, stream } = connection as Wire
    const known = parsedStatements[name]
    if (known !== undefined && known !== text) return new Error(`the name ${name} has another statement`)
    stream.cork()
    try {
      if (known === undefined) connection.parse({ name, text, types: [] }, true)
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

  // None of these comes: nothing is described, all rows are asked for, and no text is empty.
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
