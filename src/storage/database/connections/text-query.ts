import type { Connection, Submittable } from 'pg'

/** A statement that is read as text. The server plans it each time if it has no name. */
export interface TextStatement {
  name?: string | undefined
  text: string
  values: readonly unknown[]
}

/** Columns of a row as PostgreSQL's text. */
export type TextRow = (string | null)[]

/** Names of the statements that a connection has prepared, and the characters of their texts. */
export interface Prepared {
  readonly prepared: Set<string>
  preparedCharacters: number
}

/**
 * Statements of one exchange, and so of one transaction, whose columns are read as text, for `client.query`.
 * Rows of all but the last are dropped; an error of one ends all.
 *
 * node-postgres' own query describes the columns each time and makes parsers for them. A read of thirty
 * columns takes 1.5 times as much time of this process with it, and one of fifty rows 1.2 times
 * (`docs/performance.md`).
 */
export class TextQuery implements Submittable {
  private readonly rows: TextRow[] = []
  private ended = 0
  private endParsing: (() => void) | undefined
  /** The last statement, as other queries show theirs. */
  readonly text: string
  readonly values: readonly unknown[]

  constructor(
    private readonly statements: readonly TextStatement[],
    private readonly client: Prepared,
    /** node-postgres wraps it with its timeout. */
    public callback: (error: Error | null, rows?: TextRow[]) => void,
  ) {
    const { text, values } = statements.at(-1) ?? { text: '', values: [] }
    this.text = text
    this.values = values
  }

  submit(connection: Connection): void {
    const parsing: { name: string; text: string }[] = []
    connection.stream.cork()
    try {
      for (const statement of this.statements) {
        // node-postgres prepares its own queries of the same names, which describe their columns.
        const name = statement.name ? `text_${statement.name}` : ''
        if (!this.client.prepared.has(name)) {
          parsing.push({ name, text: statement.text })
          connection.parse({ name, text: statement.text, types: [] }, true)
        }
        connection.bind({ statement: name, values: statement.values.map(parameterOf) }, true)
        connection.execute(null, true)
      }
      connection.sync()
    } finally {
      connection.stream.uncork()
    }
    if (parsing.length > 0) this.recordParsed(connection, parsing)
  }

  private recordParsed(connection: Connection, parsing: { name: string; text: string }[]): void {
    const onParsed = () => {
      const parsed = parsing.shift()
      if (!parsed?.name) return
      this.client.prepared.add(parsed.name)
      this.client.preparedCharacters += parsed.text.length
    }
    connection.on('parseComplete', onParsed)
    this.endParsing = () => connection.off('parseComplete', onParsed)
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    if (this.ended === this.statements.length - 1) this.rows.push(fields)
  }

  handleCommandComplete(): void {
    this.ended++
  }

  // The server sends none of these: no describe, no row limit, no empty statement.
  handleRowDescription(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.endParsing?.()
    this.callback(null, this.rows)
  }

  handleError(error: Error): void {
    this.endParsing?.()
    this.callback(error)
  }
}

/** Returns a value as PostgreSQL reads it from text, or bytes. */
function parameterOf(value: unknown): string | Buffer | null {
  if (value === null || value === undefined) return null
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return `{${value.map(elementOf).join(',')}}`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function elementOf(value: unknown): string {
  const text = parameterOf(value)
  if (text === null) return 'NULL'
  if (Array.isArray(value)) return String(text)
  const plain = typeof text === 'string' ? text : `\\x${text.toString('hex')}`
  return `"${plain.replaceAll(/["\\]/g, '\\$&')}"`
}
