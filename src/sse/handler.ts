import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Response } from 'graphql-sse'
import { TOKEN_HEADER_KEY, TOKEN_QUERY_KEY } from 'graphql-sse'
import { Refusal } from '../domain/errors/error.ts'
import type { Admission } from '../execution/admission/admission.ts'
import type { Executor } from '../execution/execute.ts'
import type { Caller } from '../http/caller.ts'
import type { RoutedAnswer } from '../http/response.ts'
import { createBackpressure } from './backpressure.ts'
import { createOperations, type Exchange, type Operations } from './operations.ts'
import type { Quota } from './quota.ts'
import { createReservations } from './reservations.ts'
import {
  type EventStream,
  isStream,
  parseJson,
  readParams,
  refusalResponse,
  toHttpResponse,
  writeEvents,
} from './wire.ts'

export interface StreamLimits {
  /** Streams that one client address holds. */
  perClient: number
  total: number
  /** Subscriptions on one stream. */
  perStream: number
  /** The connection of a client that reads nothing for this long is closed. */
  stalledMs: number
  /** Interval of comments on REST streams: proxies close a connection that stays silent. */
  keepAliveMs: number
  /** A reservation that is not opened within this time is dropped. */
  reservedMs: number
}

export const defaultStreamLimits: StreamLimits = {
  perClient: 100,
  total: 10_000,
  perStream: 100,
  stalledMs: 60_000,
  keepAliveMs: 15_000,
  reservedMs: 30_000,
}

interface StreamHandler {
  handle(req: IncomingMessage, caller: Caller, gone: () => AbortSignal): Promise<RoutedAnswer>
  /** Ends every stream; clients reconnect to another process. */
  close(): void
}

/** GraphQL over SSE, with a connection for each operation or one for several. */
export function createStreamHandler(executor: Executor, limits: StreamLimits, quota: Quota): StreamHandler {
  const operations = createOperations(executor)
  const reservations = createReservations(limits.reservedMs, (token) => void forget(operations, token))
  const open = new Set<EventStream>()

  async function readReserved(
    req: IncomingMessage,
    admission: Admission,
  ): Promise<Record<string, unknown> | null> {
    const body = await readParams(req)
    const { searchParams } = new URL(req.url ?? '/', 'http://localhost/')
    const params = { query: searchParams.get('query'), operationName: searchParams.get('operationName') }
    executor.reserveOperation(
      admission,
      body ?? { ...params, variables: parseJson(searchParams.get('variables') ?? '') },
      Number(req.headers['content-length'] ?? req.url?.length),
    )
    return body
  }

  async function respond(req: IncomingMessage, exchange: Exchange): Promise<Response> {
    try {
      // Ending an operation or a stream costs nothing.
      const admission = req.method === 'DELETE' ? undefined : executor.arrive(exchange.caller)
      const body = admission ? await readReserved(req, admission) : null
      return await operations(toRequest(req.method, req.url, req.headers, body, { ...exchange, admission }))
    } catch (error) {
      return refusalResponse(executor.mask(error, exchange.caller.requestId))
    }
  }

  return {
    async handle(req, caller, gone) {
      const reserves = req.method === 'PUT'
      const token = reserves ? randomUUID() : tokenOf(req)
      const reservation = token === null ? undefined : reservations.get(token)
      const opens = req.headers.accept === 'text/event-stream'
      const release = reserves || (opens && !reservation) ? quota.take(caller.client) : () => {}
      if (!release) {
        const refusal = new Refusal('RateLimited', 'too many streams are open')
        return toHttpResponse(refusalResponse(executor.mask(refusal)))
      }

      const backpressure = reservation?.backpressure ?? createBackpressure(limits.perStream)
      const exchange = { caller, admission: undefined, backpressure, token, signal: gone() }
      const response = await respond(req, exchange)
      const [body, { status, headers }] = response
      if (isStream(body)) {
        if (reservation && token) reservations.open(token)
        open.add(body)
        const end = () => {
          open.delete(body)
          backpressure.close()
          release()
          if (reservation && token) reservations.end(token)
        }
        return {
          stream(res) {
            // graphql-sse sets `content-encoding: none`, which is no coding: clients may refuse it. The server decides whether
            // the connection is kept alive.
            const { 'content-encoding': _, connection: __, ...kept } = { ...headers }
            res.writeHead(status, { ...kept, 'x-accel-buffering': 'no' })
            return writeEvents(body, res, backpressure, limits.stalledMs).finally(end)
          },
        }
      }
      if (reserves && token && status === 201) reservations.add(token, { backpressure, release })
      else release()
      return toHttpResponse(response)
    },

    close() {
      reservations.close()
      for (const stream of open) void stream.return()
    },
  }
}

const noCaller: Caller = { requestId: '', client: '', apiKey: undefined, setHeader: () => {} }

/** graphql-sse keeps a reserved stream until it ends: this opens and ends it. */
async function forget(operations: Operations, token: string): Promise<void> {
  const exchange = {
    caller: noCaller,
    admission: undefined,
    backpressure: createBackpressure(0),
    token,
    signal: AbortSignal.abort(),
  }
  const [body] = await operations(toRequest('GET', '/', { accept: 'text/event-stream' }, null, exchange))
  if (isStream(body)) await body.return()
}

function toRequest(
  method = 'GET',
  url = '/',
  headers: IncomingMessage['headers'],
  body: Record<string, unknown> | null,
  context: Exchange,
): Parameters<Operations>[0] {
  return {
    method,
    url,
    headers: { get: (name) => [headers[name]].flat().join('\n') },
    body,
    raw: null,
    context,
  }
}

/** Tokens are UUIDs that this handler created; null for anything else. */
function tokenOf({ headers, url = '/' }: IncomingMessage): string | null {
  const token =
    headers[TOKEN_HEADER_KEY] ?? new URL(url, 'http://localhost/').searchParams.get(TOKEN_QUERY_KEY)
  return typeof token === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(token) ? token : null
}
