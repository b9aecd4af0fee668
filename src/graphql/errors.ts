import { GraphQLError, type GraphQLErrorExtensions } from 'graphql'
import { type Ending, Outage, Refusal } from '../domain/errors/error.ts'
import { type RefusalCode, refusalCodes } from '../domain/errors/refusal-codes.ts'
import type { Log } from '../domain/log.ts'
import { type WorkIds, workIds } from '../outside/telemetry/work.ts'

const masked = new WeakSet<GraphQLError>()

/** Outages that were logged: many fields may fail for the same one. */
const logged = new WeakSet<Outage>()

/** graphql-js repeats the client's input in its messages; longer ones are cut. */
const maxMessageLength = 500

/**
 * The error as clients may see it: a refusal as it is, an outage as Unavailable, any other error as
 * InternalServerError, which is logged once. Idempotent, so each layer may call it.
 */
export function maskError(error: unknown, log: Log, requestId?: string): GraphQLError {
  if (error instanceof GraphQLError && masked.has(error)) return error
  const cause = rootCauseOf(error)
  if (cause instanceof Refusal) return refusalError(cause, error)
  if (cause instanceof Outage) {
    if (!logged.has(cause)) log.warn(cause.message, { requestId, cause: describe(cause.cause) })
    logged.add(cause)
    const { message, retryAfterMs } = cause
    const when = retryAfterMs === undefined ? 'later' : `in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s`
    return clientError('Unavailable', `${message}: try again ${when}`, error, {
      ...idsOf(requestId),
      ...(retryAfterMs !== undefined && { data: { retryAfterMs } }),
    })
  }
  if (isRequestError(error)) return requestError(error)
  if (isArgumentError(cause)) return argumentError(cause, error)
  log.error('a request failed', { requestId, cause: describe(cause), path: pathOf(error) })
  return clientError('InternalServerError', 'Internal server error', error, idsOf(requestId))
}

/** The ids by which an operator finds the log entries of a request. */
function idsOf(requestId: string | undefined): WorkIds {
  return { ...workIds(), ...(requestId && { requestId }) }
}

/** An error of parsing or validation. A refusal by a scalar's literal keeps its code. */
export function queryError(
  error: GraphQLError,
  field?: string,
  message: string = error.message,
): GraphQLError {
  if (masked.has(error)) return error
  const cause = rootCauseOf(error)
  return cause instanceof Refusal
    ? refusalError(withField(cause, field), error)
    : clientError('InvalidQuery', truncate(message), error)
}

/** An error of a variable that does not fit its type. */
export function variableError(error: GraphQLError, field: string): GraphQLError {
  const cause = rootCauseOf(error)
  if (cause instanceof Refusal) return refusalError(withField(cause, field), error)
  return refusalError(
    new Refusal('InvalidParameter', cause instanceof Error ? truncate(cause.message) : 'is malformed', {
      field,
    }),
    error,
  )
}

export function refusalError(refusal: Refusal, at?: unknown): GraphQLError {
  return clientError(refusal.code, refusal.message, at, {
    ...(refusal.field && { field: refusal.field }),
    ...(refusal.data && { data: refusal.data }),
    ...refusal.ending,
    ...(refusal.orderBook && { orderBook: refusal.orderBook }),
  })
}

/** Puts the field in front of the message: scalars do not know it. */
function withField(refusal: Refusal, field: string | undefined): Refusal {
  return refusal.field || !field
    ? refusal
    : new Refusal(refusal.code, `${field} ${refusal.message}`, { field })
}

function clientError(
  code: RefusalCode,
  message: string,
  at: unknown,
  details: Partial<Pick<Refusal, 'field' | 'data' | 'orderBook'> & Ending> & WorkIds = {},
): GraphQLError {
  const located = at instanceof GraphQLError ? at : undefined
  const http: unknown = located?.extensions.http
  const extensions: GraphQLErrorExtensions = { code, retryable: refusalCodes[code].retryable, ...details }
  if (http) extensions.http = http
  const error = new GraphQLError(message, {
    nodes: located?.nodes ?? null,
    source: located?.source ?? null,
    positions: located?.positions ?? null,
    path: located?.path ?? null,
    extensions,
  })
  masked.add(error)
  return error
}

/**
 * Drops `http.spec`, which limits a status to one media type: a body that is not JSON has it in every media
 * type.
 */
function requestError(error: GraphQLError): GraphQLError {
  const masked = clientError('InvalidQuery', truncate(error.message), error)
  const { http } = error.extensions as { http?: { status?: number } }
  if (http?.status) masked.extensions.http = { status: http.status }
  return masked
}

/** Raised by a library about the request itself: by graphql-js, or with an HTTP status. */
function isRequestError(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && (error.extensions.http !== undefined || !error.originalError)
}

/** graphql-js sets nodes when a nullable variable brings null to a non-null argument. */
function isArgumentError(cause: unknown): cause is GraphQLError {
  return cause instanceof GraphQLError && cause.nodes !== undefined
}

function argumentError(cause: GraphQLError, at: unknown): GraphQLError {
  const field = /^Argument "(\w+)"/.exec(cause.message)?.[1]
  return clientError('InvalidParameter', truncate(cause.message), at, field ? { field } : {})
}

function truncate(message: string): string {
  return message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message
}

/** An error of a scalar arrives nested in several `originalError`s. */
function rootCauseOf(error: unknown): unknown {
  let cause = error
  while (cause instanceof GraphQLError && cause.originalError) cause = cause.originalError
  return cause
}

function pathOf(error: unknown): string | undefined {
  return error instanceof GraphQLError ? error.path?.join('.') : undefined
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}

/** HTTP statuses of requests that are refused before execution; all other codes are 400. */
const statuses: Partial<Record<string, number>> = {
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  NotFound: 404,
  // Clients expect 200 for an unknown hash, and send the text next.
  PERSISTED_QUERY_NOT_FOUND: 200,
  IdempotencyKeyInUse: 409,
  IdempotencyKeyReused: 422,
  RateLimited: 429,
  InternalServerError: 500,
  Unavailable: 503,
  FeatureDisabled: 503,
}

export function requestStatus({ extensions }: GraphQLError): number {
  return statuses[String(extensions.code)] ?? 400
}

/** Reports whether a retry would get the same status: not for rate limits and server errors. */
export function isFinalStatus(status: number): boolean {
  return status !== 429 && status < 500
}
