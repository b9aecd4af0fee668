import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../domain/error.ts'
import { readBody } from './body.ts'
import type { Services } from './context.ts'
import { refusalError } from './errors.ts'
import type { Door } from './execute.ts'
import type { HotAnswer } from './hot.ts'
import type { NamedDocument, PersistedDocuments } from './persisted.ts'

interface GraphqlRequest extends NamedDocument {
  variables?: unknown
  operationName?: unknown
}

/**
 * Answers what the database can answer alone. What it read of the request it leaves in `req.body` for the ordinary way.
 * @returns whether the answer is written
 * @throws Refusal PayloadTooLarge
 */
export type HotHandler = (req: IncomingMessage & { body?: string }, res: ServerResponse) => Promise<boolean>

export function createHotHandler(
  door: Door,
  services: Services,
  documents: PersistedDocuments,
  maxBytes: number,
): HotHandler {
  return async (req, res) => {
    if (req.method !== 'POST' || !isJson(req.headers)) return false
    req.body = await readBody(req, maxBytes)
    const request: GraphqlRequest | undefined = parseObject(req.body)
    if (!request) return false
    const text = named(request)
    if (text instanceof Refusal) return write(req, res, toAnswer(text))
    if (text === undefined) return false
    try {
      const way = door.wayOf(text)
      if (way === 'invalid') return false
      documents.keep(request)
      if (way === 'executed' || !isNamed(request, way)) return false
      const body = await way.answer(asVariables(request.variables), services)
      return body !== undefined && write(req, res, { status: 200, body })
    } catch {
      // Whatever it is, the ordinary way meets it too and says it in its own words.
      return false
    } finally {
      // The ordinary way knows no hashes.
      if (!res.headersSent && request.query === undefined)
        req.body = JSON.stringify({ ...request, query: text })
    }
  }

  function named(request: GraphqlRequest): string | undefined | Refusal {
    try {
      return documents.textOf(request)
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }
}

/** Clients expect 200 for a hash that is not known: they send the text next. */
function toAnswer(refusal: Refusal): { status: number; body: string } {
  const status = refusal.code === 'PERSISTED_QUERY_NOT_FOUND' ? 200 : 400
  return { status, body: JSON.stringify({ errors: [refusalError(refusal)] }) }
}

/** Without a name the only operation is meant. */
function isNamed({ operationName }: GraphqlRequest, way: HotAnswer): boolean {
  return operationName == null || operationName === way.operationName
}

export function isJson(headers: IncomingHttpHeaders): boolean {
  return /^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(headers['content-type'] ?? '')
}

export function parseObject(text: string): object | undefined {
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

function write(
  { headers }: IncomingMessage,
  res: ServerResponse,
  { status, body }: { status: number; body: string },
): true {
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
