import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../domain/error.ts'
import { readBody } from './body.ts'
import type { Services } from './context.ts'
import { refusalError } from './errors.ts'
import type { Door } from './execute.ts'
import type { NamedDocument, PersistedDocuments } from './persisted.ts'

interface GraphqlRequest extends NamedDocument {
  variables?: unknown
  operationName?: unknown
}

/**
 * Answers what the database can answer alone. What it read of the request it leaves in `req.body` for the ordinary way.
 * @returns whether the answer is written
 */
export type HotHandler = (req: IncomingMessage & { body?: string }, res: ServerResponse) => Promise<boolean>

export function createHotHandler(
  door: Door,
  services: Services,
  documents: PersistedDocuments,
  maxBytes: number,
): HotHandler {
  return async (req, res) => {
    const size = Number(req.headers['content-length'] ?? 0)
    if (req.method !== 'POST' || !isJson(req) || !(size > 0 && size <= maxBytes)) return false
    req.body = await readBody(req, maxBytes)
    const request = parseRequest(req.body)
    if (!request) return false
    try {
      const text = documents.textOf(request)
      if (text === undefined) return false
      const answer = door.hotAnswer(text)
      documents.keep(request)
      const body = await answer?.(asVariables(request.variables), services)
      if (body !== undefined) return write(req, res, 200, body)
      if (request.query === undefined) req.body = JSON.stringify({ ...request, query: text })
      return false
    } catch (error) {
      const notFound = error instanceof Refusal && error.code === 'PERSISTED_QUERY_NOT_FOUND'
      if (notFound) return write(req, res, 200, JSON.stringify({ errors: [refusalError(error)] }))
      // Whatever it is, the ordinary way says it in its own words.
      return false
    }
  }
}

function isJson({ headers }: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')
}

function parseRequest(text: string): GraphqlRequest | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

function asVariables(variables: unknown): Record<string, unknown> {
  return typeof variables === 'object' && variables !== null ? (variables as Record<string, unknown>) : {}
}

function write({ headers }: IncomingMessage, res: ServerResponse, status: number, body: string): true {
  const type = headers.accept?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json'
  res
    .writeHead(status, {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Length': Buffer.byteLength(body),
    })
    .end(body)
  return true
}
