import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { clientKey, type IsTrusted } from './client-address.ts'
import { refuse, requestStatus } from './graphql/answer.ts'
import type { Caller } from './graphql/caller.ts'
import type { Services } from './graphql/context.ts'
import { createDoor } from './graphql/execute.ts'
import { createGraphqlHandler } from './graphql/http.ts'
import type { IdempotencyTimes, Produced } from './graphql/idempotency.ts'
import { apiKeyOf } from './graphql/operator.ts'
import { createRateLimits, type RatesPerSecond } from './graphql/rate-limits.ts'
import { answerMalformed, checkHost } from './malformed.ts'
import { createMetrics } from './metrics.ts'
import { createRestHandler } from './rest/adapter.ts'
import { accountRoutes, orderBookRoutes } from './rest/routes.ts'
import { createEventStreams } from './rest/stream.ts'
import { createStreamHandler, defaultStreamLimits, type StreamLimits } from './sse/handler.ts'
import { createQuota } from './sse/quota.ts'

const graphqlPath = '/graphql'
const streamPath = '/graphql/stream'

/** One layer writes these on every answer, errors too. No credentials are ever needed. */
const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': [
    'Cache-Control, Content-Type, Idempotency-Key, Last-Event-ID, Accept, Origin, Authorization',
    'X-API-Key, X-Auth-Token, X-AppId, X-GraphQL-Event-Stream-Token, X-Request-Id',
  ].join(', '),
  'Access-Control-Allow-Methods': 'GET, POST, DELETE, OPTIONS, PUT, PATCH, HEAD',
  'Access-Control-Expose-Headers':
    'X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed',
}

const corsPairs = Object.entries(corsHeaders)

export interface ServerOptions extends Services {
  /** State of each thing that answers depend on; true is up. */
  ready(): Promise<Record<string, boolean>>
  newRequestId?: () => string
  streamLimits?: Partial<StreamLimits>
  /** None when left out. */
  rateLimits?: RatesPerSecond
  /** Whose word about a client's address counts; nobody's when left out. */
  isTrustedProxy?: IsTrusted
  idempotencyTimes?: Partial<IdempotencyTimes>
  /** Measures of the process itself beside those of requests. */
  processMetrics?: boolean
}

export interface Server {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /** Takes no more requests, ends streams, and waits for answers that are under way. */
  close(): Promise<void>
}

type Answer = (req: IncomingMessage, res: ServerResponse, caller: Caller) => void | Promise<void>

const drainMs = 5_000

export function createServer(options: ServerOptions): Server {
  const { log, ready, newRequestId = randomUUID, isTrustedProxy = () => false, rateLimits } = options
  const metrics = createMetrics(options.processMetrics ?? false)
  const door = createDoor(options, {
    ...(rateLimits && { limits: createRateLimits(rateLimits, options.now) }),
    onLimited: metrics.countLimited,
    times: options.idempotencyTimes ?? {},
  })
  const graphql = createGraphqlHandler(door, options, streamPath)
  const streamLimits = { ...defaultStreamLimits, ...options.streamLimits }
  // One quota for all streams, whatever they speak.
  const quota = createQuota(streamLimits)
  const streams = createStreamHandler(door, streamLimits, quota)
  const eventStreams = createEventStreams({ ...quota, ...streamLimits })
  const tables = { orderBook: orderBookRoutes, account: accountRoutes }
  const rest = createRestHandler(door, options, tables, eventStreams)

  let closing = false

  const doors = new Map<string, Answer>([
    [graphqlPath, graphql],
    [streamPath, streams.handle],
    ['/health/live', readOnly((_req, res) => sendJson(res, 200, { status: 'up' }))],
    [
      '/health/ready',
      readOnly(async (_req, res) => {
        const states = await ready()
        sendJson(res, Object.values(states).every(Boolean) ? 200 : 503, states)
      }),
    ],
    [
      '/metrics',
      readOnly(async (_req, res) => {
        res.writeHead(200, { 'Content-Type': metrics.contentType }).end(await metrics.text())
      }),
    ],
  ])

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const requestId = newRequestId()
    const caller = callerOf(req, res, requestId)
    res.setHeader('X-Request-Id', requestId)
    for (const [name, value] of corsPairs) res.setHeader(name, value)
    const path = (req.url ?? '/').split('?', 1)[0] ?? '/'
    const started = performance.now()
    const answer = doors.get(path)
    let route = answer ? path : 'unknown'
    res.once('close', () => {
      metrics.count(req.method ?? '', route, res.statusCode, performance.now() - started)
      // Its connection is idle only after this.
      if (closing) setImmediate(() => server.closeIdleConnections())
    })
    try {
      checkHost(req)
      if (req.method === 'OPTIONS') res.writeHead(204).end()
      else if (answer) await answer(req, res, caller)
      else {
        const told = await rest(req, caller, () => goneSignal(res))
        route = told.route
        if ('pour' in told) await told.pour(res)
        else writeWhole(req, res, told)
      }
    } catch (error) {
      // Every door answers its own faults: what arrives here is the program's, or a request for no door.
      const told = door.mask(error, requestId)
      if (res.headersSent) res.destroy()
      else if (path === graphqlPath || path === streamPath) refuse(res, told)
      else sendJson(res, requestStatus(told), { errorType: told.extensions.code, description: told.message })
    }
  }

  function callerOf({ headers, socket }: IncomingMessage, res: ServerResponse, requestId: string): Caller {
    return {
      requestId,
      client: clientKey(socket.remoteAddress, String(headers['x-forwarded-for'] ?? ''), isTrustedProxy),
      apiKey: apiKeyOf(headers),
      setHeader: (name, value) => void res.setHeader(name, value),
    }
  }

  const server = createHttpServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 30_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
      requireHostHeader: false,
    },
    (req, res) => void handle(req, res),
  )
  server.on('clientError', (error, socket) => answerMalformed(error, socket, corsHeaders))

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
      streams.close()
      eventStreams.close()
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

/** Aborts when the client has left. */
function goneSignal(res: ServerResponse): AbortSignal {
  const leaving = new AbortController()
  if (res.destroyed) leaving.abort()
  else res.once('close', () => leaving.abort())
  return leaving.signal
}

function writeWhole(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Produced): void {
  const length = Buffer.byteLength(body)
  res.writeHead(status, { ...headers, 'Content-Length': length })
  // Text of as many bytes as characters is ASCII, which is written as it is: a long list is not held up by encoding it.
  if (req.method === 'HEAD') res.end()
  else res.end(body, length === body.length ? 'latin1' : 'utf8')
}

function readOnly(answer: Answer): Answer {
  return (req, res, caller) => {
    if (req.method === 'GET' || req.method === 'HEAD') return answer(req, res, caller)
    res.setHeader('Allow', 'GET, HEAD')
    sendJson(res, 405, { errorType: 'MethodNotAllowed', description: 'use GET or HEAD' })
  }
}

function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
