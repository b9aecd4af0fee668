import type { GraphQLError, GraphQLErrorExtensions } from 'graphql'
import { Refusal } from '../../domain/errors/error.ts'
import { refusalError, requestStatus } from '../../graphql/errors.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { AnswerType } from './request.ts'

/** Headers of a refusal: `Retry-After`, or the coding that would be accepted. */
export function refusalHeaders(status: number, extensions: GraphQLErrorExtensions): Record<string, string> {
  // The media type is at fault unless the error names this field.
  if (status === 415 && extensions.field === 'Content-Encoding') return { 'Accept-Encoding': 'identity' }
  if (!extensions.retryable || (status !== 409 && status !== 429 && status !== 503)) return {}
  const { retryAfterMs = 0 } = (extensions.data ?? {}) as { retryAfterMs?: number }
  return { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }
}

/** The response to a request that was not executed. */
export function graphqlErrorResponse(
  refusal: Refusal | GraphQLError,
  headers: Record<string, string> = {},
  type: AnswerType = 'application/json',
): HttpResponse {
  const error = refusal instanceof Refusal ? refusalError(refusal) : refusal
  const status = requestStatus(error)
  return {
    status,
    headers: {
      ...headers,
      ...refusalHeaders(status, error.extensions),
      'Content-Type': `${type}; charset=utf-8`,
      Vary: 'Accept',
    },
    body: JSON.stringify({ errors: [error] }),
  }
}
