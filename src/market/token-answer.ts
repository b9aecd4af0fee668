import { Outage } from '../domain/errors/error.ts'
import { OutsideFault } from '../outside/fault.ts'

/**
 * Creates the error for an invalid answer about one token: an outage of that token alone. Clients choose the
 * tokens, so such an answer must not count against the source.
 * @param what our text
 */
export function tokenNonsense(name: string, what: string): Outage {
  return new Outage(name, `sends an invalid answer: ${what}`)
}

/**
 * The error for a status other than 200: a fault of the source if it refuses our key, otherwise an outage of
 * this token alone.
 */
export function statusFault(name: string, status: number): Outage {
  const reason = `status ${status}`
  return status === 401 || status === 403 ? new OutsideFault(name, reason) : new Outage(name, reason)
}
