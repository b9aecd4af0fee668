import { LRUCache } from 'lru-cache'
import type { Client, Pool, PoolClient } from 'pg'
import { observed } from '../../../outside/telemetry/work.ts'

/** Bounds the statement texts: clients compose them by their selections. */
const maxTexts = 2_000
/** Bounds the names: each is a label of metrics. */
const maxNames = 200

const statementNames = new LRUCache<string, string>({ max: maxTexts })
const distinct = new Set<string>()

/** The verb and first table of a statement, such as `select orders`. */
export function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const found = nameOf(text)
  const name = distinct.has(found) || distinct.size < maxNames ? found : 'other'
  distinct.add(name)
  statementNames.set(text, name)
  return name
}

/** The verbs in order of precedence: a statement that both reads and writes is named by its write. */
const verbs: readonly (readonly [verb: string, pattern: RegExp])[] = [
  ['insert', /\bINSERT INTO (?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
  ['delete', /\bDELETE FROM (?:ONLY )?(?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
  ['update', /(?<!\b(?:FOR|DO) )\bUPDATE (?:ONLY )?(?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
  ['select', /(?<!\bDISTINCT )\bFROM (?:ONLY )?(?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
]
const others = /^\s*(BEGIN|COMMIT|ROLLBACK|SELECT|SET|LOCK)\b/i

function nameOf(text: string): string {
  const flat = text.replace(/\s+/g, ' ')
  for (const [verb, pattern] of verbs) {
    const [, subject] = pattern.exec(flat) ?? []
    if (subject) return `${verb} ${subject}`
  }
  return others.exec(text)?.[1]?.toLowerCase() ?? 'other'
}

/** The connections of one kind. */
export interface PoolReport {
  name: string
  /** Open connections, up to `most`. */
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

/** Observes statements submitted as objects, which have callbacks of their own. */
export function observedStatement<T>(pool: Pool, text: string, run: () => Promise<T>): Promise<T> {
  return observed({ kind: 'statement', name: statementName(text), of: names.get(pool) ?? '' }, run)
}

/** Connections that measure the statements of Prisma and of transactions. */
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
