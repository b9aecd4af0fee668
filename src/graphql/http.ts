import type { IncomingMessage, ServerResponse } from 'node:http'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { ExecutionResult } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { Refusal } from '../domain/error.ts'
import { refuse } from './answer.ts'
import type { Services } from './context.ts'
import { refusalError } from './errors.ts'
import type { Door, OperationArgs } from './execute.ts'
import { createHotHandler, isJson, parseObject } from './hot-http.ts'
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

  /** Handed over without the Host that the client named: a URL is made of it. */
  async function answerByYoga(req: GraphqlMessage, res: ServerResponse, requestId: string): Promise<void> {
    const gone = new AbortController()
    res.once('close', () => gone.abort())
    const { accept = '*/*' } = req.headers
    const init = { method: req.method ?? 'GET', signal: gone.signal }
    const response = await yoga.fetch(
      `http://localhost${req.url}`,
      req.body === undefined
        ? { ...init, headers: { accept } }
        : { ...init, headers: { accept, 'content-type': 'application/json' }, body: req.body },
      { requestId },
    )
    const body = Buffer.from(await response.arrayBuffer())
    res.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': body.length })
    res.end(body)
  }

  return async (req: GraphqlMessage, res, requestId) => {
    try {
      checkRequest(req, streamPath)
      if (!(await hot(req, res))) await answerByYoga(req, res, requestId)
    } catch (error) {
      if (res.headersSent || res.destroyed) return void res.destroy()
      const told = door.mask(error, requestId)
      refuse(res, told, told.extensions.code === 'MethodNotAllowed' ? { Allow: 'GET, POST' } : {})
    }
  }
}

type GraphqlMessage = IncomingMessage & { body?: string }

const accepted = /^\s*(\*\/\*|application\/(\*|json|graphql-response\+json))\s*(;|$)/i

/** @throws Refusal that names what to send instead */
function checkRequest({ method, url = '', headers }: IncomingMessage, streamPath: string): void {
  if (method !== 'GET' && method !== 'POST') {
    throw new Refusal('MethodNotAllowed', 'use GET or POST')
  }
  const types = headers.accept?.split(',') ?? []
  // Clients name event streams among other types; here they are never the answer.
  const rest = types.filter((type) => !type.includes('text/event-stream'))
  if (types.length > 0 && rest.length === 0) throw streamsElsewhere(streamPath)
  if (types.length > 0) headers.accept = rest.join(',')
  const forPeople = method === 'GET' && rest.some((type) => type.includes('text/html'))
  if (types.length > 0 && !forPeople && !rest.some((type) => accepted.test(type))) {
    throw new Refusal('NotAcceptable', 'accept application/json or application/graphql-response+json')
  }
  if (method === 'POST' && !isJson(headers)) {
    throw new Refusal('UnsupportedMediaType', 'the body must be declared as Content-Type: application/json')
  }
  if (method === 'GET') checkParameters(new URLSearchParams(url.split('?', 2)[1]))
}

function checkParameters(parameters: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name)
    if (text && parseObject(text) === undefined) {
      throw new Refusal('InvalidQuery', `${name} must be a JSON object`, { field: name })
    }
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
