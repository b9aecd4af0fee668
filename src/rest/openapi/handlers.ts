import type { IncomingMessage } from 'node:http'
import { conditional } from '../../http/conditional.ts'
import { constant, once } from '../../http/constant.ts'
import { createViewerFiles } from '../../http/pages/viewer-files.ts'
import type { HttpResponse } from '../../http/response.ts'
import { toErrorBody } from '../errors/body.ts'
import { openApiDocument } from './document.ts'

type Answer = (req: IncomingMessage) => HttpResponse

/** Whatever the viewer or a description in it would load from elsewhere, the browser refuses. The style sheet has its pictures within it. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The document that describes the routes, and a viewer of it that contacts no other host. */
export function createApiHandlers(version: string): { document: Answer; viewer: Answer } {
  const files = createViewerFiles()
  const document = once(() => whole('application/json', JSON.stringify(openApiDocument(version))))

  return {
    document: (req) => conditional(req, document()),
    viewer(req) {
      const path = (req.url ?? '/docs').split('?', 1)[0] ?? ''
      const name = path.replace(/^\/docs\/?/, '')
      const file = files(name)
      if (!file) return missing
      const answer = whole(file.contentType, file.body)
      return conditional(req, {
        ...answer,
        headers: { ...answer.headers, 'Content-Security-Policy': policy },
      })
    },
  }
}

const missing: HttpResponse = {
  status: 404,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(
    toErrorBody('orderBook', { code: 'NotFound', message: 'there is nothing at this path' }),
  ),
}

/** Kept for a while, then asked for again by its tag: a new version is seen within the hour. */
function whole(contentType: string, body: string | Buffer): HttpResponse {
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'public, max-age=3600',
    'Referrer-Policy': 'no-referrer',
  }
  return constant(headers, body)
}
