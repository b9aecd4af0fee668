import type { Client, Pool, PoolClient } from 'pg'
import { observed } from '../../../outside/telemetry/work.ts'
import { statementName } from './statement-name.ts'

/** The connections of one kind. */
export interface PoolReport {
  name: string
  /** Open connections, at most `most`. */
  open: number
  idle: number
  most: number
  /** Statements and transactions that wait for a connection now. */
  waiting: number
}

type Done = (error: Error | null | undefined, ...result: unknown[]) => void
type Query = (config: string | { text?: string; submit?: unknown }, ...rest: unknown[]) => unknown

const names = new WeakMap<Pool, string>()

/** Measures each wait for a connection. */
export function measurePool(name: string, pool: Pool): Pool {
  names.set(pool, name)
  const work = { kind: 'statement', name: 'connect', of: name } as const
  const connect = pool.connect.bind(pool) as () => Promise<PoolClient>
  const measured = (done?: Done) => {
    const connected = observed(work, connect)
    if (!done) return connected
    connected.then((client) => done(undefined, client, client.release), done)
    return undefined
  }
  return Object.assign(pool, { connect: measured as Pool['connect'] })
}

export function reportOf(pool: Pool): PoolReport {
  const { totalCount: open, idleCount: idle, waitingCount: waiting, options } = pool
  return { name: names.get(pool) ?? '', open, idle, waiting, most: options.max }
}

/** For statements that are submitted as objects of their own: their callback is theirs. */
export function observedStatement<T>(pool: Pool, text: string, run: () => Promise<T>): Promise<T> {
  return observed({ kind: 'statement', name: statementName(text), of: names.get(pool) ?? '' }, run)
}

/** Connections that measure Prisma's statements, and of those of transactions. */
export function measuredClient(Base: typeof Client, of: string): typeof Client {
  class MeasuredClient extends Base {
    override query(config: string | { text?: string; submit?: unknown }, ...rest: unknown[]): never {
      const send = super.query.bind(this) as Query
      const text = typeof config === 'string' ? config : config.text
      if (text === undefined || (typeof config === 'object' && config.submit))
        return send(config, ...rest) as never
      const work = { kind: 'statement', name: statementName(text), of } as const
      const done = rest.findLast((each) => typeof each === 'function') as Done | undefined
      if (!done) return observed(work, () => send(config, ...rest) as Promise<unknown>) as never
      const values = rest.filter((each) => each !== done)
      observed(work, () => send(config, ...values) as Promise<unknown>).then(
        (result) => done(undefined, result),
        done,
      )
      return undefined as never
    }
  }
  return MeasuredClient as never
}
