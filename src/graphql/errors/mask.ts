import { GraphQLError, type GraphQLErrorExtensions } from 'graphql'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { type RefusalCode, refusalCodes } from '../../domain/errors/refusal-codes.ts'
import type { Log } from '../../domain/log.ts'

const masked = new WeakSet<GraphQLError>()

/** One outage may be what many fields fail for. */
const logged = new WeakSet<Outage>()

/** graphql-js repeats what it was sent; of that nobody needs more. */
const maxCharacters = 500

/**
 * What a client may see of an error: a refusal as it is, an outage as Unavailable, anything else as an
 * internal fault that is logged once. Masking what is masked changes nothing, so every door may do it.
 */
export function maskError(error: unknown, log: Log, requestId?: string): GraphQLError {
  if (error instanceof GraphQLError && masked.has(error)) return error
  const cause = bottomOf(error)
  if (cause instanceof Refusal) return refusalError(cause, error)
  if (cause instanceof Outage) {
    if (!logged.has(cause)) log.warn(cause.message, { requestId, cause: describe(cause.cause) })
    logged.add(cause)
    return clientError('Unavailable', `${cause.message}: try again later`, error)
  }
  if (isAboutRequest(error)) return requestError(error)
  if (isAboutArgument(cause)) return argumentError(cause, error)
  log.error('a request failed', { requestId, cause: describe(cause), path: pathOf(error) })
  return clientError('InternalServerError', 'Internal server error', error)
}

/** A document that does not parse or does not fit the schema; scalars in it are input like any other. */
export function queryError(
  error: GraphQLError,
  field?: string,
  message: string = error.message,
): GraphQLError {
  if (masked.has(error)) return error
  const cause = bottomOf(error)
  return cause instanceof Refusal
    ? refusalError(named(cause, field), error)
    : clientError('InvalidQuery', clipped(message), error)
}

/** A variable that does not fit its type. */
export function variableError(error: GraphQLError, field: string): GraphQLError {
  const cause = bottomOf(error)
  if (cause instanceof Refusal) return refusalError(named(cause, field), error)
  return refusalError(
    new Refusal('InvalidParameter', cause instanceof Error ? clipped(cause.message) : 'is malformed', {
      field,
    }),
    error,
  )
}

export function refusalError(refusal: Refusal, at?: unknown): GraphQLError {
  return clientError(refusal.code, refusal.message, at, {
    ...(refusal.field && { field: refusal.field }),
    ...(refusal.data && { data: refusal.data }),
  })
}

/** Scalars do not know where they stand: the field is put in front of what they say. */
function named(refusal: Refusal, field: string | undefined): Refusal {
  return refusal.field || !field
    ? refusal
    : new Refusal(refusal.code, `${field} ${refusal.message}`, { field })
}

function clientError(
  code: RefusalCode,
  message: string,
  at: unknown,
  more: { field?: string; data?: Record<string, unknown> } = {},
): GraphQLError {
  const place = at instanceof GraphQLError ? at : undefined
  const http: unknown = place?.extensions.http
  const extensions: GraphQLErrorExtensions = { code, retryable: refusalCodes[code].retryable, ...more }
  if (http) extensions.http = http
  const error = new GraphQLError(message, {
    nodes: place?.nodes ?? null,
    source: place?.source ?? null,
    positions: place?.positions ?? null,
    path: place?.path ?? null,
    extensions,
  })
  masked.add(error)
  return error
}

/**
 * Yoga's status may be meant for one media type alone; what never was GraphQL, such as a body that is no
 * JSON, has it in every.
 */
function requestError(error: GraphQLError): GraphQLError {
  const masked = clientError('InvalidQuery', clipped(error.message), error)
  const { http } = error.extensions as { http?: { status?: number } }
  if (http?.status) masked.extensions.http = { status: http.status }
  return masked
}

/**
 * Raised by a library about the request itself: by graphql-js, or with an HTTP status, such as for a body
 * that is no JSON.
 */
function isAboutRequest(error: unknown): error is GraphQLError {
  return error instanceof GraphQLError && (error.extensions.http !== undefined || !error.originalError)
}

/**
 * graphql-js points at the argument itself: a null where a variable's type lets it through and the argument's
 * does not.
 */
function isAboutArgument(cause: unknown): cause is GraphQLError {
  return cause instanceof GraphQLError && cause.nodes !== undefined
}

function argumentError(cause: GraphQLError, at: unknown): GraphQLError {
  const field = /^Argument "(\w+)"/.exec(cause.message)?.[1]
  return clientError('InvalidParameter', clipped(cause.message), at, field ? { field } : {})
}

function clipped(message: string): string {
  return message.length > maxCharacters ? `${message.slice(0, maxCharacters)}…` : message
}

/** An error thrown by a scalar arrives under more than one `originalError`. */
function bottomOf(error: unknown): unknown {
  let bottom = error
  while (bottom instanceof GraphQLError && bottom.originalError) bottom = bottom.originalError
  return bottom
}

function pathOf(error: unknown): string | undefined {
  return error instanceof GraphQLError ? error.path?.join('.') : undefined
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
}
