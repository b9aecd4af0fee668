import type { PrismaPg } from '@prisma/adapter-pg'
import { Outage } from '../../domain/errors/error.ts'

/** Kinds of driver adapter errors when the database did not answer, as opposed to answering with an error. */
const unreachableKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
])

/**
 * Connection lost (08), not let in (28), out of resources (53), shutting down or starting up (57P), statement
 * timeout (57014), or a server that does not take writes (25006), as after a switch-over.
 */
const unreachableCodes = /^(08|28|53|57P|57014|25006)/

const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'EPIPE', 'EHOSTUNREACH'])

/** The driver's messages for errors without a code. */
const unreachablePatterns =
  /Connection terminated|timeout exceeded|not queryable|read timeout|connection error/i

/** Turns errors that mean "unavailable at the moment" into an Outage, for every statement of the adapter. */
export function reportOutages(factory: PrismaPg): PrismaPg {
  const connect = factory.connect.bind(factory)
  factory.connect = async () => reportingOutages(await connect())
  return factory
}

export function asOutage(error: unknown): unknown {
  return isOutage(error) ? new Outage('the database', error) : error
}

function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // Prisma: an interactive transaction timed out at its beginning or end.
  if ('code' in error && error.code === 'P2028') return true
  const cause = error.cause as { kind?: string; code?: string } | undefined
  if (error.name !== 'DriverAdapterError') {
    const code = 'code' in error ? String(error.code) : ''
    return unreachableCodes.test(code) || socketCodes.has(code) || unreachablePatterns.test(error.message)
  }
  return unreachableKinds.has(cause?.kind ?? '') || unreachableCodes.test(cause?.code ?? '')
}

/** A proxy whose methods reject with an Outage where it applies, also in transactions that it starts. */
function reportingOutages<T extends object>(target: T): T {
  return new Proxy(target, {
    get(inner, key) {
      const member: unknown = Reflect.get(inner, key)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const result: unknown = member.apply(inner, args)
        if (!(result instanceof Promise)) return result
        return result.then(
          (value) => (key === 'startTransaction' ? reportingOutages(value as object) : value),
          (error: unknown) => {
            throw asOutage(error)
          },
        )
      }
    },
  })
}
