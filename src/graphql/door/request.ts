import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../domain/error.ts'
import { readBody } from '../../http/body.ts'
import type { Asked } from './execute.ts'
import type { NamedDocument, PersistedDocuments } from './persisted.ts'
import { excessOfVariables } from './variables.ts'

export interface GraphqlRequest extends Asked, NamedDocument {}

/** A GraphQL request over HTTP, as it came: in the URL, or in a body. */
export interface Received {
  /** Empty when the body is no JSON object, which is told later. */
  asked: GraphqlRequest
  /** As it would have come in a POST; a document that was named by its hash alone stands in it. */
  body: string
}

/**
 * @throws Refusal for a body that is too large or no UTF-8, for parameters that are no JSON or too much of
 * it, and for a hash that names no document
 */
export async function receive(
  req: IncomingMessage,
  documents: PersistedDocuments,
  maxBytes: number,
): Promise<Received> {
  const body = req.method === 'POST' ? await readBody(req, maxBytes) : undefined
  const asked: GraphqlRequest = body === undefined ? parametersOf(req.url) : (parseObject(body) ?? {})
  const refusal = excessOfVariables(asked.variables) ?? excessOfVariables(asked.extensions)
  if (refusal) throw refusal
  const query = documents.textOf(asked)
  if (body !== undefined && (query === undefined || query === asked.query)) return { asked, body }
  const whole = { ...asked, query }
  return { asked: whole, body: JSON.stringify(whole) }
}

function parametersOf(url = ''): GraphqlRequest {
  const parameters = new URLSearchParams(url.split('?', 2)[1])
  const objectOf = (name: string) => {
    const text = parameters.get(name)
    const value = text ? parseObject(text) : {}
    if (value === undefined)
      throw new Refusal('InvalidQuery', `${name} must be a JSON object`, { field: name })
    return value
  }
  return {
    // Of several with one name the first counts, as it does for who executes it.
    query: parameters.get('query'),
    operationName: parameters.get('operationName'),
    variables: objectOf('variables'),
    extensions: objectOf('extensions'),
  }
}

function parseObject(text: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
