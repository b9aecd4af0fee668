import { type ClientConfig, Pool, type PoolClient } from 'pg'
import { Outage } from '../../../domain/errors/error.ts'
import { observed } from '../../../outside/telemetry/work.ts'
import { type Connected, ServiceClient } from './client.ts'
import type { Access } from './pooler.ts'
import { answers } from './server.ts'
import { type SessionSettings, silenceTimeoutMs } from './session.ts'

/** State of a pool's connections now. */
export interface PoolReport {
  name: string
  /** Open connections, at most `max`. */
  open: number
  idle: number
  max: number
  /** Statements and transactions that wait for a connection. */
  waiting: number
}

interface PoolOptions {
  /** Name in metrics. */
  name: string
  url: string
  access: Access
  max: number
  settings: SessionSettings
  /** Longest wait for a connection. */
  waitMs: number
  /** Called when the server refuses to write. */
  onReadOnly(): void
}

type Done = Parameters<Pool['connect']>[0]

/** Code `read_only_sql_transaction`. */
const readOnlyCode = '25006'
/** Silence of a statement after which another connection checks its server. */
const silentMs = 250

/**
 * A pool of connections that are opened when they are needed, and closed after ten idle seconds. A failure to
 * connect is an Outage, whatever the server's reason is.
 *
 * A caller gets the connection that is free first. node-postgres would bind the caller to the connection
 * opened for that caller, although another connection is mostly released long before: opening takes several
 * round trips, and the server a new process.
 */
export class StatementPool extends Pool {
  readonly name: string
  private readonly waitMs: number
  /** Callers for which a connection is being opened, oldest first. */
  private readonly opening = new Set<() => void>()
  private renewedAt = Number.NEGATIVE_INFINITY
  /** Checked-out connections, the bytes that each has received, and the time since which it waits. */
  private readonly used = new Map<Connected, { bytes: number; since: number }>()
  private silenceTimer: NodeJS.Timeout | undefined
  private isChecking = false

  constructor({ name, url, access, max, settings, waitMs, onReadOnly }: PoolOptions) {
    const pooled = access.isPooled ? settings : undefined
    const options = Object.entries(settings).map(([key, value]) => `-c ${key}=${value}`)
    super({
      connectionString: url,
      max,
      connectionTimeoutMillis: waitMs,
      query_timeout: silenceTimeoutMs,
      ...(!pooled && { options: options.join(' ') }),
      Client: class extends ServiceClient {
        constructor(config?: ClientConfig) {
          super(config, name, pooled)
          this.connection.on('errorMessage', ({ code }: { code?: string }) => {
            if (code === readOnlyCode) onReadOnly()
          })
        }
      },
    })
    this.name = name
    this.waitMs = waitMs
    this.on('error', () => {})
    this.on('acquire', (client) => this.watch(client as Connected))
    this.on('release', (_error, client) => this.onReleased(client as Connected))
  }

  override connect(): Promise<Connected>
  override connect(done: Done): void
  override connect(done?: Done): Promise<Connected> | undefined {
    const connected = observed({ kind: 'statement', name: 'connect', of: this.name }, () => this.checkOut())
    if (!done) return connected
    connected.then(
      (client) => done(undefined, client, client.release),
      (fault) => done(fault, undefined, () => {}),
    )
    return undefined
  }

  report(): PoolReport {
    const { name, totalCount: open, idleCount: idle, waitingCount: waiting, options } = this
    return { name, open, idle, waiting, max: options.max }
  }

  /** Replaces each connection when its statement has ended: their server has changed its role. */
  renew(): void {
    this.renewedAt = performance.now()
    this.checkOutIdle((client) => client.release())
  }

  private checkOut(): Promise<Connected> {
    const { idleCount, totalCount, options } = this
    const open = idleCount > 0 || totalCount >= options.max ? this.checkOutNext() : this.openOrWait()
    return open.catch((fault: unknown): never => {
      throw new Outage('the database', fault)
    })
  }

  /** Checks out a connection as node-postgres does. */
  private checkOutNext(): Promise<Connected> {
    return super.connect() as Promise<PoolClient> as Promise<Connected>
  }

  private openOrWait(): Promise<Connected> {
    return new Promise((resolve, reject) => {
      let isServed = false
      const serve = () => {
        isServed = true
        this.opening.delete(serve)
        this.checkOutNext().then(resolve, reject)
      }
      this.opening.add(serve)
      this.checkOutNext().then(
        (client) => {
          this.opening.delete(serve)
          if (isServed) client.release()
          else resolve(client)
        },
        (fault) => {
          this.opening.delete(serve)
          if (!isServed) reject(fault)
        },
      )
    })
  }

  private onReleased(client: Connected): void {
    this.used.delete(client)
    // The pool removes a connection that has ended.
    if (client.openedAt < this.renewedAt) client.end().catch(() => {})
    // The connection is idle only after this event, unless the queue of the pool has given it away.
    queueMicrotask(() => {
      const [serve] = this.opening
      if (serve && this.idleCount > 0 && this.waitingCount === 0) serve()
    })
  }

  private checkOutIdle(use: (client: Connected) => void): void {
    for (let idle = this.idleCount; idle > 0; idle--) this.checkOutNext().then(use, () => {})
  }

  /**
   * Watches for a server that hangs. A statement may take long, and looks the same: when one is silent,
   * another connection asks the server for an answer. Without one in `waitMs`, the pool closes silent and
   * idle connections.
   */
  private watch(client: Connected): void {
    this.used.set(client, { bytes: bytesReceived(client), since: performance.now() })
    this.silenceTimer ??= setInterval(() => void this.checkSilent(), silentMs).unref()
  }

  private silent(): Connected[] {
    const now = performance.now()
    return [...this.used].flatMap(([client, wait]) => {
      const bytes = bytesReceived(client)
      if (!client.isWaiting || bytes !== wait.bytes) {
        this.used.set(client, { bytes, since: now })
        return []
      }
      return now - wait.since >= silentMs ? [client] : []
    })
  }

  private async checkSilent(): Promise<void> {
    if (this.used.size === 0) {
      clearInterval(this.silenceTimer)
      this.silenceTimer = undefined
      return
    }
    const [first] = this.silent()
    if (!first || this.isChecking) return
    this.isChecking = true
    const isAlive = await answers(first, this.waitMs)
    this.isChecking = false
    if (isAlive) return
    for (const { connection } of this.silent())
      connection.stream.destroy(new Error('timeout exceeded: the server is silent'))
    this.checkOutIdle((client) => client.release(true))
  }
}

function bytesReceived({ connection }: ServiceClient): number {
  return 'bytesRead' in connection.stream ? Number(connection.stream.bytesRead) : 0
}

/** Fails with the name of the database, which the driver's errors lack ("timeout expired"). @throws */
export function failToConnect(fault: Error & { code?: string }, what = 'the database'): never {
  throw new Error(`${what} does not answer: ${fault.message || fault.code}`, { cause: fault })
}
