import type { PrismaPg } from '@prisma/adapter-pg'
import { Outage } from '../../domain/errors/error.ts'

/** What the driver adapter says when the database could not be asked, as opposed to: it answered, and the answer is an error. */
const unreachable = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
])

/** Connection lost (08), resources used up (53), shut down or starting up (57P), or over the statement's time (57014). */
const unreachableCodes = /^(08|53|57P|57014)/

const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE', 'EHOSTUNREACH'])

/** The driver's own words where it has no code. */
const unreachablePatterns =
  /Connection terminated|timeout exceeded|not queryable|read timeout|connection error/i

/** Turns what means "not there for the moment" into an Outage. Wrapped around the adapter, every statement goes through it. */
export function reportOutages(factory: PrismaPg): PrismaPg {
  const connect = factory.connect.bind(factory)
  factory.connect = async () => guarded(await connect())
  return factory
}

export function asOutage(error: unknown): unknown {
  return isOutage(error) ? new Outage('the database', error) : error
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // An interactive transaction that could not begin or end in its time.
  if ('code' in error && error.code === 'P2028') return true
  const cause = error.cause as { kind?: string; code?: string } | undefined
  if (error.name !== 'DriverAdapterError') {
    const code = 'code' in error ? String(error.code) : ''
    return unreachableCodes.test(code) || socketCodes.has(code) || unreachablePatterns.test(error.message)
  }
  return unreachable.has(cause?.kind ?? '') || unreachableCodes.test(cause?.code ?? '')
}

/** The object with every method's rejection translated; a transaction that it opens is guarded too. */
function guarded<T extends object>(target: T): T {
  return new Proxy(target, {
    get(inner, key) {
      const member: unknown = Reflect.get(inner, key)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        const result: unknown = member.apply(inner, given)
        if (!(result instanceof Promise)) return result
        return result.then(
          (value) => (key === 'startTransaction' ? guarded(value as object) : value),
          (error: unknown) => {
            throw asOutage(error)
          },
        )
      }
    },
  })
}
