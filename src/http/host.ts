import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors/error.ts'

/** The last valid host: most clients send the same one. */
let lastValidHost = 'localhost'

/**
 * Checks the Host header.
 * @throws Refusal if it is malformed, or sent more than once: a proxy may have used the other one
 */
export function checkHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (hasSeveralHosts(rawHeaders))
    throw new Refusal('InvalidParameter', 'only one Host header may be sent', { field: 'Host' })
  const host = headers.host ?? (httpVersion === '1.0' ? 'localhost' : '')
  if (host === lastValidHost) return
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(`http://${host}`)) {
    throw new Refusal('InvalidParameter', 'the Host header must be a host, with a port where there is one', {
      field: 'Host',
    })
  }
  lastValidHost = host
}

function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}
