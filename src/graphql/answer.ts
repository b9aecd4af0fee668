import type { ServerResponse } from 'node:http'
import type { GraphQLError, GraphQLErrorExtensions } from 'graphql'
import { Refusal } from '../domain/error.ts'
import { refusalError } from './errors.ts'

/** Statuses of what is refused before GraphQL is reached; everything else is 400. */
const statuses: Partial<Record<string, number>> = {
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  NotFound: 404,
  // Clients expect 200 for a hash that is not known: they send the text next.
  PERSISTED_QUERY_NOT_FOUND: 200,
  IdempotencyKeyInUse: 409,
  IdempotencyKeyReused: 422,
  RateLimited: 429,
  InternalServerError: 500,
  Unavailable: 503,
}

export function requestStatus({ extensions }: GraphQLError): number {
  return statuses[String(extensions.code)] ?? 400
}

/** Whole seconds after which the same request may succeed, of an answer that says: not now. */
export function retryAfter(status: number, { retryable, data }: GraphQLErrorExtensions): string | undefined {
  if (!retryable || (status !== 409 && status !== 429 && status !== 503)) return undefined
  const { retryAfterMs = 0 } = (data ?? {}) as { retryAfterMs?: number }
  return String(Math.max(1, Math.ceil(retryAfterMs / 1_000)))
}

/** Answers that nothing was executed, and why. */
export function refuse(
  res: ServerResponse,
  refused: Refusal | GraphQLError,
  headers: Record<string, string> = {},
): void {
  const error = refused instanceof Refusal ? refusalError(refused) : refused
  const body = JSON.stringify({ errors: [error] })
  const status = requestStatus(error)
  const wait = retryAfter(status, error.extensions)
  res.writeHead(status, {
    ...headers,
    ...(wait && { 'Retry-After': wait }),
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}
