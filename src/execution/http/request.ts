import type { IncomingMessage } from 'node:http'
import { GraphQLError } from 'graphql'
import { Refusal } from '../../domain/errors/error.ts'
import { readBody } from '../../http/body.ts'
import type { GraphqlParams } from '../admission/operations.ts'
import type { NamedDocument, PersistedDocuments } from '../documents/persisted.ts'
import { checkNesting, excessOfVariables } from '../documents/variables.ts'

export interface GraphqlRequest extends GraphqlParams, NamedDocument {}

/** A GraphQL request over HTTP, from the URL or from a body. */
export interface Received {
  /** With the text of a persisted document, without an empty name of an operation. */
  params: GraphqlRequest
  /** The body, or the URL, unparsed. */
  text: string
}

/**
 * @throws Refusal for a body that is too large or not UTF-8, for parameters that are no JSON objects or exceed the
 * limits, and for the hash of an unknown document; GraphQLError for a body that is no JSON object
 */
export async function receive(
  req: IncomingMessage,
  documents: PersistedDocuments,
  maxBytes: number,
): Promise<Received> {
  const isPosted = req.method === 'POST'
  const text = isPosted ? await readBody(req, maxBytes) : (req.url ?? '')
  const params: GraphqlRequest | undefined = isPosted ? parseObject(text) : parametersOf(text)
  if (!params) throw new GraphQLError('the body must be a JSON object with a query')
  const refusal = excessOfVariables(params.variables) ?? excessOfVariables(params.extensions)
  if (refusal) throw refusal
  const named = params.operationName === '' ? { ...params, operationName: undefined } : params
  const query = await documents.textOf(named)
  return { params: query === undefined ? named : { ...named, query }, text }
}

function parametersOf(url: string): GraphqlRequest {
  const parameters = new URLSearchParams(url.split('?', 2)[1])
  const objectOf = (name: string) => {
    const text = parameters.get(name)
    const value = text ? parseObject(text) : {}
    if (value === undefined)
      throw new Refusal('InvalidQuery', `${name} must be a JSON object`, { field: name })
    return value
  }
  return {
    // Of several parameters with one name the first counts, as in Yoga.
    query: parameters.get('query'),
    operationName: parameters.get('operationName'),
    variables: objectOf('variables'),
    extensions: objectOf('extensions'),
  }
}

function parseObject(text: string): object | undefined {
  checkNesting(text)
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}
