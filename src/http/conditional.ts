import type { IncomingMessage } from 'node:http'
import etag from 'etag'
import fresh from 'fresh'
import type { HttpResponse } from './response.ts'

/** The tags of buffers, for as long as they are referenced. */
const cachedTags = new WeakMap<Buffer, string>()

/** The ETag of the uncompressed body; weak, because each coding has other bytes. */
export function weakTag(body: HttpResponse['body']): string {
  const cachedTag = typeof body === 'string' ? undefined : cachedTags.get(body)
  if (cachedTag) return cachedTag
  const tag = etag(body, { weak: true })
  if (typeof body !== 'string') cachedTags.set(body, tag)
  return tag
}

/**
 * Adds an ETag to a success that may be cached, and answers 304 if the client has that version (RFC 9110,
 * 13.1.2).
 */
export function conditional({ method, headers }: IncomingMessage, answer: HttpResponse): HttpResponse {
  if (answer.status !== 200 || !answer.headers['Cache-Control']) return answer
  if (method !== 'GET' && method !== 'HEAD') return answer
  const tagged = answer.headers.ETag ? answer : withTag(answer)
  // The request's Cache-Control is ignored: fetch adds `no-cache` whenever a page or a program sets
  // If-None-Match itself.
  if (!fresh({ 'if-none-match': headers['if-none-match'] }, { etag: tagged.headers.ETag })) return tagged
  const { 'Content-Type': _, ...rest } = tagged.headers
  return { status: 304, headers: rest, body: '' }
}

function withTag({ status, headers, body }: HttpResponse): HttpResponse {
  return { status, headers: { ...headers, ETag: weakTag(body) }, body }
}
