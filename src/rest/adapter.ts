import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/error.ts'
import { readBody } from '../graphql/body.ts'
import { deskOf, type Services } from '../graphql/context.ts'
import type { Door } from '../graphql/execute.ts'
import { schema } from '../graphql/schema.ts'
import { type Family, type Fault, statusOf, toErrorBody } from './errors.ts'
import { matchRoute, type PathPattern, patternOf } from './path.ts'
import type { Route } from './route.ts'
import { compileWords } from './words.ts'

const maxBodyBytes = 16_384
const json = 'application/json'

export interface RestAnswer {
  /** The route's pattern, for counting. */
  route: string
  status: number
  headers: Record<string, string>
  body: string
}

/** `gone` gives a signal that aborts when the client has left. */
export type RestHandler = (
  req: IncomingMessage,
  requestId: string,
  gone: () => AbortSignal,
) => Promise<RestAnswer>

interface Endpoint extends PathPattern {
  family: Family
  row: Route
  perform(
    request: Parameters<NonNullable<Route['given']>>[0],
    context: Context,
  ): Promise<Omit<RestAnswer, 'route'>>
}
type Context = ReturnType<Door['context']>

/** REST is a table of GraphQL documents; here it is run. @throws at start when a document does not fit the schema */
export function createRestHandler(
  door: Door,
  services: Services,
  tables: Record<Family, readonly Route[]>,
): RestHandler {
  const endpoints = [
    ...tables.orderBook.map((row) => compile(row, 'orderBook')),
    ...tables.account.map((row) => compile(row, 'account')),
  ]

  function compile(row: Route, family: Family): Endpoint {
    const document = door.trust(row.run)
    const words = compileWords(schema, document)
    return {
      ...patternOf(row.on, family === 'orderBook'),
      family,
      row,
      async perform(request, context) {
        const variables = words.toVariables(row.given?.(request) ?? {})
        const { data, errors } = await door.run(document, variables, context)
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

  return async (req, requestId, gone) => {
    const [pathname = '/', search] = (req.url ?? '/').split('?', 2)
    const match = matchRoute(endpoints, req.method ?? 'GET', pathname)
    const family = match.endpoint?.family ?? (pathname.startsWith('/accounts/') ? 'account' : 'orderBook')
    const route = match.endpoint?.pattern ?? 'unknown'
    try {
      if (!match.endpoint) throw match.refusal
      const { row, perform } = match.endpoint
      const { network = '', ...path } = match.path
      const desk = family === 'orderBook' ? deskOf(services, network) : undefined
      const body = await readJson(req, row)
      const request = { network, path, query: new URLSearchParams(search), body }
      const text = desk && (await row.text?.(request, services, desk.network.chainId))
      if (text === null) throw new Refusal('NotFound', row.missing ?? 'there is no such thing')
      if (text !== undefined) return { route, status: 200, headers: { 'Content-Type': json }, body: text }
      return { route, ...(await perform(request, door.context(requestId, gone()))) }
    } catch (error) {
      const { extensions, message } = door.mask(error, requestId)
      const fault = { code: extensions.code, message, data: extensions.data } as Fault
      const status = match.endpoint?.row.statuses?.[fault.code] ?? statusOf[fault.code]
      const headers: Record<string, string> = { 'Content-Type': json }
      if (match.allow) headers.Allow = match.allow
      if (status === 429 || status === 503) headers['Retry-After'] = '1'
      return { route, status, headers, body: JSON.stringify(toErrorBody(family, fault)) }
    }
  }
}

async function readJson(
  req: IncomingMessage,
  { anyContentType, maxBytes = maxBodyBytes }: Route,
): Promise<unknown> {
  if (req.method === 'GET' || req.method === 'HEAD') return undefined
  if (
    !anyContentType &&
    !/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(req.headers['content-type'] ?? '')
  ) {
    throw new Refusal('UnsupportedMediaType', 'the body must be declared as application/json')
  }
  const text = await readBody(req, maxBytes)
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal('InvalidParameter', 'the body is not JSON')
  }
}
