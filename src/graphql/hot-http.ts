import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Services } from './context.ts'
import { asObject, type Door } from './execute.ts'
import type { HotAnswer } from './hot.ts'
import type { PersistedDocuments } from './persisted.ts'
import type { GraphqlRequest } from './request.ts'

/**
 * Answers what the database can answer alone.
 * @returns whether the answer is written
 */
export type HotHandler = (
  asked: GraphqlRequest,
  req: IncomingMessage,
  res: ServerResponse,
) => Promise<boolean>

export function createHotHandler(door: Door, services: Services, documents: PersistedDocuments): HotHandler {
  return async (asked, req, res) => {
    if (req.method !== 'POST' || typeof asked.query !== 'string') return false
    try {
      const way = door.wayOf(asked.query)
      if (way === 'invalid') return false
      documents.keep(asked)
      if (way === 'executed' || !isNamed(asked, way)) return false
      const body = await way.answer(asObject(asked.variables), services)
      return body !== undefined && write(req, res, body)
    } catch {
      // Whatever it is, the ordinary way meets it too and says it in its own words.
      return false
    }
  }
}

/** Without a name the only operation is meant. */
function isNamed({ operationName }: GraphqlRequest, way: HotAnswer): boolean {
  return operationName == null || operationName === way.operationName
}

function write({ headers }: IncomingMessage, res: ServerResponse, body: string): true {
  const type = headers.accept?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json'
  res
    .writeHead(200, {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Length': Buffer.byteLength(body),
    })
    .end(body)
  return true
}
