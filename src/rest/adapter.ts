import type { IncomingMessage } from 'node:http'
import { type DocumentNode, type GraphQLError, getOperationAST, OperationTypeNode } from 'graphql'
import { Refusal } from '../domain/error.ts'
import type { Caller } from '../graphql/caller.ts'
import { deskOf, type Services, type TradingDesk } from '../graphql/context.ts'
import { type Answered, refusalHeaders } from '../graphql/door/answer.ts'
import { checkBodyType, readBody } from '../graphql/door/body.ts'
import { type Charge, chargeOf, isMutation } from '../graphql/door/charge.ts'
import { conditional } from '../graphql/door/conditional.ts'
import type { Door } from '../graphql/door/execute.ts'
import { idempotencyKeyOf, type Produced } from '../graphql/door/idempotency.ts'
import { requireFeature } from '../graphql/features.ts'
import { requireEditor } from '../graphql/operator.ts'
import { schema } from '../graphql/schema.ts'
import { freshnessHeaders, refusalCaching } from './caching.ts'
import { type Family, type Fault, familyOf, statusOf, toErrorBody } from './errors.ts'
import { createRouter, type PathPattern, patternOf } from './path.ts'
import { createRecall } from './recall.ts'
import type { RestRequest, Route } from './route.ts'
import { type EventStreams, eventOf, type Subscriber } from './stream.ts'
import { compileWords } from './words.ts'

const maxBodyBytes = 16_384
const json = 'application/json'

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

interface Endpoint extends PathPattern {
  family: Family
  row: Route
  charge: Charge
  /** Whether a request may carry an Idempotency-Key. */
  isRepeatable: boolean
  perform(request: RestRequest, context: Context): Promise<Produced>
  /** What is in memory; undefined when the document has to answer. */
  recall: ReturnType<typeof createRecall> | undefined
  /** Where the answer comes in events: the document is a subscription. */
  events?: {
    subscribe(request: RestRequest, context: Context): ReturnType<Subscriber['subscribe']>
    write: Subscriber['write']
  }
}
type Context = ReturnType<Door['context']>

/** REST is a table of GraphQL documents; here it is run. @throws at start when a document does not fit the schema */
export function createRestHandler(
  door: Door,
  services: Services,
  tables: Record<Family, readonly Route[]>,
  streams: EventStreams,
): RestHandler {
  const find = createRouter([
    ...tables.orderBook.map((row) => compile(row, 'orderBook')),
    ...tables.account.map((row) => compile(row, 'account')),
  ])

  function compile(row: Route, family: Family): Endpoint {
    const document = door.trust(row.run)
    const words = compileWords(schema, document)
    const variablesOf = (request: RestRequest) => words.toVariables(row.given?.(request) ?? {})
    return {
      ...patternOf(row.on, family === 'orderBook'),
      family,
      row,
      charge: chargeOf(schema, document),
      isRepeatable: row.on.startsWith('POST ') && isMutation(document),
      async perform(request, context) {
        const variables = variablesOf(request)
        const asked = row.restricted ? { ...context, restricted: true } : context
        const { data, errors } = await door.run(document, variables, asked)
        if (errors?.[0]) throw errors[0]
        const result = words.toWords(data) as never
        const answer = row.answer(result)
        if (answer === null && row.missing) throw new Refusal('NotFound', row.missing)
        const contentType = row.contentType ?? json
        const freshness = row.freshness?.(result)
        return {
          status: row.status?.(result) ?? 200,
          headers: {
            'Content-Type': contentType,
            ...row.headers,
            ...(freshness && freshnessHeaders(freshness)),
          },
          body: contentType === json ? JSON.stringify(answer) : String(answer),
        }
      },
      recall: row.recall && createRecall(row.recall, services),
      ...(isSubscription(document) && {
        events: {
          async subscribe(request, contextValue) {
            const variableValues = variablesOf(request)
            const results = await door.subscribe({ schema, document, variableValues, contextValue })
            if (Symbol.asyncIterator in results) return results
            throw results.errors?.[0]
          },
          write({ data, errors }) {
            if (errors?.[0]) return eventOf(toErrorBody(family, faultOf(errors[0])), 'error')
            return eventOf(row.answer(words.toWords(data) as never))
          },
        },
      }),
    }
  }

  return (req, caller, gone) => {
    const [pathname = '/', search] = (req.url ?? '/').split('?', 2)
    const match = find(req.method ?? 'GET', pathname)
    const family = match.endpoint?.family ?? familyOf(pathname)
    const route = match.endpoint?.pattern ?? match.pattern ?? 'unknown'

    // No row is for OPTIONS: what a path does answer is known from that.
    if (req.method === 'OPTIONS')
      return { route, status: 204, headers: match.allow ? { Allow: match.allow } : {}, body: '' }

    function requestOf(text: string | undefined): RestRequest {
      const { network = '', ...path } = match.endpoint ? match.path : {}
      return { network, path, query: new URLSearchParams(search), body: parseJson(text) }
    }

    async function respond(
      { row, perform }: Endpoint,
      desk: TradingDesk | undefined,
      text: string | undefined,
      asking: Caller,
    ): Promise<Produced> {
      const request = requestOf(text)
      const written = desk && (await row.text?.(request, services, desk.network.chainId))
      if (written === null) throw new Refusal('NotFound', row.missing ?? 'there is no such thing')
      if (written !== undefined) return { status: 200, headers: { 'Content-Type': json }, body: written }
      return perform(request, door.context(asking, gone()))
    }

    function refused(error: unknown): Produced {
      const told = door.mask(error, caller.requestId)
      const { extensions } = told
      const fault = faultOf(told)
      const statuses = match.endpoint?.row.statuses
      const status =
        statuses?.[`${fault.code} of ${extensions.field}`] ?? statuses?.[fault.code] ?? statusOf[fault.code]
      const headers: Record<string, string> = {
        'Content-Type': json,
        ...refusalHeaders(status, extensions),
      }
      if (match.allow) headers.Allow = match.allow
      const row = match.endpoint?.row
      if (row?.freshness) headers['Cache-Control'] = refusalCaching(status)
      else if (row?.headers?.['Cache-Control']) headers['Cache-Control'] = 'no-store'
      return { status, headers, body: JSON.stringify(toErrorBody(family, fault)) }
    }

    async function answer(endpoint: Endpoint, network: string | undefined): Promise<RestAnswer> {
      const desk = family === 'orderBook' ? deskOf(services, network) : undefined
      const body = await readText(req, endpoint.row)
      if (endpoint.events) {
        const { subscribe, write } = endpoint.events
        const request = requestOf(body)
        const source = (signal: AbortSignal) => subscribe(request, door.context(caller, signal))
        return {
          route,
          pour: await streams.open({ client: caller.client, gone: gone(), subscribe: source, write }),
        }
      }
      const produce = (asking: Caller) => respond(endpoint, desk, body, asking)
      const key = endpoint.isRepeatable ? idempotencyKeyOf(req) : undefined
      if (key === undefined || body === undefined)
        return { route, ...conditional(req, await produce(caller)) }
      const request = { scope: `POST ${pathname}`, key, body }
      // A refusal is an answer too: it is kept, and told again.
      const once = await door.answerOnce(request, caller, (asking) => produce(asking).catch(refused))
      return { route, ...once }
    }

    try {
      door.admit(caller, match.endpoint?.charge)
      if (!match.endpoint) throw match.refusal
      const { endpoint, path } = match
      if (endpoint.row.needs) requireFeature(services, endpoint.row.needs)
      if (endpoint.row.isEditors) requireEditor({ ...services, ...caller })
      const recalled = endpoint.recall?.(path)
      if (recalled) return { route, ...conditional(req, recalled) }
      return answer(endpoint, path.network).catch((error: unknown) => ({ route, ...refused(error) }))
    } catch (error) {
      return { route, ...refused(error) }
    }
  }
}

function isSubscription(document: DocumentNode): boolean {
  return getOperationAST(document)?.operation === OperationTypeNode.SUBSCRIPTION
}

/** Of what is masked. */
function faultOf({ extensions, message }: GraphQLError): Fault {
  return { code: extensions.code, message, data: extensions.data } as Fault
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
