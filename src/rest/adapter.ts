import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/error.ts'
import { retryAfter } from '../graphql/answer.ts'
import { readBody } from '../graphql/body.ts'
import type { Caller } from '../graphql/caller.ts'
import { type Charge, chargeOf, isMutation } from '../graphql/charge.ts'
import { deskOf, type Services, type TradingDesk } from '../graphql/context.ts'
import type { Door } from '../graphql/execute.ts'
import { idempotencyKeyOf, type Produced } from '../graphql/idempotency.ts'
import { schema } from '../graphql/schema.ts'
import { type Family, type Fault, statusOf, toErrorBody } from './errors.ts'
import { literalFirst, matchRoute, type PathPattern, patternOf } from './path.ts'
import type { Route } from './route.ts'
import { compileWords } from './words.ts'

const maxBodyBytes = 16_384
const json = 'application/json'

export interface RestAnswer extends Produced {
  /** The route's pattern, for counting. */
  route: string
}

/** `gone` gives a signal that aborts when the client has left. */
export type RestHandler = (
  req: IncomingMessage,
  caller: Caller,
  gone: () => AbortSignal,
) => Promise<RestAnswer>

interface Endpoint extends PathPattern {
  family: Family
  row: Route
  charge: Charge
  /** Whether a request may carry an Idempotency-Key. */
  isRepeatable: boolean
  perform(request: Parameters<NonNullable<Route['given']>>[0], context: Context): Promise<Produced>
}
type Context = ReturnType<Door['context']>

/** REST is a table of GraphQL documents; here it is run. @throws at start when a document does not fit the schema */
export function createRestHandler(
  door: Door,
  services: Services,
  tables: Record<Family, readonly Route[]>,
): RestHandler {
  const endpoints = literalFirst([
    ...tables.orderBook.map((row) => compile(row, 'orderBook')),
    ...tables.account.map((row) => compile(row, 'account')),
  ])

  function compile(row: Route, family: Family): Endpoint {
    const document = door.trust(row.run)
    const words = compileWords(schema, document)
    return {
      ...patternOf(row.on, family === 'orderBook'),
      family,
      row,
      charge: chargeOf(schema, document),
      isRepeatable: row.on.startsWith('POST ') && isMutation(document),
      async perform(request, context) {
        const variables = words.toVariables(row.given?.(request) ?? {})
        const asked = row.restricted ? { ...context, restricted: true } : context
        const { data, errors } = await door.run(document, variables, asked)
        if (errors?.[0]) throw errors[0]
        const result = words.toWords(data) as never
        const answer = row.answer(result)
        if (answer === null && row.missing) throw new Refusal('NotFound', row.missing)
        const contentType = row.contentType ?? json
        return {
          status: row.status?.(result) ?? 200,
          headers: { 'Content-Type': contentType, ...row.headers },
          body: contentType === json ? JSON.stringify(answer) : String(answer),
        }
      },
    }
  }

  return async (req, caller, gone) => {
    const [pathname = '/', search] = (req.url ?? '/').split('?', 2)
    const match = matchRoute(endpoints, req.method ?? 'GET', pathname)
    const family = match.endpoint?.family ?? (pathname.startsWith('/accounts/') ? 'account' : 'orderBook')
    const route = match.endpoint?.pattern ?? 'unknown'

    async function respond(
      { row, perform }: Endpoint,
      desk: TradingDesk | undefined,
      text: string | undefined,
      asking: Caller,
    ): Promise<Produced> {
      const { network = '', ...path } = match.endpoint ? match.path : {}
      const request = { network, path, query: new URLSearchParams(search), body: parseJson(text) }
      const written = desk && (await row.text?.(request, services, desk.network.chainId))
      if (written === null) throw new Refusal('NotFound', row.missing ?? 'there is no such thing')
      if (written !== undefined) return { status: 200, headers: { 'Content-Type': json }, body: written }
      return perform(request, door.context(asking, gone()))
    }

    function refused(error: unknown): Produced {
      const { extensions, message } = door.mask(error, caller.requestId)
      const fault = { code: extensions.code, message, data: extensions.data } as Fault
      const statuses = match.endpoint?.row.statuses
      const status =
        statuses?.[`${fault.code} of ${extensions.field}`] ?? statuses?.[fault.code] ?? statusOf[fault.code]
      const headers: Record<string, string> = { 'Content-Type': json }
      if (match.allow) headers.Allow = match.allow
      const wait = retryAfter(status, extensions)
      if (wait) headers['Retry-After'] = wait
      return { status, headers, body: JSON.stringify(toErrorBody(family, fault)) }
    }

    try {
      door.admit(caller, match.endpoint?.charge)
      if (!match.endpoint) throw match.refusal
      const { endpoint } = match
      const desk = family === 'orderBook' ? deskOf(services, match.path.network) : undefined
      const body = await readText(req, endpoint.row)
      const produce = (asking: Caller) => respond(endpoint, desk, body, asking)
      const key = endpoint.isRepeatable ? idempotencyKeyOf(req) : undefined
      if (key === undefined || body === undefined) return { route, ...(await produce(caller)) }
      const request = { scope: `POST ${pathname}`, key, body }
      // A refusal is an answer too: it is kept, and told again.
      const once = await door.answerOnce(request, caller, (asking) => produce(asking).catch(refused))
      return { route, ...once }
    } catch (error) {
      return { route, ...refused(error) }
    }
  }
}

/** The body, on methods that have one. */
async function readText(
  req: IncomingMessage,
  { anyContentType, maxBytes = maxBodyBytes }: Route,
): Promise<string | undefined> {
  if (req.method === 'GET' || req.method === 'HEAD') return undefined
  if (
    !anyContentType &&
    !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(req.headers['content-type'] ?? '')
  ) {
    throw new Refusal('UnsupportedMediaType', 'the body must be declared as application/json')
  }
  return readBody(req, maxBytes)
}

function parseJson(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    throw new Refusal('InvalidParameter', 'the body is not JSON')
  }
}
