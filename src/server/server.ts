import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type Server as HttpServer, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createDoor } from '../graphql/door/execute.ts'
import type { IdempotencyTimes } from '../graphql/door/idempotency.ts'
import { createRateLimits, type RatesPerSecond } from '../graphql/door/rate-limits.ts'
import type { IsTrusted } from '../http/client-address.ts'
import { createDoors, type DoorOptions } from './doors.ts'
import { answerMalformed, refuseTunnel } from './malformed.ts'
import { createMetrics } from './metrics.ts'
import { createRequestHandler } from './request.ts'

export interface ServerOptions extends DoorOptions {
  newRequestId?: () => string
  /** None when left out. */
  rateLimits?: RatesPerSecond
  /** Whose word about a client's address counts; nobody's when left out. */
  isTrustedProxy?: IsTrusted
  idempotencyTimes?: Partial<IdempotencyTimes>
  requestTimes?: Partial<RequestTimes>
  /** Measures of the process itself beside those of requests. */
  processMetrics?: boolean
}

/** How long a request may take to arrive. */
interface RequestTimes {
  headersMs: number
  /** All of it, however slowly its body comes. */
  wholeMs: number
  /** How often it is looked for those that took longer. */
  checkMs: number
}

const usualTimes: RequestTimes = { headersMs: 10_000, wholeMs: 30_000, checkMs: 5_000 }

export interface Server {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /** Takes no more requests, ends streams, and waits for answers that are under way. */
  close(): Promise<void>
}

const drainMs = 5_000

export function createServer(options: ServerOptions): Server {
  const { log, newRequestId = randomUUID, isTrustedProxy = () => false, rateLimits } = options
  const metrics = createMetrics(options.processMetrics ?? false)
  const door = createDoor(options, {
    ...(rateLimits && { limits: createRateLimits(rateLimits, options.now) }),
    onLimited: metrics.countLimited,
    times: options.idempotencyTimes ?? {},
  })
  const doors = createDoors(door, options, metrics)
  let closing = false
  const onEnd = () => {
    // Its connection is idle only after this.
    if (closing) setImmediate(() => server.closeIdleConnections())
  }
  const handle = createRequestHandler({ door, doors, metrics, newRequestId, isTrustedProxy, onEnd })
  const server = openServer({ ...usualTimes, ...options.requestTimes }, newRequestId, handle)

  return {
    listen: (port, host) => listenAt(server, port, host),
    async close() {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      doors.close()
      server.closeIdleConnections()
      const timer = setTimeout(() => {
        log.warn('server: answers are still under way, closing anyway')
        server.closeAllConnections()
      }, drainMs)
      await closed
      clearTimeout(timer)
    },
  }
}

type Handle = ReturnType<typeof createRequestHandler>

/** Node's server, with everything that may come over a connection led to who answers it. */
function openServer(times: RequestTimes, newRequestId: () => string, handle: Handle): HttpServer {
  /** The newest on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()
  const handleNewest: Handle = (req, res) => {
    answers.set(req.socket, res)
    handle(req, res)
  }
  const server = createHttpServer(
    {
      headersTimeout: times.headersMs,
      requestTimeout: times.wholeMs,
      connectionsCheckingInterval: times.checkMs,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    handleNewest,
  )
  server.on('checkContinue', (req, res) => {
    // Told when somebody begins to read: a body that is refused is never sent.
    req.once('resume', () => {
      if (!res.headersSent) res.writeContinue()
    })
    handleNewest(req, res)
  })
  // Other expectations are none that are known: the request is answered without.
  server.on('checkExpectation', handleNewest)
  server.on('connect', (_req, socket) => refuseTunnel(socket, newRequestId()))
  server.on('clientError', (error, socket) =>
    answerMalformed(error, socket, answers.get(socket), newRequestId()),
  )
  return server
}

/** @returns the address, such as http://127.0.0.1:4000 */
function listenAt(server: HttpServer, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      const actual = typeof address === 'object' && address ? address.port : port
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`)
    })
  })
}
