import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors/error.ts'

/** The last one that was right: most clients name the same. */
let knownHost = 'localhost'

/** @throws Refusal for a host that is none, or more than one: proxies may have gone by another */
export function checkHost({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (hasTwoHosts(rawHeaders))
    throw new Refusal('InvalidParameter', 'only one Host header may be sent', { field: 'Host' })
  const host = headers.host ?? (httpVersion === '1.0' ? 'localhost' : '')
  if (host === knownHost) return
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(`http://${host}`)) {
    throw new Refusal('InvalidParameter', 'the Host header must be a host, with a port where there is one', {
      field: 'Host',
    })
  }
  knownHost = host
}

function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}
