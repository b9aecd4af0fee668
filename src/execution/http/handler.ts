import type { IncomingMessage } from 'node:http'
import { GraphQLError } from 'graphql'
import { Refusal } from '../../domain/errors/error.ts'
import type { Services } from '../../graphql/context/context.ts'
import { isFinalStatus, requestStatus } from '../../graphql/errors/status.ts'
import { checkBodyType } from '../../http/body.ts'
import type { Caller } from '../../http/caller.ts'
import { conditional } from '../../http/conditional.ts'
import { createGraphiql } from '../../http/pages/graphiql.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { Admission } from '../admission/admission.ts'
import { createRememberedAnswers } from '../admission/remembered.ts'
import { keptUnits } from '../admission/units.ts'
import { debugQuery } from '../documents/debug-query.ts'
import { createPersistedDocuments } from '../documents/persisted.ts'
import type { Executor } from '../execute.ts'
import { idempotencyKeyOf, type Produced } from '../idempotency.ts'
import { createRunRequest, streamsElsewhere } from '../yoga.ts'
import { type AnswerType, acceptedType } from './accepted-type.ts'
import { refused } from './refused.ts'
import { type Received, receive } from './request.ts'

export const maxGraphqlBytes = 262_144

export const graphqlMethods = 'GET, HEAD, POST, OPTIONS'

/** `gone` gives a signal that aborts when the client has left. */
export type Handler = (req: IncomingMessage, caller: Caller, gone: () => AbortSignal) => Promise<HttpResponse>

/** GraphQL over HTTP, and GraphiQL for browsers, which contacts no other host. Streams have their own door. */
export function createGraphqlHandler(executor: Executor, services: Services, streamPath: string): Handler {
  const documents = createPersistedDocuments(services.documents)
  const run = createRunRequest(executor, services, documents, streamPath)
  const graphiql = createGraphiql(debugQuery)
  const remembered = createRememberedAnswers()

  /** Runs what was admitted, and counts what it took. */
  async function produce(
    req: IncomingMessage,
    { params, text, type }: Wanted,
    caller: Caller,
    admission: Admission,
    gone: () => AbortSignal,
  ): Promise<HttpResponse> {
    const perform = async (asking: Caller) => {
      const { units, ...answer } = await run(params, type, { caller: asking, gone })
      if (answer.status < 500) admission.settle(() => units)
      return answer
    }
    const key = idempotencyKeyOf(req)
    const answered =
      key === undefined || !executor.isMutation(params)
        ? await perform(caller)
        : await performOnce(key, text, caller, perform)
    const whole = { ...answered, headers: { ...answered.headers, Vary: 'Accept' } }
    return answered.status === 200 && executor.isIntrospection(params)
      ? remembered.keep(params, type, whole)
      : whole
  }

  /** An answer with something left undone is not kept: the same request may do it. */
  function performOnce(
    key: string,
    body: string,
    caller: Caller,
    perform: (asking: Caller) => Promise<Produced>,
  ): Promise<Produced> {
    let isDone = true
    const markIncomplete = () => {
      isDone = false
    }
    const isKept = (answer: Produced) => isDone && isFinal(answer)
    const request = { scope: 'POST /graphql', key, body, isFinal: isKept }
    return executor.answerOnce(request, caller, (repeating) => perform({ ...repeating, markIncomplete }))
  }

  /** The first unit is counted before anything of the request is read. */
  async function answerAdmitted(
    req: IncomingMessage,
    caller: Caller,
    gone: () => AbortSignal,
  ): Promise<HttpResponse> {
    const admission = executor.arrive(caller)
    if (isForPeople(req)) {
      const page = conditional(req, graphiql())
      admission.settle(() => keptUnits(page.body.length))
      return page
    }
    const type = checkRequest(req, streamPath)
    const wanted = { ...(await receive(req, documents, maxGraphqlBytes)), type }
    const known = remembered.find(wanted.params, type)
    if (known) {
      admission.settle(() => keptUnits(known.body.length))
      return known
    }
    executor.reserveOperation(admission, wanted.params, wanted.text.length)
    if (req.method !== 'POST' && executor.isMutation(wanted.params)) throw changesByPost
    return produce(req, wanted, caller, admission, gone)
  }

  return async (req, caller, gone) => {
    try {
      return await answerAdmitted(req, caller, gone)
    } catch (error) {
      const masked = executor.mask(error, caller.requestId)
      const allow = error === changesByPost ? 'POST' : graphqlMethods
      const headers: Record<string, string> =
        masked.extensions.code === 'MethodNotAllowed' ? { Allow: allow } : {}
      // A body that is none: every other malformed request is answered by GraphQL, in the type that is wanted.
      const isBody = error instanceof GraphQLError
      return refused(masked, headers, isBody ? acceptedType(req.headers.accept).type : undefined)
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
