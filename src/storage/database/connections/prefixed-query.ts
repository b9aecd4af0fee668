import { Client, type Connection, Query, type QueryConfig, type Submittable } from 'pg'
import utils from 'pg/lib/utils.js'

type Message = never

/** Members that node-postgres calls on a statement; its types name only `submit`. */
export interface WireQuery extends Submittable {
  name?: string | undefined
  text?: string
  callback?: unknown
  _result?: unknown
  submit(connection: Connection): Error | null
  handleRowDescription(message: Message): void
  handleDataRow(message: Message): void
  handleCommandComplete(message: Message, connection: Connection): void
  handleReadyForQuery(connection: Connection): void
  handleError(error: Error, connection: Connection): void
  handleEmptyQuery(connection: Connection): void
  handlePortalSuspended(connection: Connection): void
}

/** Members of node-postgres' connection that its types leave out. */
type Wire = Connection & { parsedStatements: Record<string, string> }

/** Empty name: planned each time. */
export interface FirstStatement {
  name: string
  text: string
  values: readonly unknown[]
}

/**
 * A statement with another one before it, in one exchange and so in one transaction. Rows of the first are
 * dropped; its error is that of both.
 */
export class PrefixedQuery implements WireQuery {
  private isReached = false

  constructor(
    private readonly first: FirstStatement,
    private readonly second: WireQuery,
  ) {}

  // node-postgres records what the server has parsed under them.
  get name() {
    return this.isReached ? this.second.name : this.first.name
  }
  get text() {
    return (this.isReached ? this.second.text : this.first.text) ?? ''
  }
  // node-postgres wraps it with its timeout.
  get callback() {
    return this.second.callback
  }
  set callback(callback) {
    this.second.callback = callback
  }
  get _result() {
    return this.second._result
  }

  submit(connection: Connection): Error | null {
    const { name, text, values } = this.first
    const { parsedStatements, stream } = connection as Wire
    stream.cork()
    try {
      if (parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true)
      connection.bind({ statement: name, values: values.map(utils.prepareValue) }, true)
      connection.execute(null, true)
      return this.second.submit(connection)
    } finally {
      stream.uncork()
    }
  }

  handleCommandComplete(message: Message, connection: Connection): void {
    if (this.isReached) this.second.handleCommandComplete(message, connection)
    this.isReached = true
  }
  handleDataRow(message: Message): void {
    if (this.isReached) this.second.handleDataRow(message)
  }
  handleRowDescription(message: Message): void {
    this.second.handleRowDescription(message)
  }
  handleReadyForQuery(connection: Connection): void {
    this.second.handleReadyForQuery(connection)
  }
  handleError(error: Error, connection: Connection): void {
    this.second.handleError(error, connection)
  }
  handleEmptyQuery(connection: Connection): void {
    this.second.handleEmptyQuery(connection)
  }
  handlePortalSuspended(connection: Connection): void {
    this.second.handlePortalSuspended(connection)
  }
}

type Callback = (error: Error | null, result?: unknown) => void

/**
 * Connections to a pooler in transaction mode: each transaction brings the settings, and none stays on the
 * server's session.
 */
export function pooledClient(settings: Readonly<Record<string, string>>, prepares: boolean): typeof Client {
  const entries = Object.entries(settings)
  const first: FirstStatement = {
    name: prepares ? 'settings' : '',
    text: `SELECT ${entries.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`,
    values: [],
  }
  const begin = ['BEGIN', ...entries.map(([name, value]) => `SET LOCAL ${name} = '${value}'`)].join('; ')

  class PooledClient extends Client {
    /**
     * The forms that are used here: `query(statement)`, `query(text or config)`, and both with values and a
     * callback.
     */
    override query(given: unknown, values?: unknown, callback?: unknown): never {
      const done = (typeof values === 'function' ? values : callback) as Callback | undefined
      const own = Array.isArray(values) ? values : undefined
      const send = super.query.bind(this) as (...query: unknown[]) => unknown
      const config = typeof given === 'string' ? { text: given } : (given as QueryConfig & Partial<WireQuery>)
      if (this.getTransactionStatus() !== 'I') return send(given, values, callback) as never
      if (config.text === 'BEGIN' && !config.submit) return send({ ...config, text: begin }, done) as never
      if (config.submit) return send(new PrefixedQuery(first, config as WireQuery)) as never
      const run = (settle: Callback) => {
        // Behind the settings a simple query is no part of the same transaction.
        const extended = { ...config, queryMode: 'extended', values: config.values ?? own ?? [] }
        send(new PrefixedQuery(first, new Query(extended, undefined as never, settle as never) as never))
      }
      if (done) return run(done) as never
      return new Promise((resolve, reject) => {
        run((error, result) => (error ? reject(error) : resolve(result)))
      }) as never
    }
  }
  return PooledClient as never
}
