import type { IncomingMessage } from 'node:http'
import type { GraphQLError } from 'graphql'
import { Refusal } from '../domain/errors/error.ts'
import type { RefusalCode } from '../domain/errors/refusal-codes.ts'
import type { Executor } from '../execution/execute.ts'
import { createGraphqlHandler, graphqlMethods } from '../execution/http/handler.ts'
import { refusalHeaders, refused } from '../execution/http/refused.ts'
import type { Services } from '../graphql/context/context.ts'
import type { Caller } from '../http/caller.ts'
import { conditional } from '../http/conditional.ts'
import { graphiqlFile, graphiqlPath } from '../http/pages/graphiql.ts'
import type { HttpResponse, RoutedAnswer } from '../http/response.ts'
import { createRestHandler } from '../rest/adapter.ts'
import { familyOf, statusOf, toErrorBody } from '../rest/errors/body.ts'
import { createApiHandlers } from '../rest/openapi/handlers.ts'
import { accountRoutes, orderBookRoutes } from '../rest/routes.ts'
import { createEventStreams } from '../rest/stream.ts'
import { createStreamHandler, defaultStreamLimits, type StreamLimits } from '../sse/handler.ts'
import { createQuota } from '../sse/quota.ts'
import { streamMethods } from '../sse/wire.ts'

const graphqlPath = '/graphql'
const streamPath = '/graphql/stream'
export const metricsPath = '/metrics'

/** With the route's pattern, for counting, where that is not the path. */
export type RoutedResponse = RoutedAnswer & { route?: string }

/** At once for what is in memory. `gone` gives a signal that aborts when the client has left. */
export type Answer = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => RoutedResponse | Promise<RoutedResponse>

export interface HttpRouter {
  /** Who answers at a path. */
  at(path: string): Answer
  /** Ends streams. */
  close(): void
}

export interface HttpRouterOptions extends Services {
  /** State of each thing that answers depend on; true is up. */
  ready(): Promise<Record<string, boolean>>
  streamLimits?: Partial<StreamLimits>
}

/**
 * Everything that is answered here, by path.
 * @param metrics undefined where they are not read here
 */
export function createHttpRouter(
  executor: Executor,
  options: HttpRouterOptions,
  metrics: Answer | undefined,
): HttpRouter {
  const streamLimits = { ...defaultStreamLimits, ...options.streamLimits }
  // One quota for all streams, whatever they speak.
  const quota = createQuota(streamLimits)
  const streams = createStreamHandler(executor, streamLimits, quota)
  const eventStreams = createEventStreams({ ...quota, ...streamLimits })
  const tables = { orderBook: orderBookRoutes, account: accountRoutes }
  const rest = createRestHandler(executor, options, tables, eventStreams)
  const api = createApiHandlers(options.version)

  const exact = new Map<string, Answer>([
    [graphqlPath, withOptions(graphqlMethods, createGraphqlHandler(executor, options, streamPath))],
    [streamPath, withOptions(streamMethods, streams.handle)],
    ['/health/live', readOnly(() => jsonResponse(200, { status: 'up' }))],
    [
      '/health/ready',
      readOnly(async () => {
        const states = await options.ready()
        return jsonResponse(Object.values(states).every(Boolean) ? 200 : 503, states)
      }),
    ],
    ['/openapi.json', readOnly(counted(executor, api.document))],
  ])
  if (metrics) exact.set(metricsPath, metrics)
  const files = readOnly(counted(executor, api.viewer))
  const graphiqlFiles = answerGraphiql(executor)
  const viewer: Answer = async (...asked) => ({ ...(await files(...asked)), route: '/docs' })

  const graphiql: Answer = async (...asked) => ({ ...(await graphiqlFiles(...asked)), route: graphiqlPath })

  const at = (path: string): Answer => {
    if (path === '/docs' || path.startsWith('/docs/')) return viewer
    return path.startsWith(graphiqlPath) ? graphiql : rest
  }
  return {
    at: (path) => exact.get(path) ?? at(path),
    close() {
      streams.close()
      eventStreams.close()
    },
  }
}

/** Pages and documents are made once: each look at one is a unit. */
function counted(executor: Pick<Executor, 'arrive'>, answer: Answer): Answer {
  return (req, caller, gone) => {
    executor.arrive(caller)
    return answer(req, caller, gone)
  }
}

/** Read as often as the page that names them, and counted like it. */
function answerGraphiql(executor: Pick<Executor, 'arrive'>): Answer {
  return readOnly((req, caller) => {
    executor.arrive(caller)
    const file = graphiqlFile((req.url ?? '').split('?', 1)[0]?.slice(graphiqlPath.length) ?? '')
    if (!file) throw new Refusal('NotFound', 'there is nothing at this path')
    return conditional(req, file)
  })
}

/** What no door tells itself, in the words of whose path it is. */
export function faultResponse(path: string, error: GraphQLError): HttpResponse {
  if (path === graphqlPath || path === streamPath) return refused(error)
  const { message, extensions } = error
  const code = extensions.code as RefusalCode
  const { headers, ...answer } = jsonResponse(statusOf[code], toErrorBody(familyOf(path), { code, message }))
  return { ...answer, headers: { ...headers, ...refusalHeaders(answer.status, extensions) } }
}

/** OPTIONS is for pages of other sites, and for people: it counts as nothing. */
function withOptions(methods: string, answer: Answer): Answer {
  return (req, caller, gone) =>
    req.method === 'OPTIONS'
      ? { status: 204, headers: { Allow: methods }, body: '' }
      : answer(req, caller, gone)
}

/** For what is read, and nothing else. */
export function readOnly(answer: Answer): Answer {
  const methods = 'GET, HEAD, OPTIONS'
  return withOptions(methods, (req, caller, gone) => {
    if (req.method === 'GET' || req.method === 'HEAD') return answer(req, caller, gone)
    const fault = { code: 'MethodNotAllowed', message: 'use GET or HEAD' } as const
    const { headers, ...refusal } = jsonResponse(405, toErrorBody('orderBook', fault))
    return { ...refusal, headers: { ...headers, Allow: methods } }
  })
}

function jsonResponse(status: number, body: unknown): HttpResponse {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return { status, headers, body: JSON.stringify(body) }
}
