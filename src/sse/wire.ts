import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GraphQLError } from 'graphql'
import { type Response, type ResponseBody, TOKEN_HEADER_KEY, TOKEN_QUERY_KEY } from 'graphql-sse'
import { type Ending, Refusal } from '../domain/errors/error.ts'
import { checkNesting } from '../execution/documents/variables.ts'
import { refusalHeaders } from '../execution/http/error-response.ts'
import { maxGraphqlBytes } from '../execution/http/handler.ts'
import type { GraphqlParams } from '../execution/operation.ts'
import { refusalError, requestStatus } from '../graphql/errors.ts'
import { checkBodyType, readBody } from '../http/body.ts'
import { type StreamMeter, send } from '../http/event-stream.ts'
import type { HttpResponse } from '../http/response.ts'
import type { StreamChannel } from './channel.ts'
import { farewell, greeting } from './frames.ts'
import type { Exchange, Operations } from './operations.ts'

/** No HEAD: a stream has no headers without its events. */
export const streamMethods = 'GET, POST, PUT, DELETE, OPTIONS'

type EventStream = AsyncGenerator<string, void, undefined>

export function isStream(body: ResponseBody | null): body is EventStream {
  return body !== null && typeof body !== 'string'
}

/** @throws Refusal for a method that is not allowed, and for a body that is too large or no JSON object */
export async function readParams(req: IncomingMessage): Promise<Record<string, unknown> | null> {
  if (req.method === 'GET' || req.method === 'PUT' || req.method === 'DELETE') return null
  if (req.method !== 'POST') throw new Refusal('MethodNotAllowed', 'use GET, POST, PUT or DELETE')
  checkBodyType(req.headers)
  const text = await readBody(req, maxGraphqlBytes)
  const body = parseJson(text)
  if (typeof body === 'object' && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>
  throw new Refusal('InvalidQuery', 'the body must be a JSON object with a query')
}

function parseJson(text: string): unknown {
  checkNesting(text)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const searchOf = (url = '/') => new URL(url, 'http://localhost/').searchParams

/** Parameters in an address. */
export function paramsOf(url: string | undefined): GraphqlParams {
  const search = searchOf(url)
  const variables = parseJson(search.get('variables') ?? '')
  const name = search.get('operationName')
  return { query: search.get('query'), operationName: name === 'null' ? null : name, variables }
}

export function toRequest(
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

const givenToken = ({ headers, url }: IncomingMessage) =>
  headers[TOKEN_HEADER_KEY] ?? searchOf(url).get(TOKEN_QUERY_KEY)

export const givesToken = (req: IncomingMessage): boolean => givenToken(req) !== null

/** Tokens are UUIDs that the handler created; null for anything else. */
export function tokenOf(req: IncomingMessage): string | null {
  const token = givenToken(req)
  return typeof token === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(token) ? token : null
}

/** A stream of graphql-sse that is written. */
export interface OpenStream {
  /** Ends it with its reason. */
  close(reason: Exclude<Ending['reason'], 'GAP'>): void
  destroy(): void
  /** Resolves when the connection has ended. */
  written: Promise<void>
}

/**
 * Writes events until the stream or the connection ends. The next one is taken when the last one has left the
 * process. The connection of a client that reads nothing for `stalledMs` is closed with a reason.
 */
export function openStream(
  events: EventStream,
  res: ServerResponse,
  channel: StreamChannel,
  { stalledMs, meter }: { stalledMs: number; meter: StreamMeter },
): OpenStream {
  let reason: Parameters<OpenStream['close']>[0] | undefined
  const end = () => void events.return()

  function close(why: typeof reason): void {
    if (reason || !why) return
    reason = why
    meter.ended(why)
    // Must precede the end of the operations: afterwards none is running.
    if (why === 'SHUTTING_DOWN') res.write(farewell())
    res.write(channel.endings(why))
    res.end()
    end()
  }

  function stall(): void {
    close('SLOW_CONSUMER')
    setTimeout(() => res.destroy(), stalledMs).unref()
  }

  async function write(): Promise<void> {
    meter.open++
    res.once('close', end)
    if (res.destroyed) end()
    res.write(greeting())
    for await (const message of events) {
      if (reason) continue
      const isResult = message.startsWith('event: next')
      if (!(await send(res, isResult ? channel.next() : message, stalledMs, stall))) break
      if (!isResult) continue
      meter.delivered++
      channel.sent()
    }
    res.off('close', end)
    meter.open--
    res.end()
  }

  return { close, destroy: () => void res.destroy(), written: write() }
}

export const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache',
  'X-Accel-Buffering': 'no',
  Vary: 'Accept-Encoding, Accept',
}

/** A response that is no stream. Errors of graphql-sse itself get a code. */
export function toHttpResponse([body, { status, headers }]: Response): HttpResponse {
  if (status < 400) return { status, headers: { ...headers }, body: typeof body === 'string' ? body : '' }
  if (typeof body !== 'string') {
    const error = refusalError(
      statusRefusals[status] ?? new Refusal('InvalidQuery', 'the request is malformed'),
    )
    return { status, headers: { ...headers, ...json }, body: JSON.stringify({ errors: [error] }) }
  }
  const { errors } = JSON.parse(body) as { errors: GraphQLError[] }
  const coded = errors.map((error) =>
    error.extensions
      ? error
      : refusalError(new Refusal(status === 405 ? 'MethodNotAllowed' : 'InvalidQuery', error.message)),
  )
  return { status, headers: { ...headers }, body: JSON.stringify({ errors: coded }) }
}

const json = { 'content-type': 'application/json; charset=utf-8' }

export const streamAdvice =
  'send Accept: text/event-stream for a stream, or PUT first for one that many operations share'

/** Refusals for statuses that graphql-sse answers without a body. */
const statusRefusals: Partial<Record<number, Refusal>> = {
  404: new Refusal('NotFound', `there is no such stream: ${streamAdvice}`),
  406: new Refusal('NotAcceptable', `this path streams: ${streamAdvice}`),
  415: new Refusal('UnsupportedMediaType', 'the body must be declared as Content-Type: application/json'),
}

/** Refuses as graphql-sse does for its own streams. */
export function keptResponse(kept: 'open' | 'used' | undefined): Response {
  const message =
    kept === 'used'
      ? 'Stream has operations already: open it before them, or at the process that took its PUT'
      : 'Stream already open'
  return [JSON.stringify({ errors: [{ message }] }), { status: 409, statusText: 'Conflict', headers: json }]
}

export function refusalResponse(error: GraphQLError): Response {
  const status = requestStatus(error)
  const headers = {
    ...json,
    ...(status === 405 && { allow: streamMethods }),
    ...refusalHeaders(status, error.extensions),
  }
  return [JSON.stringify({ errors: [error] }), { status, statusText: '', headers }]
}
