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
import { type EventStream, isStream, parseJson, readParams, refused, stream, toHttpResponse } from './wire.ts'

export interface StreamLimits {
  /** Streams that one client address holds. */
  perClient: number
  total: number
  /** Subscriptions on one stream. */
  perStream: number
  /** A reader that takes nothing for this long is cut off. */
  stalledMs: number
  /** On streams of REST a comment is sent this often, so that nobody between takes the connection for dead. */
  keepAliveMs: number
  /** A stream that was announced and not opened for this long is forgotten. */
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
  /** Ends every stream; clients come back elsewhere. */
  close(): void
}

/** GraphQL over SSE, with a connection for each operation or one for all. */
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
    const inUrl = { query: searchParams.get('query'), operationName: searchParams.get('operationName') }
    executor.reserveOperation(
      admission,
      body ?? { ...inUrl, variables: parseJson(searchParams.get('variables') ?? '') },
      Number(req.headers['content-length'] ?? req.url?.length),
    )
    return body
  }

  async function respond(req: IncomingMessage, exchange: Exchange): Promise<Response> {
    try {
      // Ending an operation, or its stream, counts as nothing.
      const admission = req.method === 'DELETE' ? undefined : executor.arrive(exchange.caller)
      const body = admission ? await readReserved(req, admission) : null
      return await operations(toRequest(req.method, req.url, req.headers, body, { ...exchange, admission }))
    } catch (error) {
      return refused(executor.mask(error, exchange.caller.requestId))
    }
  }

  return {
    async handle(req, caller, gone) {
      const announces = req.method === 'PUT'
      const token = announces ? randomUUID() : tokenOf(req)
      const reservation = token === null ? undefined : reservations.get(token)
      const opens = req.headers.accept === 'text/event-stream'
      const release = announces || (opens && !reservation) ? quota.take(caller.client) : () => {}
      if (!release) {
        const refusal = new Refusal('RateLimited', 'too many streams are open')
        return toHttpResponse(refused(executor.mask(refusal)))
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
            // What graphql-sse calls its coding is none; who does not know that word can't read the stream. How long the
            // connection is kept is for the server, which heeds what the client wants.
            const { 'content-encoding': _, connection: __, ...known } = { ...headers }
            res.writeHead(status, { ...known, 'x-accel-buffering': 'no' })
            return stream(body, res, backpressure, limits.stalledMs).finally(end)
          },
        }
      }
      if (announces && token && status === 201) reservations.add(token, { backpressure, release })
      else release()
      return toHttpResponse(response)
    },

    close() {
      reservations.close()
      for (const stream of open) void stream.return()
    },
  }
}

const nobody: Caller = { requestId: '', client: '', apiKey: undefined, setHeader: () => {} }

/** graphql-sse keeps an announced stream for ever: opening and ending it makes it forget. */
async function forget(operations: Operations, token: string): Promise<void> {
  const exchange = {
    caller: nobody,
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

/** Tokens are made here: anything else that calls itself one is none. */
function tokenOf({ headers, url = '/' }: IncomingMessage): string | null {
  const given =
    headers[TOKEN_HEADER_KEY] ?? new URL(url, 'http://localhost/').searchParams.get(TOKEN_QUERY_KEY)
  return typeof given === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(given) ? given : null
}
