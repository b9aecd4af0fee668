import type { IncomingMessage } from 'node:http'
import type { GraphQLError } from 'graphql'
import type { RefusalCode } from '../domain/refusal-codes.ts'
import type { Services } from '../graphql/context.ts'
import type { Door } from '../graphql/door/execute.ts'
import { createGraphqlHandler, graphqlMethods } from '../graphql/door/http.ts'
import { refusalHeaders, refused } from '../graphql/door/refused.ts'
import type { Answered, Whole } from '../http/answer.ts'
import type { Caller } from '../http/caller.ts'
import { createRestHandler } from '../rest/adapter.ts'
import { familyOf, statusOf, toErrorBody } from '../rest/errors.ts'
import { createApiDoors } from '../rest/openapi/doors.ts'
import { accountRoutes, orderBookRoutes } from '../rest/routes.ts'
import { createEventStreams } from '../rest/stream.ts'
import { createStreamHandler, defaultStreamLimits, type StreamLimits } from '../sse/handler.ts'
import { createQuota } from '../sse/quota.ts'
import { streamMethods } from '../sse/wire.ts'
import type { Metrics } from './metrics.ts'

const graphqlPath = '/graphql'
const streamPath = '/graphql/stream'

/** With the route's pattern, for counting, where that is not the path. */
export type DoorAnswer = Answered & { route?: string }

/** At once for what is in memory. `gone` gives a signal that aborts when the client has left. */
export type Answer = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => DoorAnswer | Promise<DoorAnswer>

export interface Doors {
  /** Who answers at a path. */
  at(path: string): Answer
  /** Ends streams. */
  close(): void
}

export interface DoorOptions extends Services {
  /** State of each thing that answers depend on; true is up. */
  ready(): Promise<Record<string, boolean>>
  streamLimits?: Partial<StreamLimits>
}

/** Everything that is answered here, by path. */
export function createDoors(door: Door, options: DoorOptions, metrics: Metrics): Doors {
  const streamLimits = { ...defaultStreamLimits, ...options.streamLimits }
  // One quota for all streams, whatever they speak.
  const quota = createQuota(streamLimits)
  const streams = createStreamHandler(door, streamLimits, quota)
  const eventStreams = createEventStreams({ ...quota, ...streamLimits })
  const tables = { orderBook: orderBookRoutes, account: accountRoutes }
  const rest = createRestHandler(door, options, tables, eventStreams)
  const api = createApiDoors(options.version)

  const exact = new Map<string, Answer>([
    [graphqlPath, telling(graphqlMethods, createGraphqlHandler(door, options, streamPath))],
    [streamPath, telling(streamMethods, streams.handle)],
    ['/health/live', readOnly(() => sayJson(200, { status: 'up' }))],
    [
      '/health/ready',
      readOnly(async () => {
        const states = await options.ready()
        return sayJson(Object.values(states).every(Boolean) ? 200 : 503, states)
      }),
    ],
    [
      '/metrics',
      readOnly(async () => ({
        status: 200,
        headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' },
        body: await metrics.text(),
      })),
    ],
    ['/openapi.json', readOnly(api.document)],
  ])
  const files = readOnly(api.viewer)
  const viewer: Answer = async (...asked) => ({ ...(await files(...asked)), route: '/docs' })

  return {
    at: (path) => exact.get(path) ?? (path === '/docs' || path.startsWith('/docs/') ? viewer : rest),
    close() {
      streams.close()
      eventStreams.close()
    },
  }
}

/** What no door tells itself, in the words of whose path it is. */
export function tellFault(path: string, told: GraphQLError): Whole {
  if (path === graphqlPath || path === streamPath) return refused(told)
  const { message, extensions } = told
  const code = extensions.code as RefusalCode
  const { headers, ...answer } = sayJson(statusOf[code], toErrorBody(familyOf(path), { code, message }))
  return { ...answer, headers: { ...headers, ...refusalHeaders(answer.status, extensions) } }
}

/** OPTIONS is for pages of other sites, and for people: it counts as nothing. */
function telling(methods: string, answer: Answer): Answer {
  return (req, caller, gone) =>
    req.method === 'OPTIONS'
      ? { status: 204, headers: { Allow: methods }, body: '' }
      : answer(req, caller, gone)
}

function readOnly(answer: Answer): Answer {
  const methods = 'GET, HEAD, OPTIONS'
  return telling(methods, (req, caller, gone) => {
    if (req.method === 'GET' || req.method === 'HEAD') return answer(req, caller, gone)
    const fault = { code: 'MethodNotAllowed', message: 'use GET or HEAD' } as const
    const { headers, ...refusal } = sayJson(405, toErrorBody('orderBook', fault))
    return { ...refusal, headers: { ...headers, Allow: methods } }
  })
}

function sayJson(status: number, body: unknown): Whole {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  return { status, headers, body: JSON.stringify(body) }
}
