import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from './domain/error.ts'

/** The last one that was right: most clients name the same. */
let knownHost = 'localhost'

/** @throws Refusal when the request names a host that is none: URLs are made of it */
export function checkHost({ headers, httpVersion }: IncomingMessage): void {
  const host = headers.host ?? (httpVersion === '1.0' ? 'localhost' : '')
  if (host === knownHost) return
  if (/[\s/\\?#@]/.test(host) || !URL.canParse(`http://${host}`)) {
    throw new Refusal('InvalidParameter', 'the Host header must be a host, with a port where there is one', {
      field: 'Host',
    })
  }
  knownHost = host
}

const statuses: Partial<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/** Answers bytes that are no HTTP request, then hangs up. */
export function answerMalformed(
  { code = '' }: NodeJS.ErrnoException,
  socket: Duplex,
  headers: Readonly<Record<string, string>>,
): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = statuses[code] ?? 400
  const body = JSON.stringify({
    errorType: 'InvalidParameter',
    description: `${STATUS_CODES[status]}: the request is no HTTP that is served here`,
  })
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}
