import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Caller } from './graphql/caller.ts'
import { createDoor } from './graphql/door/execute.ts'
import type { IdempotencyTimes } from './graphql/door/idempotency.ts'
import { createRateLimits, type RatesPerSecond } from './graphql/door/rate-limits.ts'
import { apiKeyOf } from './graphql/operator.ts'
import { clientKey, type IsTrusted } from './http/client-address.ts'
import { commonHeaders, givenRequestId } from './http/common-headers.ts'
import { createDoors, type DoorAnswer, type DoorOptions, tellFault } from './http/doors.ts'
import { answerMalformed, checkHost, discardRest, refuseTunnel } from './http/malformed.ts'
import { createMetrics } from './http/metrics.ts'
import { writeWhole } from './http/write-answer.ts'

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
  /** The newest on each connection. */
  const answers = new WeakMap<Duplex, ServerResponse>()

  let closing = false

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const started = performance.now()
    const requestId = givenRequestId(req.headers['x-request-id']) ?? newRequestId()
    const headers = commonHeaders(req.method, requestId)
    const path = pathOf(req)
    let route = 'unknown'
    answers.set(req.socket, res)
    res.once('close', () => {
      metrics.count(req.method ?? '', route, res.statusCode, performance.now() - started)
      // Its connection is idle only after this.
      if (closing) setImmediate(() => server.closeIdleConnections())
    })
    const write = (answer: DoorAnswer): Promise<void> | undefined => {
      route = answer.route ?? path
      discardRest(req)
      if (!('pour' in answer)) return writeWhole(req, res, headers, answer)
      for (let index = 0; index < headers.length; index += 2)
        res.setHeader(headers[index] ?? '', headers[index + 1] ?? '')
      return answer.pour(res)
    }
    // Every door answers its own faults: what arrives here is the program's, or said before any door was asked.
    const fail = (error: unknown): void => {
      const told = door.mask(error, requestId)
      if (res.headersSent) return void res.destroy()
      try {
        // Whatever could not be written is not written again.
        headers.splice(0, headers.length, ...commonHeaders(req.method, requestId))
        write({ ...tellFault(path, told), route })?.catch(() => res.destroy())
      } catch {
        res.destroy()
      }
    }
    try {
      checkHost(req)
      const answer = doors.at(path)(req, callerOf(req, headers, requestId), () => goneSignal(res))
      if (answer instanceof Promise) answer.then(write).catch(fail)
      else write(answer)?.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  function callerOf({ headers, socket }: IncomingMessage, answered: string[], requestId: string): Caller {
    return {
      requestId,
      client: clientKey(socket.remoteAddress, String(headers['x-forwarded-for'] ?? ''), isTrustedProxy),
      apiKey: apiKeyOf(headers),
      setHeader: (name, value) => void answered.push(name, value),
    }
  }

  const { headersMs, wholeMs, checkMs } = { ...usualTimes, ...options.requestTimes }
  const server = createHttpServer(
    {
      headersTimeout: headersMs,
      requestTimeout: wholeMs,
      connectionsCheckingInterval: checkMs,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    handle,
  )
  server.on('checkContinue', (req, res) => {
    // Told when somebody begins to read: a body that is refused is never sent.
    req.once('resume', () => {
      if (!res.headersSent) res.writeContinue()
    })
    handle(req, res)
  })
  // Other expectations are none that are known: the request is answered without.
  server.on('checkExpectation', handle)
  server.on('connect', (_req, socket) => refuseTunnel(socket, newRequestId()))
  server.on('clientError', (error, socket) =>
    answerMalformed(error, socket, answers.get(socket), newRequestId()),
  )

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          const address = server.address()
          const actual = typeof address === 'object' && address ? address.port : port
          resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`)
        })
      }),
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

/** The path alone. What names a host, as it is sent to a proxy, is made to name its path first. */
function pathOf(req: IncomingMessage): string {
  const { url = '/' } = req
  if (!url.startsWith('/')) req.url = url.replace(/^https?:\/\/[^/?]*\/?|^/i, '/')
  return (req.url ?? '/').split('?', 1)[0] ?? '/'
}

/** Aborts when the client has left. */
function goneSignal(res: ServerResponse): AbortSignal {
  const leaving = new AbortController()
  if (res.destroyed) leaving.abort()
  else res.once('close', () => leaving.abort())
  return leaving.signal
}
