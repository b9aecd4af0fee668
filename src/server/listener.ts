import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { yieldRound } from '../concurrency/event-loop.ts'
import { createPipelines, createResponseDeadline, type ResponseTimes } from '../http/connections.ts'
import { answerMalformed, refuseTunnel } from './malformed.ts'
import { createRequestHandler, type Serving } from './request.ts'

/** How long a request may take to arrive, and its answer to be taken. */
export interface RequestTimes extends ResponseTimes {
  headersMs: number
  /** For the whole request, including its body. */
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

export interface ListenerOptions extends Omit<Serving, 'onEnd' | 'isLast' | 'limitAnswer'> {
  /** Called for each answer that its client did not take in time. */
  onCut: () => void
  times?: Partial<RequestTimes> | undefined
  /** How long `close` waits for responses in progress. */
  drainMs?: number | undefined
}

export interface Listener {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /** From now on responses ask clients to close their connections: these would not come to another process otherwise. */
  drain(): void
  /**
   * Takes no more requests, and waits for responses in progress.
   * @param onLate called when they exceed `drainMs` and their connections are closed
   */
  close(onLate: () => void): Promise<void>
}

const defaultDrainMs = 5_000
/** Connections that wait to be accepted. Node's 511 are too few when thousands come back at once: others wait for seconds then. */
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
  /** The latest response of each connection. */
  const responses = new WeakMap<Duplex, ServerResponse>()
  // A pipelined request that follows would stay without an answer.
  const isLast: Serving['isLast'] = (req, res) => draining && responses.get(req.socket) === res
  const limitAnswer = createResponseDeadline(times, onCut)
  const handle = createRequestHandler({ ...serving, onEnd, isLast, limitAnswer })
  const server = openServer(times, { ...serving, handle, responses, limitAnswer })
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
      const timer = setTimeout(() => {
        onLate()
        server.closeAllConnections()
      }, drainMs)
      await closed
      clearTimeout(timer)
    },
  }
}

type Handle = ReturnType<typeof createRequestHandler>

interface Connecting extends Pick<Serving, 'newRequestId' | 'limitAnswer'> {
  handle: Handle
  responses: WeakMap<Duplex, ServerResponse>
}

/** Node's server, with handlers for requests, expectations, CONNECT and bytes that are no HTTP. */
function openServer(
  times: RequestTimes,
  { newRequestId, limitAnswer, handle, responses }: Connecting,
): Server {
  const pipeline = createPipelines()
  const handleLatest: Handle = (req, res) => {
    responses.set(req.socket, res)
    pipeline(req.socket, res)
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
    // `100 Continue` is sent when a handler begins to read: a client never sends a body that is refused first.
    req.once('resume', () => {
      if (!res.headersSent) res.writeContinue()
    })
    handleLatest(req, res)
  })
  // One is accepted in a round of the event loop: when thousands come, a short round is a short wait for the last of them.
  server.on('connection', yieldRound)
  // Unknown expectations are ignored.
  server.on('checkExpectation', handleLatest)
  server.on('connect', (_req, socket) => refuseTunnel(socket, newRequestId(), limitAnswer))
  server.on('clientError', (error, socket) =>
    answerMalformed(error, socket, responses.get(socket), newRequestId(), limitAnswer),
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
