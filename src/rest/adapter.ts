import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/error.ts'
import { deskOf, type Services, type TradingDesk } from '../graphql/context.ts'
import type { Door } from '../graphql/door/execute.ts'
import { idempotencyKeyOf, type Produced } from '../graphql/door/idempotency.ts'
import { requireFeature } from '../graphql/features.ts'
import { requireEditor } from '../graphql/operator.ts'
import type { Answered } from '../http/answer.ts'
import { checkBodyType, readBody } from '../http/body.ts'
import type { Caller } from '../http/caller.ts'
import { conditional } from '../http/conditional.ts'
import { compile, type Endpoint } from './endpoint.ts'
import { type Family, familyOf } from './errors.ts'
import { createRouter } from './path.ts'
import { refused } from './refused.ts'
import type { RestRequest, Route } from './route.ts'
import type { EventStreams } from './stream.ts'

const maxBodyBytes = 16_384

/** Whole, or as a stream of events that is about to begin. */
type RestAnswer = {
  /** The route's pattern, for counting. */
  route: string
} & Answered

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
  door: Door,
  services: Services,
  tables: Record<Family, readonly Route[]>,
  streams: EventStreams,
): RestHandler {
  const find = createRouter([
    ...tables.orderBook.map((row) => compile(row, 'orderBook', door, services)),
    ...tables.account.map((row) => compile(row, 'account', door, services)),
  ])

  async function answer(admitted: Admitted): Promise<Answered> {
    const { req, endpoint, pathname, caller, path } = admitted
    const desk = endpoint.family === 'orderBook' ? deskOf(services, path.network) : undefined
    const body = await readText(req, endpoint.row)
    if (endpoint.events) return openEvents(admitted, endpoint.events, body)
    const produce = (asking: Caller) => respond(admitted, desk, body, asking)
    const key = endpoint.isRepeatable ? idempotencyKeyOf(req) : undefined
    if (key === undefined || body === undefined) return conditional(req, await produce(caller))
    const request = { scope: `POST ${pathname}`, key, body }
    // A refusal is an answer too: it is kept, and told again.
    return door.answerOnce(request, caller, (asking) => produce(asking).catch(admitted.refused))
  }

  async function openEvents(
    admitted: Admitted,
    { subscribe, write }: NonNullable<Endpoint['events']>,
    body: string | undefined,
  ): Promise<Answered> {
    const { caller, gone } = admitted
    const request = requestOf(admitted, body)
    const source = (signal: AbortSignal) => subscribe(request, door.context(caller, signal))
    return { pour: await streams.open({ client: caller.client, gone: gone(), subscribe: source, write }) }
  }

  async function respond(
    admitted: Admitted,
    desk: TradingDesk | undefined,
    body: string | undefined,
    asking: Caller,
  ): Promise<Produced> {
    const { row, perform } = admitted.endpoint
    const request = requestOf(admitted, body)
    const written = desk && (await row.text?.(request, services, desk.network.chainId))
    if (written === null) throw new Refusal('NotFound', row.missing ?? 'there is no such thing')
    if (written !== undefined)
      return { status: 200, headers: { 'Content-Type': 'application/json' }, body: written }
    return perform(request, door.context(asking, admitted.gone()))
  }

  return (req, caller, gone) => {
    const [pathname = '/', search] = (req.url ?? '/').split('?', 2)
    const match = find(req.method ?? 'GET', pathname)
    const route = match.endpoint?.pattern ?? match.pattern ?? 'unknown'

    // No row is for OPTIONS: what a path does answer is known from that.
    if (req.method === 'OPTIONS')
      return { route, status: 204, headers: match.allow ? { Allow: match.allow } : {}, body: '' }

    const refuse = (error: unknown): Produced => {
      const family = match.endpoint?.family ?? familyOf(pathname)
      return refused(door.mask(error, caller.requestId), family, match.endpoint?.row, match.allow)
    }
    try {
      door.admit(caller, match.endpoint?.charge)
      if (!match.endpoint) throw match.refusal
      const { endpoint, path } = match
      if (endpoint.row.needs) requireFeature(services, endpoint.row.needs)
      if (endpoint.row.isEditors) requireEditor({ ...services, ...caller })
      const recalled = endpoint.recall?.(path)
      if (recalled) return { route, ...conditional(req, recalled) }
      const admitted = { req, caller, gone, endpoint, path, pathname, search, refused: refuse }
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
  { anyContentType, maxBytes = maxBodyBytes }: Route,
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
