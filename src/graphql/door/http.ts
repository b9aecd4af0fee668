import type { IncomingMessage } from 'node:http'
import type { ExecutionResult, GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { Refusal } from '../../domain/error.ts'
import type { Whole } from '../../http/answer.ts'
import { checkBodyType } from '../../http/body.ts'
import type { Caller } from '../../http/caller.ts'
import { conditional } from '../../http/conditional.ts'
import type { Services } from '../context.ts'
import { schema } from '../schema.ts'
import { type AnswerType, acceptedType } from './accepted-type.ts'
import { refusalError } from './errors.ts'
import type { Door, OperationArgs } from './execute.ts'
import { createGraphiql } from './graphiql.ts'
import { createHotHandler } from './hot-http.ts'
import { idempotencyKeyOf, isFinalStatus, type Produced } from './idempotency.ts'
import { createPersistedDocuments } from './persisted.ts'
import { refused, requestStatus } from './refused.ts'
import { type Received, receive } from './request.ts'

export const maxGraphqlBytes = 262_144

export const graphqlMethods = 'GET, HEAD, POST, OPTIONS'

/** `gone` gives a signal that aborts when the client has left. */
export type Handler = (req: IncomingMessage, caller: Caller, gone: () => AbortSignal) => Promise<Whole>

/** GraphQL over HTTP, and GraphiQL for browsers, which contacts no other host. Streams have their own door. */
export function createGraphqlHandler(door: Door, services: Services, streamPath: string): Handler {
  const documents = createPersistedDocuments(services.documents)
  const hot = createHotHandler(door, services, documents)
  const graphiql = createGraphiql()
  const yoga = createYoga<{ caller: Caller; gone: AbortSignal }>({
    schema,
    plugins: [throughDoor(door, streamPath)],
    context: ({ caller, gone }) => door.context(caller, gone),
    graphiql: false,
    maskedErrors: { maskError: (error) => door.mask(error) },
    maxRequestBodySize: maxGraphqlBytes,
    parserAndValidationCache: false,
    multipart: false,
    batching: false,
    landingPage: false,
    logging: false,
    cors: false,
  })

  /**
   * Nothing of the request's own URL and headers is handed over. When its client leaves, only what is under
   * way is told: that is no fault, and what changes something goes on to its end.
   */
  async function answerByYoga({ body, type }: Wanted, caller: Caller, gone: AbortSignal): Promise<Produced> {
    const response = await yoga.fetch(
      'http://localhost/graphql',
      { method: 'POST', headers: { accept: type, 'content-type': 'application/json' }, body },
      { caller, gone },
    )
    const { 'content-length': _, ...headers } = Object.fromEntries(response.headers)
    return { status: response.status, headers, body: await response.text() }
  }

  async function answer(
    req: IncomingMessage,
    wanted: Wanted,
    caller: Caller,
    gone: AbortSignal,
  ): Promise<Produced> {
    const key = idempotencyKeyOf(req)
    if (key === undefined || !door.isMutation(wanted.asked)) return answerByYoga(wanted, caller, gone)
    const request = { scope: 'POST /graphql', key, body: wanted.body, isFinal }
    return door.answerOnce(request, caller, (repeating) => answerByYoga(wanted, repeating, gone))
  }

  /** What is refused unread counts too. */
  async function receiveCounted(req: IncomingMessage, caller: Caller): Promise<Wanted> {
    try {
      const type = checkRequest(req, streamPath)
      return { ...(await receive(req, documents, maxGraphqlBytes)), type }
    } catch (error) {
      door.admit(caller)
      throw error
    }
  }

  async function answerAdmitted(
    req: IncomingMessage,
    caller: Caller,
    gone: () => AbortSignal,
  ): Promise<Whole> {
    if (isForPeople(req)) {
      door.admit(caller)
      return conditional(req, graphiql())
    }
    const wanted = await receiveCounted(req, caller)
    const { asked, type } = wanted
    door.admitOperation(caller, asked)
    if (req.method !== 'POST' && door.isMutation(asked)) throw changesByPost
    const { headers, ...produced } = (await hot(asked, type)) ?? (await answer(req, wanted, caller, gone()))
    return { ...produced, headers: { ...headers, Vary: 'Accept' } }
  }

  return async (req, caller, gone) => {
    try {
      return await answerAdmitted(req, caller, gone)
    } catch (error) {
      const told = door.mask(error, caller.requestId)
      const allow = error === changesByPost ? 'POST' : graphqlMethods
      return refused(told, told.extensions.code === 'MethodNotAllowed' ? { Allow: allow } : {})
    }
  }
}

interface Wanted extends Received {
  type: AnswerType
}

const changesByPost = new Refusal('MethodNotAllowed', 'mutations are sent by POST')

/** Whether the same request would be answered the same: what failed for the moment would not. */
function isFinal({ body }: Produced): boolean {
  const { errors = [] } = JSON.parse(body) as { errors?: GraphQLError[] }
  return errors.every((error) => isFinalStatus(requestStatus(error)))
}

function isForPeople({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptedType(headers.accept).page
}

/** @returns the answer's type @throws Refusal that names what to send instead */
function checkRequest({ method, headers }: IncomingMessage, streamPath: string): AnswerType {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    throw new Refusal('MethodNotAllowed', 'use GET or POST')
  }
  const { type } = acceptedType(headers.accept)
  if (!type) {
    // Clients name event streams among other types; here they are never the answer.
    if (/text\/event-stream/i.test(headers.accept ?? '')) throw streamsElsewhere(streamPath)
    throw new Refusal('NotAcceptable', 'accept application/json or application/graphql-response+json')
  }
  if (method === 'POST') checkBodyType(headers)
  return type
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
 * A request that was never executed is the client's fault: 400 in the media type that has statuses for it. A
 * key that is missing or wrong is told by its status in both.
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
