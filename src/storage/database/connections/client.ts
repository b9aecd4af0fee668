import {
  Client,
  type ClientConfig,
  type PoolClient,
  type QueryArrayResult,
  type QueryConfig,
  type Submittable,
} from 'pg'
import { observed } from '../../../outside/telemetry/work.ts'
import { statementName } from './statement-name.ts'
import { TextQuery, type TextRow, type TextStatement } from './text-query.ts'

/** Key by which the server ends a statement of the connection. */
export interface BackendKey {
  processID: number
  secretKey: number
}

/** A checked-out connection of a `StatementPool`. */
export type Connected = ServiceClient & Pick<PoolClient, 'release'>

type Statement = string | QueryConfig
type Done = (error: Error | undefined, result?: unknown) => void

/**
 * A connection that measures its statements. Behind a pooler in transaction mode, where the next transaction
 * may run on another server, each transaction begins with the settings.
 */
export class ServiceClient extends Client {
  readonly openedAt = performance.now()
  /** Names of statements that `TextQuery` has prepared here, and the characters of their texts. */
  readonly prepared = new Set<string>()
  preparedCharacters = 0
  key: BackendKey | undefined
  /** Begins a transaction behind a pooler; undefined for a connection that keeps its settings. */
  private readonly begin: string | undefined
  private unanswered = 0

  constructor(
    config: string | ClientConfig | undefined,
    /** Name of the pool in metrics. */
    private readonly pool: string,
    /** Settings of each transaction behind a pooler. */
    pooled?: Readonly<Record<string, string>>,
  ) {
    // BEGIN with the settings, a statement and COMMIT are sent without waiting between them.
    super(typeof config === 'object' && pooled ? { ...config, pipeline: true } : config)
    const settings = Object.entries(pooled ?? {}).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
    this.begin = pooled && ['BEGIN', ...settings].join('; ')
    // The pool replaces a broken connection, and its statement reports the error. Without a listener, a
    // connection that breaks while it is checked out would end the process.
    this.on('error', () => {})
    this.connection.on('backendKeyData', (key: BackendKey) => {
      this.key = key
    })
    this.connection.on('readyForQuery', () => {
      this.unanswered = Math.max(0, this.unanswered - 1)
    })
  }

  /** True while the server owes the end of a statement. */
  get isWaiting(): boolean {
    return this.unanswered > 0
  }

  override query<Result>(statement: Statement | Submittable, ...rest: unknown[]): Result {
    if (typeof statement === 'object' && 'submit' in statement) return this.send(statement)
    const done = rest.find((each): each is Done => typeof each === 'function')
    const values = rest.find(Array.isArray)
    const text = typeof statement === 'string' ? statement : statement.text
    const result = this.measured(text, () => this.run(statement, text, values))
    if (done) result.then((value) => done(undefined, value), done)
    return (done ? undefined : result) as Result
  }

  /** Returns the rows of the last statement as text. The others precede it in its transaction. */
  readAsText(statements: readonly TextStatement[]): Promise<TextRow[]> {
    return this.measured(statements.at(-1)?.text ?? '', async () => {
      if (this.begin === undefined) return this.submitted(statements)
      const queries = statements.map(({ values, ...query }) => ({ ...query, values: [...values], ...asText }))
      const results = await this.inTransaction(this.begin, queries)
      return results.at(-1)?.rows ?? []
    })
  }

  private measured<Result>(text: string, run: () => Promise<Result>): Promise<Result> {
    return observed({ kind: 'statement', name: statementName(text), of: this.pool }, run)
  }

  private submitted(statements: readonly TextStatement[]): Promise<TextRow[]> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null, rows: TextRow[] = []) => (error ? reject(error) : resolve(rows))
      this.send(new TextQuery(statements, this, settle))
    })
  }

  private async run(statement: Statement, text: string, values: unknown[] | undefined): Promise<unknown> {
    if (this.begin === undefined || this.getTransactionStatus() !== 'I') return this.send(statement, values)
    if (text === 'BEGIN') return this.send(this.begin)
    const query = typeof statement === 'string' ? { text: statement } : statement
    const [result] = await this.inTransaction(this.begin, [{ ...query, ...(values && { values }) }])
    return result
  }

  private async inTransaction(begin: string, queries: readonly QueryConfig[]): Promise<QueryArrayResult[]> {
    const sent = [begin, ...queries, 'COMMIT'].map((query) => this.send<Promise<QueryArrayResult>>(query))
    // The connection is free when the server has ended the transaction, also after an error.
    await Promise.allSettled(sent)
    return (await Promise.all(sent)).slice(1, -1)
  }

  /** Sends a query as node-postgres does. */
  private send<Result>(query: unknown, values?: unknown[]): Result {
    this.unanswered++
    const send = super.query.bind(this) as (query: unknown, values?: unknown[]) => Result
    return send(query, values)
  }
}

/** Options of node-postgres for rows as `TextQuery` returns them. */
const asText = { rowMode: 'array', types: { getTypeParser: () => (text: string) => text } } as const
