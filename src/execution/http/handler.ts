import type { IncomingMessage } from 'node:http'
import { GraphQLError } from 'graphql'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../../domain/errors/error.ts'
import type { Services } from '../../graphql/context/context.ts'
import { isFinalStatus, requestStatus } from '../../graphql/errors.ts'
import { checkBodyType } from '../../http/body.ts'
import type { Caller } from '../../http/caller.ts'
import { createGraphiql } from '../../http/pages/graphiql.ts'
import { conditional, type HttpResponse, noStore, type RoutedAnswer } from '../../http/response.ts'
import { type Admission, keptUnits } from '../admission/admission.ts'
import { withUse } from '../admission/cost.ts'
import { createPersistedDocuments } from '../documents/persisted.ts'
import type { Executor } from '../execute.ts'
import { idempotencyKeyOf, type Produced } from '../idempotency.ts'
import { type GraphqlParams, mentionsSchema, type Operation } from '../operation.ts'
import { createRunRequest, streamsElsewhere } from '../yoga.ts'
import { graphqlErrorResponse } from './error-response.ts'
import { type AnswerType, acceptedEvents, acceptedType, receive } from './request.ts'

/** Bytes of all answers together; the response with the whole schema has about 170,000. */
const maxBytes = 8_388_608
const maxAnswers = 64

/** Cached answers of introspection, which depend on the document and its variables only. */
interface IntrospectionCache {
  /** Undefined for new documents, and for those without introspection. */
  find(params: GraphqlParams, type: string): HttpResponse | undefined
  /** @returns the cached answer, with its body as bytes, which are compressed once */
  keep(params: GraphqlParams, type: string, answer: HttpResponse): HttpResponse
}

export function createIntrospectionCache(): IntrospectionCache {
  const answers = new LRUCache<string, HttpResponse>({
    max: maxAnswers,
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => body.length + key.length,
  })
  return {
    find({ query, ...params }, type) {
      if (typeof query !== 'string' || !mentionsSchema(query)) return undefined
      return answers.get(keyOf({ query, ...params }, type))
    },
    keep(params, type, answer) {
      const cached = { ...answer, body: Buffer.from(answer.body) }
      answers.set(keyOf(params, type), cached)
      return cached
    },
  }
}

function keyOf({ query, operationName, variables }: GraphqlParams, type: string): string {
  return JSON.stringify([type, operationName ?? null, variables ?? null, query])
}

/** GraphiQL's first query, also in the README. Needs no UID, so that it runs unchanged. */
export const debugQuery = `# Why the newest open orders are not filled,
# and everything that happened to the newest order.
# extensions.cost: requested and limit are objects,
# actual and left are cost units.
query NewestOrders {
  open: orders(first: 3, status: OPEN) {
    nodes {
      uid
      diagnosis { code summary advice further { code summary } }
    }
  }
  orders(first: 1) {
    nodes {
      uid
      status
      sellToken { symbol decimals }
      buyToken { symbol decimals }
      diagnosis { code summary }
      debugReport {
        events { nodes { label reason detail timestamp } }
        auctions {
          nodes {
            auctionId
            nativePrices { token { symbol } price }
            proposedSolutions { ranking solver isWinner score executedSell executedBuy }
            settlementAttempts { outcome detail startBlock endBlock }
            executions { executedFee protocolFees { token { symbol } amount } }
          }
        }
        trades { nodes { blockNumber txHash sellAmount buyAmount } }
      }
    }
  }
}
`

export const maxGraphqlBytes = 262_144

export const graphqlMethods = 'GET, HEAD, POST, OPTIONS'

/** @param gone returns a signal that aborts when the client disconnects */
export type GraphqlHandler = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => Promise<RoutedAnswer>

/** Answers an operation with an event stream. @param admission of the operation, which was counted */
export type StreamOperation = (
  req: IncomingMessage,
  operation: Operation,
  admission: Admission,
  caller: Caller,
  gone: () => AbortSignal,
) => Promise<RoutedAnswer>

/**
 * GraphQL over HTTP, and GraphiQL for browsers. A client that accepts event streams gets subscriptions as
 * such.
 */
export function createGraphqlHandler(
  executor: Executor,
  services: Services,
  streamPath: string,
  stream: StreamOperation,
): GraphqlHandler {
  const documents = createPersistedDocuments(services)
  const run = createRunRequest(executor, services, documents, streamPath)
  const graphiql = createGraphiql(debugQuery)
  const cachedAnswers = createIntrospectionCache()

  /** Runs an admitted request, and charges the units that it took. */
  async function produce(
    req: IncomingMessage,
    { operation, text, type }: TypedRequest,
    caller: Caller,
    admission: Admission,
    gone: () => AbortSignal,
  ): Promise<HttpResponse> {
    // Its answers are the same for all clients.
    const isIntrospection = operation.introspection === 'alone'
    const perform = async (caller: Caller) => {
      const { units, ...answer } = await run(type, { operation, caller, gone })
      const use = answer.status < 500 ? admission.settle(() => units) : undefined
      return use && !isIntrospection ? { ...answer, body: withUse(answer.body, use) } : answer
    }
    const key = idempotencyKeyOf(req)
    const answer =
      key === undefined || !operation.isMutation
        ? await perform(caller)
        : await performOnce(key, text, caller, perform)
    const varying = { ...answer, headers: { ...answer.headers, Vary: 'Accept' } }
    // Reads with a session may be of its account alone; mutations may answer with a token.
    if (caller.apiKey !== undefined || operation.isMutation) return noStore(varying)
    return varying.status === 200 && isIntrospection
      ? cachedAnswers.keep(operation.params, type, varying)
      : varying
  }

  /** An incomplete answer is not stored: a retry of the request may complete it. */
  function performOnce(
    key: string,
    body: string,
    caller: Caller,
    perform: (caller: Caller) => Promise<Produced>,
  ): Promise<Produced> {
    let isComplete = true
    const markIncomplete = () => {
      isComplete = false
    }
    const isStored = (answer: Produced) => isComplete && isFinal(answer)
    const request = { scope: 'POST /graphql', key, body, isFinal: isStored }
    return executor.answerOnce(request, caller, (attempt) => perform({ ...attempt, markIncomplete }))
  }

  /** Charges the first unit before anything of the request is read. */
  async function answerAdmitted(
    req: IncomingMessage,
    caller: Caller,
    gone: () => AbortSignal,
  ): Promise<RoutedAnswer> {
    const admission = executor.arrive(caller)
    if (prefersPage(req)) {
      const page = conditional(req, await graphiql())
      admission.settle(() => keptUnits(page.body.length))
      return page
    }
    const { type, streams } = checkRequest(req, streamPath)
    const { params, text } = await receive(req, documents, maxGraphqlBytes)
    const cached = type && cachedAnswers.find(params, type)
    if (cached) {
      admission.settle(() => keptUnits(cached.body.length))
      return cached
    }
    const operation = executor.read(params)
    operation.reserve(admission, text.length)
    if (req.method !== 'POST' && operation.isMutation) throw mutationNotByPost
    if (!type || (streams && operation.isSubscription)) return stream(req, operation, admission, caller, gone)
    return produce(req, { operation, text, type }, caller, admission, gone)
  }

  return async (req, caller, gone) => {
    try {
      return await answerAdmitted(req, caller, gone)
    } catch (error) {
      const masked = executor.mask(error, caller.requestId)
      const allow = error === mutationNotByPost ? 'POST' : graphqlMethods
      const headers: Record<string, string> =
        masked.extensions.code === 'MethodNotAllowed' ? { Allow: allow } : {}
      // A malformed body. It gets the type that the client accepts, as malformed documents do.
      const isMalformedBody = error instanceof GraphQLError
      return graphqlErrorResponse(
        masked,
        headers,
        isMalformedBody ? acceptedType(req.headers.accept).type : undefined,
      )
    }
  }
}

interface TypedRequest {
  operation: Operation
  /** The body, or the URL, unparsed. */
  text: string
  type: AnswerType
}

const mutationNotByPost = new Refusal('MethodNotAllowed', 'mutations are sent by POST')

/** Reports whether a retry would get the same answer: not after an error with a temporary cause. */
function isFinal({ body }: Produced): boolean {
  const { errors = [] } = JSON.parse(body) as { errors?: GraphQLError[] }
  return errors.every((error) => isFinalStatus(requestStatus(error)))
}

function prefersPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptedType(headers.accept).page
}

/** @returns the answer's type, if it is no stream @throws Refusal that names the accepted form */
function checkRequest(
  { method, headers }: IncomingMessage,
  streamPath: string,
): { type: AnswerType | undefined; streams: boolean } {
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    throw new Refusal('MethodNotAllowed', 'use GET or POST')
  }
  const { type } = acceptedType(headers.accept)
  // A wildcard for all types requests JSON: a client that expects no stream would wait for its end.
  const streams = acceptedEvents(headers.accept ?? '').named && method !== 'HEAD'
  if (!type && !streams) {
    if (/text\/event-stream/i.test(headers.accept ?? '')) throw streamsElsewhere(streamPath)
    throw new Refusal('NotAcceptable', 'accept application/json or application/graphql-response+json')
  }
  if (method === 'POST') checkBodyType(headers)
  return { type, streams }
}
