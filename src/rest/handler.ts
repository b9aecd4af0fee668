import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/errors/error.ts'
import type { Admission } from '../execution/admission/admission.ts'
import type { Executor } from '../execution/execute.ts'
import { acceptedEvents } from '../execution/http/request.ts'
import { idempotencyKeyOf, type Produced } from '../execution/idempotency.ts'
import { requireAccess, requireEditor, requireFeature } from '../graphql/context/access.ts'
import type { Services } from '../graphql/context/context.ts'
import { tradingOn } from '../graphql/context/networks.ts'
import { checkBodyType, readBytes, textOf } from '../http/body.ts'
import { type Caller, withLastEventId } from '../http/caller.ts'
import { conditional, type HttpResponse, noStore, type RoutedAnswer } from '../http/response.ts'
import { type Family, familyOf, restErrorResponse } from './errors.ts'
import {
  type AdmittedRequest,
  type AnyRoute,
  compile,
  compileAction,
  compileEvents,
  compileStored,
  type Endpoint,
  passingOn,
} from './routing/endpoint.ts'
import type { RowTraits } from './routing/route.ts'
import { createRestRouter } from './routing/router.ts'
import type { EventStreams } from './stream.ts'

const maxBodyBytes = 16_384

/** Name in metrics of paths without a route. */
export const unknownRoute = 'unknown'

/** A complete answer, or an event stream that has not begun. */
type RestAnswer = {
  /** The route's pattern, for metrics. */
  route: string
} & RoutedAnswer

/**
 * Answers synchronously if the data is in memory.
 * @param gone returns a signal that aborts when the client disconnects
 */
type RestHandler = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => RestAnswer | Promise<RestAnswer>

/** A request that passed the rate limits. */
interface Admitted {
  req: IncomingMessage
  caller: Caller
  admission: Admission
  gone: () => AbortSignal
  endpoint: Endpoint
  /** The parameters of the path, by name. */
  path: Record<string, string>
  pathname: string
  search: string | undefined
  refuse(error: unknown): Produced
}

/**
 * Answers REST requests by the rows of the tables.
 * @throws when a document does not fit the schema
 */
export function createRestHandler(
  executor: Executor,
  services: Services,
  tables: Record<Family, readonly AnyRoute[]>,
  streams: EventStreams,
): RestHandler {
  const compileRow = (row: AnyRoute, family: Family) => {
    if ('events' in row) return compileEvents(row, family)
    if ('act' in row) return compileAction(row, family)
    const endpoint =
      'read' in row ? compileStored(row, family, services) : compile(row, family, executor, services)
    return passingOn(endpoint, services)
  }
  const findEndpoint = createRestRouter([
    ...tables.orderBook.map((row) => compileRow(row, 'orderBook')),
    ...tables.account.map((row) => compileRow(row, 'account')),
  ])

  async function answer(admitted: Admitted): Promise<RoutedAnswer> {
    const { req, endpoint, pathname, path } = admitted
    if (endpoint.family === 'orderBook') tradingOn(services, path.network)
    const bytes = await readSent(req, endpoint.row)
    const body = endpoint.isPassedOn?.(path.network ?? '') ? { raw: bytes } : { text: bytes && textOf(bytes) }
    if (endpoint.events && (!endpoint.row.stream || wantsEvents(req)))
      return openEvents(admitted, endpoint.events, body)
    const produce = (caller: Caller) => respond(admitted, body, caller)
    const key = endpoint.isRepeatable ? idempotencyKeyOf(req) : undefined
    if (key === undefined) return produce(admitted.caller)
    const request = { scope: `POST ${pathname}`, key, body: body.text ?? bytes?.toString('latin1') ?? '' }
    // Repetitions get the same refusal. The body is text: only rows without a document return bytes.
    const produceText = (caller: Caller) => produce(caller).catch(admitted.refuse) as Promise<Produced>
    return executor.answerOnce(request, admitted.caller, produceText)
  }

  async function openEvents(
    admitted: Admitted,
    { reserve, subscribe, form }: NonNullable<Endpoint['events']>,
    body: SentBody,
  ): Promise<RoutedAnswer> {
    const { req, caller, gone, admission } = admitted
    const request = requestOf(admitted, body)
    reserve?.(request)
    const from = withLastEventId(caller, req, request.query)
    const source = (signal: AbortSignal) => subscribe(request, executor.context(from, signal))
    const stream = await streams.open({ client: caller.client, gone: gone(), subscribe: source, form })
    // Counts the units that were added meanwhile.
    admission.settle(() => 0)
    return { stream }
  }

  async function respond(admitted: Admitted, body: SentBody, caller: Caller): Promise<HttpResponse> {
    const { req, admission, endpoint } = admitted
    const context = () => executor.context(caller, admitted.gone())
    const reader = { client: caller.client, gone: admitted.gone }
    const produced = await endpoint.perform(requestOf(admitted, body), context, reader)
    const answer = conditional(req, produced)
    admission.settle(() => endpoint.units((endpoint.row.isKept ? answer : produced).body.length))
    return answer
  }

  return (req, caller, gone) => {
    const [pathname = '/', search] = (req.url ?? '/').split('?', 2)
    const match = findEndpoint(req.method ?? 'GET', pathname)
    const route = match.endpoint?.pattern ?? match.pattern ?? unknownRoute

    // OPTIONS has no rows: the router returns the methods of the path.
    if (req.method === 'OPTIONS')
      return { route, status: 204, headers: match.allow ? { Allow: match.allow } : {}, body: '' }

    let admission: Admission | undefined
    const refuse = (error: unknown): Produced => {
      const family = match.endpoint?.family ?? familyOf(pathname)
      const { accept } = req.headers
      const context = { family, row: match.endpoint?.row, allow: match.allow, accept }
      const refusal = restErrorResponse(executor.mask(error, caller.requestId), context)
      // A request that failed inside the service keeps its reservation: it may have used resources.
      if (refusal.status < 500) admission?.settle(() => 0)
      return refusal
    }
    try {
      admission = executor.arrive(caller, match.endpoint?.charge)
      if (!match.endpoint) throw match.refusal
      const { endpoint, path } = match
      if (endpoint.row.needs) requireFeature(services, endpoint.row.needs)
      const { access, restricted = false } = endpoint.row
      if (access) requireAccess(access.to, { ...services, ...caller, restricted }, access.whenOff)
      if (endpoint.row.isEditors) requireEditor({ ...services, ...caller })
      const recalled = endpoint.recall?.(path)
      if (recalled) return { route, ...conditional(req, recalled) }
      const admitted = { req, caller, admission, gone, endpoint, path, pathname, search, refuse }
      return answer(admitted)
        .catch(refuse)
        .then((routed) => ({ route, ...(endpoint.row.isPersonal ? noStore(routed) : routed) }))
    } catch (error) {
      return { route, ...refuse(error) }
    }
  }
}

function requestOf(
  { path: { network = '', ...path }, search, req: { headers }, admission }: Admitted,
  { text, raw }: SentBody,
): AdmittedRequest {
  const query = new URLSearchParams(search)
  const bytes = (raw ?? text)?.length ?? 0
  return {
    network,
    path,
    query,
    headers,
    body: parseJson(text),
    admission,
    bytes,
    ...(raw && { raw: new Uint8Array(raw) }),
  }
}

/** Reports whether a client asks for an event stream, as EventSource does. */
const wantsEvents = ({ headers: { accept = '' } }: IncomingMessage) => acceptedEvents(accept).named

/** A body that was sent: its text, or its bytes if it is passed on. */
interface SentBody {
  text?: string | undefined
  raw?: Buffer | undefined
}

/** Reads the body; returns undefined for GET and HEAD, and for rows without a body. */
async function readSent(
  req: IncomingMessage,
  { anyContentType, hasNoBody, maxBytes = maxBodyBytes }: RowTraits,
): Promise<Buffer | undefined> {
  if (req.method === 'GET' || req.method === 'HEAD' || hasNoBody) return undefined
  checkBodyType(req.headers, anyContentType)
  return readBytes(req, maxBytes)
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    throw new Refusal('InvalidParameter', 'the body is not JSON')
  }
}
