import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors/error.ts'
import type { Admission } from '../execution/admission/admission.ts'
import type { Executor } from '../execution/execute.ts'
import { idempotencyKeyOf, type Produced } from '../execution/idempotency.ts'
import type { Services } from '../graphql/context/context.ts'
import { requireFeature } from '../graphql/context/features.ts'
import { tradingOn } from '../graphql/context/networks.ts'
import { requireEditor } from '../graphql/context/operator.ts'
import { checkBodyType, readBody } from '../http/body.ts'
import type { Caller } from '../http/caller.ts'
import { conditional } from '../http/conditional.ts'
import type { RoutedAnswer } from '../http/response.ts'
import { type Family, familyOf } from './errors/body.ts'
import { refused } from './errors/refused.ts'
import { compile, type Endpoint } from './row/endpoint.ts'
import { createRouter } from './row/path.ts'
import type { RestRequest, RowTraits } from './row/route.ts'
import { compileStored } from './row/stored-endpoint.ts'
import type { AnyRoute } from './row/stored-route.ts'
import type { EventStreams } from './stream.ts'

const maxBodyBytes = 16_384

/** Whole, or as a stream of events that is about to begin. */
type RestAnswer = {
  /** The route's pattern, for counting. */
  route: string
} & RoutedAnswer

/** `gone` gives a signal that aborts when the client has left. What is in memory is answered at once. */
type RestHandler = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => RestAnswer | Promise<RestAnswer>

/** A request that was let in. */
interface Admitted {
  req: IncomingMessage
  caller: Caller
  admission: Admission
  gone: () => AbortSignal
  endpoint: Endpoint
  /** What stands at the pattern's names. */
  path: Record<string, string>
  pathname: string
  search: string | undefined
  refused(error: unknown): Produced
}

/**
 * REST is a table of GraphQL documents; here it is run.
 * @throws at start when a document does not fit the schema
 */
export function createRestHandler(
  executor: Executor,
  services: Services,
  tables: Record<Family, readonly AnyRoute[]>,
  streams: EventStreams,
): RestHandler {
  const ready = (row: AnyRoute, family: Family) =>
    'read' in row ? compileStored(row, family, services) : compile(row, family, executor, services)
  const find = createRouter([
    ...tables.orderBook.map((row) => ready(row, 'orderBook')),
    ...tables.account.map((row) => ready(row, 'account')),
  ])

  async function answer(admitted: Admitted): Promise<RoutedAnswer> {
    const { req, endpoint, pathname, caller, path } = admitted
    if (endpoint.family === 'orderBook') tradingOn(services, path.network)
    const body = await readText(req, endpoint.row)
    if (endpoint.events) return openEvents(admitted, endpoint.events, body)
    const produce = (asking: Caller) => respond(admitted, body, asking)
    const key = endpoint.isRepeatable ? idempotencyKeyOf(req) : undefined
    if (key === undefined || body === undefined) return conditional(req, await produce(caller))
    const request = { scope: `POST ${pathname}`, key, body }
    // A refusal is an answer too: it is kept, and told again.
    return executor.answerOnce(request, caller, (asking) => produce(asking).catch(admitted.refused))
  }

  async function openEvents(
    admitted: Admitted,
    { subscribe, write }: NonNullable<Endpoint['events']>,
    body: string | undefined,
  ): Promise<RoutedAnswer> {
    const { caller, gone } = admitted
    const request = requestOf(admitted, body)
    const source = (signal: AbortSignal) => subscribe(request, executor.context(caller, signal))
    return { stream: await streams.open({ client: caller.client, gone: gone(), subscribe: source, write }) }
  }

  async function respond(admitted: Admitted, body: string | undefined, asking: Caller): Promise<Produced> {
    const { admission, endpoint } = admitted
    const request = requestOf(admitted, body)
    endpoint.reserve(request, admission, body?.length ?? 0)
    const performed = await endpoint.perform(request, () => executor.context(asking, admitted.gone()))
    admission.settle(() => endpoint.units(performed.body.length))
    return performed
  }

  return (req, caller, gone) => {
    const [pathname = '/', search] = (req.url ?? '/').split('?', 2)
    const match = find(req.method ?? 'GET', pathname)
    const route = match.endpoint?.pattern ?? match.pattern ?? 'unknown'

    // No row is for OPTIONS: what a path does answer is known from that.
    if (req.method === 'OPTIONS')
      return { route, status: 204, headers: match.allow ? { Allow: match.allow } : {}, body: '' }

    let admission: Admission | undefined
    const refuse = (error: unknown): Produced => {
      const family = match.endpoint?.family ?? familyOf(pathname)
      const refusal = refused(
        executor.mask(error, caller.requestId),
        family,
        match.endpoint?.row,
        match.allow,
      )
      // What failed may have worked for long before it did.
      if (refusal.status < 500) admission?.settle(() => 0)
      return refusal
    }
    try {
      admission = executor.arrive(caller, match.endpoint?.charge)
      if (!match.endpoint) throw match.refusal
      const { endpoint, path } = match
      if (endpoint.row.needs) requireFeature(services, endpoint.row.needs)
      if (endpoint.row.isEditors) requireEditor({ ...services, ...caller })
      const recalled = endpoint.recall?.(path)
      if (recalled) return { route, ...conditional(req, recalled) }
      const admitted = { req, caller, admission, gone, endpoint, path, pathname, search, refused: refuse }
      return answer(admitted)
        .catch(refuse)
        .then((answered) => ({ route, ...answered }))
    } catch (error) {
      return { route, ...refuse(error) }
    }
  }
}

function requestOf(
  { path: { network = '', ...path }, search }: Admitted,
  body: string | undefined,
): RestRequest {
  return { network, path, query: new URLSearchParams(search), body: parseJson(body) }
}

/** The body, on methods that have one. */
async function readText(
  req: IncomingMessage,
  { anyContentType, maxBytes = maxBodyBytes }: RowTraits,
): Promise<string | undefined> {
  if (req.method === 'GET' || req.method === 'HEAD') return undefined
  checkBodyType(req.headers, anyContentType)
  return readBody(req, maxBytes)
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    throw new Refusal('InvalidParameter', 'the body is not JSON')
  }
}
