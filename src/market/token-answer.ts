import { Outage } from '../domain/errors/error.ts'
import { OutsideFault } from '../outside/fault.ts'

/**
 * What is answered about one token cannot be: an outage of that token alone. Anybody may name tokens, so that
 * this says nothing of the source. In our own words.
 */
export function tokenNonsense(name: string, what: string): Outage {
  return new Outage(name, `talks nonsense: ${what}`)
}

/**
 * Not 200: the source's fault where it refuses our key, else an outage of the token that it was asked about.
 */
export function statusFault(name: string, status: number): Outage {
  const reason = `status ${status}`
  return status === 401 || status === 403 ? new OutsideFault(name, reason) : new Outage(name, reason)
}
