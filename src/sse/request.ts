import type { IncomingMessage } from 'node:http'
import { TOKEN_HEADER_KEY, TOKEN_QUERY_KEY } from 'graphql-sse'
import type { GraphqlParams } from '../execution/operation.ts'
import type { Exchange, Operations } from './operations.ts'
import { parseJson } from './wire.ts'

export const searchOf = (url = '/') => new URL(url, 'http://localhost/').searchParams

/** Parameters in an address. */
export function paramsOf(url: string | undefined): GraphqlParams {
  const search = searchOf(url)
  const variables = parseJson(search.get('variables') ?? '')
  return { query: search.get('query'), operationName: search.get('operationName'), variables }
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
