import type { IncomingMessage } from 'node:http'
import { GraphQLError } from 'graphql'
import Negotiator from 'negotiator'
import { memoize } from '../../domain/derived.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { readBody } from '../../http/body.ts'
import type { PersistedDocuments } from '../documents/persisted.ts'
import { checkNesting, checkSize } from '../documents/variables.ts'
import type { GraphqlParams } from '../operation.ts'

/**
 * Reads a GraphQL request over HTTP, from the URL or from a body.
 * @returns the parameters, with a persisted document's text and without an empty operation name; the text of
 * the body or URL
 * @throws Refusal for a body that is too large or not UTF-8, for parameters that are no JSON objects or
 * exceed the limits, and for the hash of an unknown document; GraphQLError for a body that is no JSON object
 */
export async function receive(
  req: IncomingMessage,
  documents: PersistedDocuments,
  maxBytes: number,
): Promise<{ params: GraphqlParams; text: string }> {
  const isPosted = req.method === 'POST'
  const text = isPosted ? await readBody(req, maxBytes) : (req.url ?? '')
  const params: GraphqlParams | undefined = isPosted ? parseObject(text) : parametersOf(text)
  if (!params) throw new GraphQLError('the body must be a JSON object with a query')
  checkSize(params.variables)
  checkSize(params.extensions)
  const named = params.operationName === '' ? { ...params, operationName: undefined } : params
  const query = await documents.textOf(named)
  return { params: query === undefined ? named : { ...named, query }, text }
}

function parametersOf(url: string): GraphqlParams {
  const parameters = new URLSearchParams(url.split('?', 2)[1])
  // Some clients write what they lack as `null`.
  const textOf = (name: string) => {
    const text = parameters.get(name)
    return text?.trim() === 'null' ? null : text
  }
  const objectOf = (name: string) => {
    const text = textOf(name)
    const value = text ? parseObject(text) : {}
    if (value === undefined)
      throw new Refusal('InvalidQuery', `${name} must be a JSON object`, { field: name })
    return value
  }
  return {
    // The first of several parameters with one name counts, as in Yoga.
    query: parameters.get('query'),
    operationName: textOf('operationName'),
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

/** Media types of answers of /graphql. */
export type AnswerType = 'application/json' | 'application/graphql-response+json'

interface Accepted {
  /** Undefined where the client accepts neither. */
  type: AnswerType | undefined
  /** True if the client prefers an HTML page. */
  page: boolean
}

const types: readonly (AnswerType | 'text/html')[] = [
  'application/json',
  'application/graphql-response+json',
  'text/html',
]
/** The types as sent: a client may name the charset too. */
const withCharset = types.map((type) => `${type}; charset=utf-8`)

/** Characters that are read; the rest is ignored. Each takes 0.5 µs to parse; no client needs so many. */
export const maxAcceptLength = 2_048

/**
 * Reads `Accept` (RFC 9110, 12.5.1). Without one, or with an empty one, the type is JSON. Of two types with
 * the same weight that are equally specific, the first in the header counts.
 */
export function acceptedType(header = ''): Accepted {
  return negotiate(header)
}

/** The types that a header accepts, best first. Without a header, or with an empty one, all. */
function acceptedOf(header: string, offered: readonly string[]): string[] {
  const accept = /[^\s,]/.test(header) ? header.slice(0, maxAcceptLength) : '*/*'
  return new Negotiator({ headers: { accept } }).mediaTypes([...offered])
}

const negotiate = memoize((header): Accepted => {
  const accepted = acceptedOf(header, withCharset).map((type) => types[withCharset.indexOf(type)])
  return { type: accepted.find((type) => type !== 'text/html'), page: accepted[0] === 'text/html' }
})

const events = 'text/event-stream'

/** Reports whether a client accepts event streams, and whether by name: not only with a wildcard. */
export const acceptedEvents = memoize((header): { accepted: boolean; named: boolean } => {
  const accepted = acceptedOf(header, [`${events}; charset=utf-8`]).length > 0
  return { accepted, named: accepted && /text\/(?:event-stream|\*)/i.test(header.slice(0, maxAcceptLength)) }
})

/** JSON and event streams as far as a header accepts them, for a reader that compares its text. */
export function jsonAndEvents(header: string): string {
  return acceptedOf(header, ['application/json', events]).join(', ')
}
