import type { IncomingMessage, ServerResponse } from 'node:http'
import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { Refusal } from '../domain/error.ts'
import { refuse, requestStatus } from './answer.ts'
import type { Caller } from './caller.ts'
import type { Services } from './context.ts'
import { refusalError } from './errors.ts'
import type { Door, OperationArgs } from './execute.ts'
import { createHotHandler } from './hot-http.ts'
import { idempotencyKeyOf, isFinalStatus, type Produced } from './idempotency.ts'
import { createPersistedDocuments } from './persisted.ts'
import { isJson, type Received, receive } from './request.ts'
import { schema } from './schema.ts'

export const maxGraphqlBytes = 262_144

export type Handler = (req: IncomingMessage, res: ServerResponse, caller: Caller) => void | Promise<void>

/** GraphQL over HTTP, with GraphiQL for browsers that contacts no other host. Streams have a door of their own. */
export function createGraphqlHandler(door: Door, services: Services, streamPath: string): Handler {
  const documents = createPersistedDocuments(services.documents)
  const hot = createHotHandler(door, services, documents)
  const yoga = createYoga<{ caller: Caller }>({
    schema,
    plugins: [throughDoor(door, streamPath)],
    context: ({ request, caller }) => door.context(caller, request.signal),
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
  async function answerByYoga(
    req: IncomingMessage,
    body: string | undefined,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Produced> {
    const { accept = '*/*' } = req.headers
    const init = { method: req.method ?? 'GET', signal }
    const response = await yoga.fetch(
      `http://localhost${req.url}`,
      body === undefined
        ? { ...init, headers: { accept } }
        : { ...init, headers: { accept, 'content-type': 'application/json' }, body },
      { caller },
    )
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
  }

  async function answer(
    req: IncomingMessage,
    { asked, body }: Received,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<Produced> {
    const key = idempotencyKeyOf(req)
    if (key === undefined || body === undefined || !door.isMutation(asked))
      return answerByYoga(req, body, caller, signal)
    const request = { scope: 'POST /graphql', key, body, isFinal }
    return door.answerOnce(request, caller, (repeating) => answerByYoga(req, body, repeating, signal))
  }

  /** What is refused unread counts too. */
  async function receiveCounted(req: IncomingMessage, caller: Caller): Promise<Received> {
    try {
      checkRequest(req, streamPath)
      return await receive(req, documents, maxGraphqlBytes)
    } catch (error) {
      door.admit(caller)
      throw error
    }
  }

  return async (req, res, caller) => {
    try {
      const received = await receiveCounted(req, caller)
      door.admitOperation(caller, received.asked)
      if (await hot(received.asked, req, res)) return
      const gone = new AbortController()
      res.once('close', () => gone.abort())
      const { status, headers, body } = await answer(req, received, caller, gone.signal)
      res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    } catch (error) {
      if (res.headersSent || res.destroyed) return void res.destroy()
      const told = door.mask(error, caller.requestId)
      refuse(res, told, told.extensions.code === 'MethodNotAllowed' ? { Allow: 'GET, POST' } : {})
    }
  }
}

/** Whether the same request would be answered the same: what failed for the moment would not. */
function isFinal({ body }: Produced): boolean {
  const { errors = [] } = JSON.parse(body) as { errors?: GraphQLError[] }
  return errors.every((error) => isFinalStatus(requestStatus(error)))
}

const accepted = /^\s*(\*\/\*|application\/(\*|json|graphql-response\+json))\s*(;|$)/i

/** @throws Refusal that names what to send instead */
function checkRequest({ method, headers }: IncomingMessage, streamPath: string): void {
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

/**
 * A request that was never executed is the client's fault: 400 in the media type that has statuses for it. A key that is missing
 * or wrong is told by its status in both.
 */
function withStatus(result: ExecutionResult): ExecutionResult {
  for (const error of result.errors ?? []) {
    if (!('data' in result)) error.extensions.http ??= { spec: true, status: 400 }
    else if (error.extensions.code === 'Unauthorized') error.extensions.http = { status: 401 }
  }
  return result
}

function streamsElsewhere(streamPath: string): Refusal {
  return new Refusal('NotAcceptable', `event streams and subscriptions are served at ${streamPath}`)
}
