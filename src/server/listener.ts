import { createServer, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex, Writable } from 'node:stream'
import { yieldRound } from '../concurrency/event-loop.ts'
import { derivedOnce } from '../domain/derived.ts'
import { commonHeaders } from '../http/response.ts'
import { type Fault, toErrorBody } from '../rest/errors.ts'
import { createRequestHandler, type Serving } from './request.ts'

/** The time limits for clients to receive an answer that their connection does not take at once. */
interface ResponseTimes {
  answerMs: number
  /** The rate at which a longer answer gets more time. */
  answerBytesPerMs: number
}

interface ResponseDeadline {
  /** Limits a complete answer. An answer that has left the process already costs nothing. */
  (res: ServerResponse): void
  /**
   * Limits the data written to a connection that takes no more requests, and the wait for its client to close
   * it.
   */
  closing(socket: Writable): void
}

/**
 * Closes the connections of clients that do not receive their answers, which would otherwise stay in memory
 * forever. The whole answer has a deadline, because a client that takes a byte from time to time never stands
 * still.
 */
function createResponseDeadline(
  { answerMs, answerBytesPerMs }: ResponseTimes,
  onCut: () => void,
): ResponseDeadline {
  const limit = (written: Writable | ServerResponse, bytes: number) => {
    const timer = setTimeout(
      () => {
        if (!written.writableFinished) onCut()
        written.destroy()
      },
      answerMs + bytes / answerBytesPerMs,
    )
    written.once('close', () => clearTimeout(timer))
  }
  const limitAnswer = (res: ServerResponse) => {
    const bytes = res.writableLength
    if (bytes === 0 || res.destroyed) return
    if (res.socket) limit(res, bytes)
    // The answer is pipelined: its time begins with its turn.
    else res.once('socket', () => limit(res, bytes))
  }
  return Object.assign(limitAnswer, {
    closing: (socket: Writable) => limit(socket, socket.writableLength),
  })
}

/** The latest response of a connection. */
const latestOn = derivedOnce((_socket: Duplex): { response?: ServerResponse } => ({}))

/**
 * The responses that wait for their turn on a connection. They are closed with it: Node closes only the
 * response whose turn it is.
 */
const waitingOn = derivedOnce((socket: Duplex) => {
  const waiting = new Set<ServerResponse>()
  socket.once('close', () => {
    for (const res of waiting) {
      res.destroy()
      res.emit('close')
    }
  })
  return waiting
})

const statuses: Partial<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
}

/**
 * Answers bytes that are no HTTP request, then closes the connection.
 * @param last the response to the previous request on this connection
 */
function answerMalformed(
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
function refuseTunnel(socket: Duplex, requestId: string, limit: ResponseDeadline): void {
  respondAndClose(socket, 405, { code: 'MethodNotAllowed', message: 'this is no proxy' }, requestId, limit)
}

/** Writes the response to the socket, since there is no ServerResponse, then closes the connection. */
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
    'Content-Type',
    'application/json',
    'Cache-Control',
    'no-store',
    'Content-Length',
    String(Buffer.byteLength(body)),
    'Date',
    new Date().toUTCString(),
    'Connection',
    'close',
    // 405 requires the header; no method is allowed here.
    ...(status === 405 ? ['Allow', ''] : []),
  ]
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (let index = 0; index < headers.length; index += 2)
    head += `${headers[index]}: ${headers[index + 1]}\r\n`
  socket.end(`${head}\r\n${body}`)
  limit.closing(socket)
}

/** Limits of the arrival of a request, and of the delivery of its response. */
export interface RequestTimes extends ResponseTimes {
  headersMs: number
  /** Limit of the whole request, including its body. */
  requestMs: number
  /** Interval of the check for requests that took longer. */
  checkMs: number
}

const defaultTimes: RequestTimes = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkMs: 5_000,
  answerMs: 10_000,
  answerBytesPerMs: 16,
}

interface ListenerOptions extends Omit<Serving, 'onEnd' | 'isLast' | 'limitAnswer'> {
  /** Called for each response that its client did not take in time. */
  onCut: () => void
  times?: Partial<RequestTimes> | undefined
  /** Time that `close` waits for responses in progress. */
  drainMs?: number | undefined
}

export interface Listener {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /** Makes responses ask clients to close their connections, which would otherwise stay with this process. */
  drain(): void
  /**
   * Takes no more requests, and waits for responses in progress.
   * @param onLate called when they exceed `drainMs` and their connections are closed
   */
  close(onLate: () => void): Promise<void>
}

const defaultDrainMs = 5_000
/** Time for the first byte of a new connection: Node counts none that a client opened ahead as idle. */
const silentDrainMs = 250
/**
 * Limit of connections that wait to be accepted. Node's 511 are too few for thousands of clients that return
 * at once: others would wait for seconds.
 */
const backlog = 4_096

/** Serves requests on one port. */
export function createListener({
  times: givenTimes,
  drainMs = defaultDrainMs,
  onCut,
  ...serving
}: ListenerOptions): Listener {
  const times = { ...defaultTimes, ...givenTimes }
  let draining = false
  let closing = false
  const onEnd = () => {
    // The connection becomes idle only after this event.
    if (closing) setImmediate(() => server.closeIdleConnections())
  }
  // A pipelined request after it would get no response.
  const isLast: Serving['isLast'] = (req, res) => draining && latestOn(req.socket).response === res
  const limitAnswer = createResponseDeadline(times, onCut)
  const handle = createRequestHandler({ ...serving, onEnd, isLast, limitAnswer })
  const server = openServer(times, { ...serving, handle, limitAnswer })
  const connections = new Set<Socket>()
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return {
    listen: (port, host) => listenAt(server, port, host),
    drain() {
      draining = true
    },
    async close(onLate) {
      if (!server.listening) return
      draining = true
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const timers = [
        setTimeout(() => {
          for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
        }, silentDrainMs),
        setTimeout(() => {
          onLate()
          server.closeAllConnections()
        }, drainMs),
      ]
      await closed
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

type Handle = ReturnType<typeof createRequestHandler>

interface Connecting extends Pick<Serving, 'newRequestId'> {
  handle: Handle
  limitAnswer: ResponseDeadline
}

/** Node's server, with handlers for requests, expectations, CONNECT and bytes that are no HTTP. */
function openServer(times: RequestTimes, { newRequestId, limitAnswer, handle }: Connecting): Server {
  const handleLatest: Handle = (req, res) => {
    latestOn(req.socket).response = res
    if (!res.socket) {
      const waiting = waitingOn(req.socket).add(res)
      res.once('socket', () => waiting.delete(res))
    }
    handle(req, res)
  }
  const server = createServer(
    {
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      connectionsCheckingInterval: times.checkMs,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    handleLatest,
  )
  server.on('checkContinue', (req, res) => {
    // `100 Continue` is sent when a handler begins to read: a client never sends the body of a refused
    // request.
    req.once('resume', () => {
      if (!res.headersSent) res.writeContinue()
    })
    handleLatest(req, res)
  })
  // Each round of the event loop accepts one: short rounds keep the wait of thousands short.
  server.on('connection', yieldRound)
  // Unknown expectations are ignored.
  server.on('checkExpectation', handleLatest)
  server.on('connect', (_req, socket) => refuseTunnel(socket, newRequestId(), limitAnswer))
  server.on('clientError', (error, socket) =>
    answerMalformed(error, socket, latestOn(socket).response, newRequestId(), limitAnswer),
  )
  return server
}

/** @returns the address, such as http://127.0.0.1:4000 */
function listenAt(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog }, () => {
      server.off('error', reject)
      const address = server.address()
      const actual = typeof address === 'object' && address ? address.port : port
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`)
    })
  })
}
