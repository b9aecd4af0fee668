import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ResponseDeadline } from '../http/connections.ts'
import { commonHeaders } from '../http/response-headers.ts'
import { type Fault, toErrorBody } from '../rest/errors.ts'

const statuses: Partial<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * Answers bytes that are no HTTP request, then closes the connection.
 * @param last the response to the previous request on this connection
 */
export function answerMalformed(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  last: ServerResponse | undefined,
  requestId: string,
  limit: ResponseDeadline,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  if (last && !last.writableFinished && last.req.complete) {
    // Pipelined: the previous response has to go out first.
    socket.pause()
    last.once('close', () => answerMalformed(error, socket, undefined, requestId, limit))
    return
  }
  // The fault is in the body of a request whose response has begun.
  if (last && !last.req.complete && last.headersSent) return void socket.destroy()
  const status = statuses[error.code ?? ''] ?? 400
  const message = `${STATUS_CODES[status]}: the request is no HTTP that is served here`
  respondAndClose(socket, status, { code: 'InvalidParameter', message }, requestId, limit)
}

/** CONNECT: Node gives no response object for it. */
export function refuseTunnel(socket: Duplex, requestId: string, limit: ResponseDeadline): void {
  respondAndClose(socket, 405, { code: 'MethodNotAllowed', message: 'this is no proxy' }, requestId, limit)
}

/** Writes the response to the socket itself: there is no ServerResponse. Then closes the connection. */
function respondAndClose(
  socket: Duplex,
  status: number,
  fault: Fault,
  requestId: string,
  limit: ResponseDeadline,
): void {
  const body = JSON.stringify(toErrorBody('orderBook', fault))
  const headers = [
    ...commonHeaders(undefined, requestId),
    ...['Content-Type', 'application/json'],
    ...['Cache-Control', 'no-store'],
    ...['Content-Length', String(Buffer.byteLength(body))],
    ...['Date', new Date().toUTCString()],
    ...['Connection', 'close'],
    // 405 requires the header; no method is allowed here.
    ...(status === 405 ? ['Allow', ''] : []),
  ]
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let index = 0; index < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`
  socket.end(`${head}\r\n${body}`)
  limit.closing(socket)
}
