import type { ServerResponse } from 'node:http'
import type { GraphQLError } from 'graphql'
import { Refusal } from '../domain/error.ts'
import { refusalError } from './errors.ts'

/** Statuses of what is refused before GraphQL is reached; everything else is 400. */
const statuses: Partial<Record<string, number>> = {
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  NotFound: 404,
  RateLimited: 429,
  InternalServerError: 500,
  Unavailable: 503,
}

export function requestStatus({ extensions }: GraphQLError): number {
  return statuses[String(extensions.code)] ?? 400
}

/** Answers that nothing was executed, and why. */
export function refuse(
  res: ServerResponse,
  refused: Refusal | GraphQLError,
  headers: Record<string, string> = {},
): void {
  const error = refused instanceof Refusal ? refusalError(refused) : refused
  const body = JSON.stringify({ errors: [error] })
  res.writeHead(requestStatus(error), {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  })
  res.end(body)
}
