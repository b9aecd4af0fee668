import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../domain/error.ts'
import { type Fault, toErrorBody } from '../rest/errors.ts'
import { commonHeaders } from './common-headers.ts'

/** The last one that was right: most clients name the same. */
let knownHost = 'localhost'

/** @throws Refusal when the request names a host that is none, or more than one: proxies may have gone by another */
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

const statuses: Partial<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * Answers bytes that are no HTTP request, then hangs up.
 * @param last the answer to what came before on this connection
 */
export function answerMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
  requestId: string,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  if (last && !last.writableFinished && last.req.complete) {
    // Sent ahead: who asked first would take this for the answer.
    socket.pause()
    last.once('close', () => answerMalformed(error, socket, undefined, requestId))
    return
  }
  // In the body of a request that is answered already, or half.
  if (last && !last.req.complete && last.headersSent) return void socket.destroy()
  const status = statuses[error.code ?? ''] ?? 400
  const message = `${STATUS_CODES[status]}: the request is no HTTP that is served here`
  hangUp(socket, status, { code: 'InvalidParameter', message }, requestId)
}

/** CONNECT asks for a tunnel: the server has no answer for it as for other methods. */
export function refuseTunnel(socket: Duplex, requestId: string): void {
  hangUp(socket, 405, { code: 'MethodNotAllowed', message: 'this is no proxy' }, requestId)
}

/** Written by hand: there is no request that an answer could belong to. */
function hangUp(socket: Duplex, status: number, fault: Fault, requestId: string): void {
  const body = JSON.stringify(toErrorBody('orderBook', fault))
  const headers = [
    ...commonHeaders(undefined, requestId),
    ...['Content-Type', 'application/json'],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['Date', new Date().toUTCString()],
    ...['Connection', 'close'],
    // Of no path at all.
    ...(status === 405 ? ['Allow', ''] : []),
  ]
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let index = 0; index < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`
  socket.end(`${head}\r\n${body}`)
}

/** In bytes. */
const mostDiscarded = 1_048_576

/** What is left of a body that nobody wants is read and thrown away, so that its sender comes to read the answer. Not for ever. */
export function discardRest(req: IncomingMessage): void {
  const { headers } = req
  if (req.complete || (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined))
    return
  let left = mostDiscarded
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) req.socket.destroy()
  })
  req.resume()
}
