import type { IncomingMessage, ServerResponse } from 'node:http'
import etag from 'etag'
import fresh from 'fresh'
import { derivedOnce } from '../domain/derived.ts'

/**
 * An answer before it is written. `writeResponse` adds the length, the coding and the headers of all
 * responses.
 */
export interface HttpResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** The body. Constant bodies are bytes, which are compressed once. */
  body: string | Buffer
}

/** Marks an answer as private to its client: no cache may store it. */
export function noStore<Answer extends RoutedAnswer>(answer: Answer): Answer {
  if ('stream' in answer) return answer
  return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store' } }
}

/** Writes a whole stream, from its headers to its end. */
export type StreamWriter = (res: ServerResponse) => Promise<void>

/** A complete answer, or a stream that has not begun. */
export type RoutedAnswer = HttpResponse | { stream: StreamWriter }

const tagOfBytes = derivedOnce((body: Buffer) => etag(body, { weak: true }))

/** The ETag of the uncompressed body; weak, because each coding has other bytes. */
export function weakTag(body: HttpResponse['body']): string {
  return typeof body === 'string' ? etag(body, { weak: true }) : tagOfBytes(body)
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

/**
 * Creates an answer that is the same for all clients. It is compressed once for each coding, as long as its
 * body is referenced: callers keep it, and do not create it again.
 */
export function constant(headers: HttpResponse['headers'], body: string | Buffer): HttpResponse {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { status: 200, headers: { ...headers, ETag: weakTag(bytes) }, body: bytes }
}

/** Creates a value on the first call, and returns the same one on later calls. */
export function once<Value extends object>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= create()
    return value
  }
}
