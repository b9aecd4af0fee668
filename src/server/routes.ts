import type { IncomingMessage } from 'node:http'
import type { GraphQLError } from 'graphql'
import { Refusal } from '../domain/errors/error.ts'
import { toOrderUid } from '../domain/order/order.ts'
import { createComposableHandler } from '../execution/composable.ts'
import type { Executor } from '../execution/execute.ts'
import { graphqlErrorResponse } from '../execution/http/error-response.ts'
import { createGraphqlHandler, graphqlMethods } from '../execution/http/handler.ts'
import type { Services } from '../graphql/context/context.ts'
import { refusalError } from '../graphql/errors.ts'
import type { Caller } from '../http/caller.ts'
import { createStreamMeter, type StreamMeter } from '../http/event-stream.ts'
import { graphiqlFile, graphiqlPath } from '../http/pages/graphiql.ts'
import { conditional, type HttpResponse, type RoutedAnswer } from '../http/response.ts'
import { familyOf, restErrorResponse } from '../rest/errors.ts'
import { createRestHandler, unknownRoute } from '../rest/handler.ts'
import { createApiHandlers } from '../rest/openapi/handlers.ts'
import { accountRoutes, orderBookRoutes } from '../rest/routes.ts'
import { createEventStreams } from '../rest/stream.ts'
import { createStreamHandler, defaultStreamLimits, type StreamLimits } from '../sse/handler.ts'
import { createQuota } from '../sse/quota.ts'
import { streamMethods } from '../sse/wire.ts'
import { findOrderId } from '../storage/order/orders.ts'
import { createLinkHandler } from './channel-links.ts'
import { createPages, wantsHome, wantsPage } from './pages/pages.ts'
import { homePath, listOf, listPages, pageFilesPath, pageFolders, pageOf, workerPath } from './pages/paths.ts'
import { createTelegramHandler, type TelegramUpdates, telegramPath } from './telegram.ts'

const graphqlPath = '/graphql'
const streamPath = '/graphql/stream'
/** Clients of indexers of programmatic orders post to either. */
const composablePaths: readonly string[] = ['/composable/graphql', '/composable/', '/composable']
export const metricsPath = '/metrics'
const mcpPath = '/mcp'

/** `route` is the pattern for metrics, where that is not the path. */
export type RoutedResponse = RoutedAnswer & { route?: string }

/** Handles a request, without a promise if the data is in memory. `gone` signals that the client left. */
export type Handler = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => RoutedResponse | Promise<RoutedResponse>

export interface HttpRouter {
  handlerOf(path: string): Handler
  /** Ends streams. */
  close(): void
}

/** State of the database, each network and each loop; true is up. A number details one that is up. */
export type Ready = () => Promise<Record<string, boolean | number | DownSince>>

/** RFC 3339 times at which parts were found to be down, by name. */
type DownSince = Readonly<Record<string, string>>

export interface HttpRouterOptions extends Services {
  ready: Ready
  streamLimits?: Partial<StreamLimits>
  /** Measures streams. */
  streamMeter?: StreamMeter
  /** Creates the handler of the Model Context Protocol; without it, there is none. */
  createMcp?: ((executor: Executor) => Handler) | undefined
  /** Handler of the updates that Telegram posts. */
  telegram?: TelegramUpdates
}

/** @param metrics handler of /metrics; undefined if this router does not serve it */
export function createHttpRouter(
  executor: Executor,
  options: HttpRouterOptions,
  metrics: Handler | undefined,
): HttpRouter {
  const streamLimits = { ...defaultStreamLimits, ...options.streamLimits }
  // GraphQL and REST streams share one quota, and are counted together.
  const ownLimit = (client: string) => options.partners.limitsOf(client)?.streams
  const quota = createQuota({ ...streamLimits, ownLimit }, options.shared?.streams)
  const meter = options.streamMeter ?? createStreamMeter()
  const streams = createStreamHandler(executor, streamLimits, quota, meter, options.shared?.peers)
  const { deliveries, watch } = executor
  const eventStreams = createEventStreams({ ...quota, ...streamLimits, deliveries, watch, meter })
  const tables = { orderBook: orderBookRoutes, account: accountRoutes }
  const pages = createPagesHandler(executor, options)
  const rest = pages.orMissing(createRestHandler(executor, options, tables, eventStreams))
  const api = createApiHandlers(options.version)

  const exact = new Map<string, Handler>([
    [
      graphqlPath,
      withOptions(graphqlMethods, createGraphqlHandler(executor, options, streamPath, streams.stream)),
    ],
    [streamPath, withOptions(streamMethods, streams.handle)],
    ...healthRoutes(options.ready),
    ['/openapi.json', readOnly(counted(executor, api.document))],
    ['/schema.graphql', readOnly(counted(executor, api.schema))],
    ['/scalars.json', readOnly(counted(executor, api.scalars))],
    ['/llms.txt', readOnly(counted(executor, api.index))],
    ['/llms-full.txt', readOnly(counted(executor, api.pages))],
  ])
  if (options.networks.all.some(({ network }) => network.conditionalOrders)) {
    const composable = withOptions(graphqlMethods, createComposableHandler(executor, options))
    for (const path of composablePaths) exact.set(path, composable)
  }
  if (metrics) exact.set(metricsPath, metrics)
  if (options.createMcp) exact.set(mcpPath, options.createMcp(executor))
  if (options.telegram) exact.set(telegramPath, createTelegramHandler(options.telegram, executor))
  const files = readOnly(counted(executor, api.viewer))
  const graphiqlFiles = createGraphiqlHandler(executor)
  const viewer: Handler = async (...request) => ({ ...(await files(...request)), route: '/docs' })
  const graphiql: Handler = async (...request) => ({
    ...(await graphiqlFiles(...request)),
    route: graphiqlPath,
  })
  const pageOrRest: Handler = (req, ...more) => {
    const path = pathOf(req)
    const page = pageOf(path)
    // Addresses of accounts and orders have a page alone; programs get JSON at the other addresses.
    const isPage =
      path === homePath ? wantsHome(req) : (page && !page.fault) || (wantsPage(req) && (page ?? listOf(path)))
    return (isPage ? pages.handle : rest)(req, ...more)
  }
  exact.set(workerPath, pages.handle).set(homePath, pageOrRest).set('/docs', viewer)
  for (const list of listPages) exact.set(`/${list}`, pageOrRest).set(`/${list}/`, pageOrRest)
  const prefixes: [prefix: string, handler: Handler][] = [
    ['/channels/', createLinkHandler(executor, options)],
    [pageFilesPath, pages.handle],
    ['/docs/', viewer],
    [graphiqlPath, graphiql],
    ...pageFolders.map((folder): [string, Handler] => [folder, pageOrRest]),
  ]
  return {
    handlerOf: (path) => exact.get(path) ?? prefixes.find(([prefix]) => path.startsWith(prefix))?.[1] ?? rest,
    close() {
      quota.stop()
      streams.close()
      eventStreams.close()
    },
  }
}

/** `live`: the process responds. `ready`: all that it needs is up. */
export function healthRoutes(ready: Ready): [path: string, Handler][] {
  const live = readOnly(() => jsonResponse(200, { status: 'up' }))
  const readiness = readOnly(async () => {
    const states = await ready()
    return jsonResponse(Object.values(states).every(Boolean) ? 200 : 503, states)
  })
  return [
    ['/health/live', live],
    ['/health/ready', readiness],
  ]
}

export const notFound: Handler = () => {
  throw new Refusal('NotFound', 'there is nothing at this path')
}

/** Pages and documents are built once: each request for one costs one unit. */
function counted(executor: Pick<Executor, 'arrive'>, handler: Handler): Handler {
  return (req, caller, gone) => {
    executor.arrive(caller)
    return handler(req, caller, gone)
  }
}

/** Serves the files of GraphiQL: each request costs one unit. */
function createGraphiqlHandler(executor: Pick<Executor, 'arrive'>): Handler {
  return readOnly(async (req, caller) => {
    executor.arrive(caller)
    const file = await graphiqlFile((req.url ?? '').split('?', 1)[0]?.slice(graphiqlPath.length) ?? '')
    if (!file) throw new Refusal('NotFound', 'there is nothing at this path')
    return conditional(req, file)
  })
}

const pathOf = (req: IncomingMessage) => (req.url ?? '').split('?', 1)[0] ?? ''

/** The query with its question mark, as a header may have it; empty without one. */
const queryOf = (req: IncomingMessage) =>
  new URL(`?${(req.url ?? '').slice(pathOf(req).length + 1)}`, 'http://localhost').search

interface PagesHandler {
  /** Serves the pages for people, and their files: each request costs one unit. */
  handle: Handler
  /** Lets a handler answer people with a page where it has no route. */
  orMissing(handler: Handler): Handler
}

function createPagesHandler(
  executor: Pick<Executor, 'arrive'>,
  { db, log }: Pick<Services, 'db' | 'log'>,
): PagesHandler {
  const { find, missing } = createPages(async ({ kind, name }) => {
    const uid = kind === 'order' ? toOrderUid(name) : undefined
    if (uid === undefined) return true
    try {
      return (await findOrderId(db, uid)) !== undefined
    } catch (fault) {
      // The page reports that the service cannot answer, and repeats the request.
      log.warn('pages: an order could not be looked up', { fault: String(fault) })
      return true
    }
  })
  const handle = readOnly(
    counted(executor, async (req) => {
      const answer = await find(pathOf(req), queryOf(req))
      if (!answer) throw new Refusal('NotFound', 'there is nothing at this path')
      return conditional(req, answer)
    }),
  )
  return {
    async handle(...request) {
      const path = pathOf(request[0])
      const page = pageOf(path)
      const list = listOf(path)
      const fixed = path === homePath ? homePath : pageFilesPath
      const route = list ? `/${list}` : page ? `/${page.kind}s/` : fixed
      return { ...(await handle(...request)), route }
    },
    orMissing: (handler) => (req, caller, gone) => {
      const answer = handler(req, caller, gone)
      if (!wantsPage(req)) return answer
      return Promise.resolve(answer).then(async (answered) =>
        answered.route === unknownRoute && 'status' in answered && answered.status === 404
          ? { ...(await missing(pathOf(req))), route: unknownRoute }
          : answered,
      )
    },
  }
}

/** The response to a fault that no handler answered, in the error form of the path. */
export function faultResponse(req: IncomingMessage, error: GraphQLError, allow?: string): HttpResponse {
  const path = pathOf(req)
  if (path === graphqlPath || path === streamPath || composablePaths.includes(path))
    return graphqlErrorResponse(error)
  const { accept } = req.headers
  const { headers, ...response } = restErrorResponse(error, { family: familyOf(path), allow, accept })
  return { ...response, headers: { ...headers, 'Cache-Control': 'no-store' } }
}

/** Answers OPTIONS itself, without a charge: browsers send it before requests from other origins. */
function withOptions(methods: string, handler: Handler): Handler {
  return (req, caller, gone) =>
    req.method === 'OPTIONS'
      ? { status: 204, headers: { Allow: methods }, body: '' }
      : handler(req, caller, gone)
}

/** Refuses methods other than GET, HEAD and OPTIONS. */
export function readOnly(handler: Handler): Handler {
  const methods = 'GET, HEAD, OPTIONS'
  return withOptions(methods, (req, caller, gone) => {
    if (req.method === 'GET' || req.method === 'HEAD') return handler(req, caller, gone)
    const refusal = refusalError(new Refusal('MethodNotAllowed', 'use GET or HEAD'))
    return faultResponse(req, refusal, methods)
  })
}

function jsonResponse(status: number, body: unknown): HttpResponse {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return { status, headers, body: JSON.stringify(body) }
}
