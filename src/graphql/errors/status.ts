import type { GraphQLError } from 'graphql'

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
  FeatureDisabled: 503,
}

export function requestStatus({ extensions }: GraphQLError): number {
  return statuses[String(extensions.code)] ?? 400
}

/** Faults of the moment are not final. */
export function isFinalStatus(status: number): boolean {
  return status !== 429 && status < 500
}
