import type { IncomingMessage } from 'node:http'
import etag from 'etag'
import fresh from 'fresh'
import type { HttpResponse } from './response.ts'

/** Those of bytes, for as long as somebody holds them. */
const known = new WeakMap<Buffer, string>()

/** Of the body before anybody compresses it, hence weak. */
export function weakTag(body: HttpResponse['body']): string {
  const before = typeof body === 'string' ? undefined : known.get(body)
  if (before) return before
  const tag = etag(body, { weak: true })
  if (typeof body !== 'string') known.set(body, tag)
  return tag
}

/** A success that may be kept gets a tag, if it has none; who has that very answer is told so alone. */
export function conditional({ method, headers }: IncomingMessage, answer: HttpResponse): HttpResponse {
  if (answer.status !== 200 || !answer.headers['Cache-Control']) return answer
  if (method !== 'GET' && method !== 'HEAD') return answer
  const tagged = answer.headers.ETag ? answer : withTag(answer)
  // The tag alone: fetch says `Cache-Control: no-cache` wherever a page or a program names a tag itself.
  if (!fresh({ 'if-none-match': headers['if-none-match'] }, { etag: tagged.headers.ETag })) return tagged
  const { 'Content-Type': _, ...rest } = tagged.headers
  return { status: 304, headers: rest, body: '' }
}

function withTag({ status, headers, body }: HttpResponse): HttpResponse {
  return { status, headers: { ...headers, ETag: weakTag(body) }, body }
}
