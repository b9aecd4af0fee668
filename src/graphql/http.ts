import type { IncomingMessage, ServerResponse } from 'node:http'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { ExecutionResult } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { Refusal } from '../domain/error.ts'
import type { Services } from './context.ts'
import { refusalError } from './errors.ts'
import type { Door, OperationArgs } from './execute.ts'
import { createHotHandler } from './hot-http.ts'
import { createPersistedDocuments } from './persisted.ts'
import { schema } from './schema.ts'

export const maxGraphqlBytes = 262_144

export type Handler = (req: IncomingMessage, res: ServerResponse, requestId: string) => void | Promise<void>

/** GraphQL over HTTP, with GraphiQL for browsers that contacts no other host. Streams have a door of their own. */
export function createGraphqlHandler(door: Door, services: Services, streamPath: string): Handler {
  const hot = createHotHandler(door, services, createPersistedDocuments(services.documents), maxGraphqlBytes)
  const yoga = createYoga<{ requestId: string }>({
    schema,
    plugins: [throughDoor(door, streamPath)],
    context: ({ request, requestId }) => door.context(requestId, request.signal),
    renderGraphiQL,
    graphiql: {
      title: 'Tradegraph',
      subscriptionsProtocol: 'GRAPHQL_SSE',
      defaultQuery: '{ version networks { name chainId } }',
    },
    maskedErrors: { maskError: (error) => door.mask(error) },
    maxRequestBodySize: maxGraphqlBytes,
    parserAndValidationCache: false,
    multipart: false,
    batching: false,
    landingPage: false,
    logging: false,
    cors: false,
  })
  return async (req, res, requestId) => {
    const accept = req.headers.accept ?? ''
    const rest = accept.split(',').filter((type) => !type.includes('text/event-stream'))
    if (accept && rest.length === 0) return refuse(res, streamsElsewhere(streamPath))
    // Clients name event streams among other types; here they are never the answer.
    if (accept) req.headers.accept = rest.join(',')
    if (!(await hot(req, res))) await yoga(req, res, { requestId })
  }
}

/** Everything that happens to a document happens in the one door. */
function throughDoor(door: Door, streamPath: string): Plugin {
  return {
    onParse: ({ setParseFn }) =>
      setParseFn((source: string | { body: string }) => door.parse(bodyOf(source))),
    onValidate: ({ setValidationFn }) =>
      setValidationFn((_schema: unknown, document: Parameters<Door['validate']>[0]) =>
        door.validate(document),
      ),
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn(async (args) => withStatus(await door.execute(args as OperationArgs))),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn(() => {
        const error = refusalError(streamsElsewhere(streamPath))
        error.extensions.http = { status: 406 }
        return { errors: [error] }
      }),
  }
}

function bodyOf(source: string | { body: string }): string {
  return typeof source === 'string' ? source : source.body
}

/** A request that was never executed is the client's fault: 400 in the media type that has statuses for it. */
function withStatus(result: ExecutionResult): ExecutionResult {
  if (!('data' in result)) {
    for (const error of result.errors ?? []) error.extensions.http ??= { spec: true, status: 400 }
  }
  return result
}

function streamsElsewhere(streamPath: string): Refusal {
  return new Refusal('NotAcceptable', `event streams and subscriptions are served at ${streamPath}`)
}

function refuse(res: ServerResponse, refusal: Refusal): void {
  res.writeHead(406, { 'Content-Type': 'application/json; charset=utf-8' })
  res.end(JSON.stringify({ errors: [refusalError(refusal)] }))
}
