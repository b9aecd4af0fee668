import type { GraphQLError } from 'graphql'

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

/** Whether a retry would get the same status: not for rate limits and server errors. */
export function isFinalStatus(status: number): boolean {
  return status !== 429 && status < 500
}
