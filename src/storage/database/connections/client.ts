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
type Send = (statement: unknown, values?: unknown) => Promise<unknown>

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
    if (typeof statement === 'object' && 'submit' in statement) {
      this.unanswered++
      return super.query(statement) as Result
    }
    const done = rest.find((each): each is Done => typeof each === 'function')
    const values = rest.find(Array.isArray)
    const text = typeof statement === 'string' ? statement : statement.text
    const work = { kind: 'statement', name: statementName(text), of: this.pool } as const
    const result = observed(work, () => this.run(statement, text, values))
    if (done) result.then((value) => done(undefined, value), done)
    return (done ? undefined : result) as Result
  }

  /** Returns the rows of the last statement as text. The others precede it in its transaction. */
  async readAsText(statements: readonly TextStatement[]): Promise<TextRow[]> {
    if (this.begin === undefined) {
      return new Promise((resolve, reject) => {
        const settle = (error: Error | null, rows: TextRow[] = []) => (error ? reject(error) : resolve(rows))
        this.query(new TextQuery(statements, this, settle))
      })
    }
    const queries = statements.map(({ values, ...query }) => ({ ...query, values: [...values], ...asText }))
    const results = await this.inTransaction(this.begin, queries)
    return results.at(-2)?.rows ?? []
  }

  private async run(statement: Statement, text: string, values: unknown[] | undefined): Promise<unknown> {
    if (this.begin === undefined || this.getTransactionStatus() !== 'I' || text === 'BEGIN') {
      const send: Send = super.query.bind(this)
      this.unanswered++
      return send(text === 'BEGIN' && this.begin ? this.begin : statement, values)
    }
    const query = typeof statement === 'string' ? { text: statement } : statement
    const [result] = await this.inTransaction(this.begin, [{ ...query, ...(values && { values }) }])
    return result
  }

  private async inTransaction(begin: string, queries: readonly QueryConfig[]): Promise<QueryArrayResult[]> {
    const send = super.query.bind(this) as (query: unknown) => Promise<QueryArrayResult>
    const all = [begin, ...queries, 'COMMIT']
    this.unanswered += all.length
    // The connection is free when the server has ended the transaction, also after an error.
    const results = await Promise.allSettled(all.map((query) => send(query)))
    return results.slice(1).map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }
}

/** Options of node-postgres for rows as `TextQuery` returns them. */
const asText = { rowMode: 'array', types: { getTypeParser: () => (text: string) => text } } as const
