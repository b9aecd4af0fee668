import type { IncomingMessage } from 'node:http'
import { Refusal } from '../../domain/errors/error.ts'
import { scalarMap, schemaText } from '../../graphql/schema.ts'
import { createDocumentation } from '../../http/pages/documentation.ts'
import { createSwaggerUi } from '../../http/pages/swagger-ui.ts'
import { conditional, constant, type HttpResponse, once } from '../../http/response.ts'
import { openApiDocument } from './document.ts'

type Handler = (req: IncomingMessage) => HttpResponse

/** The viewer and its descriptions load nothing from other hosts. `data:` is for the style sheet's images. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Creates handlers of the OpenAPI document, the GraphQL schema and its scalars, the index of the
 * documentation, all its pages as one text, and a viewer that contacts no other host. Below the viewer's path
 * are the pages of the documentation as Markdown.
 */
export function createApiHandlers(
  version: string,
): Record<'document' | 'schema' | 'scalars' | 'index' | 'pages' | 'viewer', Handler> {
  const files = createSwaggerUi()
  const documentation = once(createDocumentation)
  const pages = new Map<string, HttpResponse>()
  const document = once(() => cacheable('application/json', JSON.stringify(openApiDocument(version))))
  const schema = once(() => cacheable('text/plain; charset=utf-8', schemaText()))
  const scalars = once(() => cacheable('application/json', JSON.stringify(scalarMap())))

  const index = once(() => cacheable('text/plain; charset=utf-8', documentation().index()))
  const all = once(() => cacheable('text/plain; charset=utf-8', documentation().all()))

  function pageOf(name: string): HttpResponse | undefined {
    const kept = pages.get(name)
    const text = kept ? undefined : documentation().page(name)
    if (text === undefined) return kept
    const page = cacheable('text/markdown; charset=utf-8', text)
    pages.set(name, page)
    return page
  }

  return {
    document: (req) => conditional(req, document()),
    schema: (req) => conditional(req, schema()),
    scalars: (req) => conditional(req, scalars()),
    index: (req) => conditional(req, index()),
    pages: (req) => conditional(req, all()),
    viewer(req) {
      const path = (req.url ?? '/docs').split('?', 1)[0] ?? ''
      const name = path.replace(/^\/docs\/?/, '')
      const page = pageOf(name)
      if (page) return conditional(req, page)
      const file = files(name)
      if (!file) throw new Refusal('NotFound', 'there is nothing at this path')
      const response = cacheable(file.contentType, file.body)
      return conditional(req, {
        ...response,
        headers: { ...response.headers, 'Content-Security-Policy': contentSecurityPolicy },
      })
    },
  }
}

/** Lets caches keep a response for an hour, then revalidate it by its ETag. */
function cacheable(contentType: string, body: string | Buffer): HttpResponse {
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'public, max-age=3600',
    'Referrer-Policy': 'no-referrer',
  }
  return constant(headers, body)
}
