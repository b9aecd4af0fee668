import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import etag from 'etag'
import fresh from 'fresh'
import Negotiator from 'negotiator'
import { derivedOnce, memoize } from '../domain/derived.ts'

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

/**
 * The headers of every response, errors included, as a flat list of names and values. Requests need no
 * cookies, so pages of any origin may send them and read the response. `Vary` is set on uncompressed
 * responses too: a shared cache must not serve one client's coding to another client.
 */
const sharedHeaders = [
  'Access-Control-Allow-Origin',
  '*',
  'X-Content-Type-Options',
  'nosniff',
  'Vary',
  'Accept-Encoding',
]

const responseHeaders = [
  ...sharedHeaders,
  'Access-Control-Allow-Headers',
  'Cache-Control',
  'Access-Control-Expose-Headers',
  'X-Request-Id, X-Trace-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, ETag, Age, Warning, Allow, Link, X-Pending-Settlements, X-Is-Complete, X-Unavailable-Tokens, X-Unknown-Members',
]

/**
 * The headers of a preflight, the same for each path and method: a page must be able to read the error of a
 * wrong request.
 */
const preflightHeaders = [
  ...sharedHeaders,
  'Access-Control-Allow-Headers',
  [
    'Cache-Control, Content-Type, If-None-Match, Idempotency-Key, Last-Event-ID, Accept, Origin, Authorization',
    'X-API-Key, X-Auth-Token, X-AppId, X-Client-Id, X-GraphQL-Event-Stream-Token, X-Request-Id',
  ].join(', '),
  'Access-Control-Allow-Methods',
  'GET, POST, DELETE, OPTIONS, PUT, PATCH, HEAD',
  'Access-Control-Max-Age',
  '7200',
]

/** @param traceId if the request is traced */
export function commonHeaders(method: string | undefined, requestId: string, traceId?: string): string[] {
  const headers = [...(method === 'OPTIONS' ? preflightHeaders : responseHeaders), 'X-Request-Id', requestId]
  if (traceId !== undefined) headers.push('X-Trace-Id', traceId)
  return headers
}

/** The request id that a client or proxy sent; undefined if it is malformed. */
export function givenRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[\w.-]{8,128}$/.test(header) ? header : undefined
}

/** The supported codings, best first. */
const codings = ['br', 'gzip'] as const

type Coding = (typeof codings)[number]

interface Accepted {
  /** The coding; undefined if the client prefers none. */
  coding: Coding | undefined
  /** True if the client accepts a body without coding. */
  acceptsPlain: boolean
}

const plainOnly: Accepted = { coding: undefined, acceptsPlain: true }

/**
 * Reads `Accept-Encoding` (RFC 9110, 12.5.3). A client that accepts neither a coding nor `identity` gets a
 * plain body.
 */
export function acceptedCoding(header: string | string[] | undefined): Accepted {
  return typeof header === 'string' ? negotiate(header) : plainOnly
}

/** The negotiator with the second argument, which the package's types lack. */
interface CodingNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}

const negotiate = memoize((header): Accepted => {
  const negotiator: CodingNegotiator = new Negotiator({ headers: { 'accept-encoding': header } })
  const accepted = negotiator.encodings([...codings, 'identity'], { preferred: codings })
  return {
    coding: codings.find((coding) => coding === accepted[0]),
    acceptsPlain: accepted.includes('identity'),
  }
})

/**
 * The maximum length in characters of texts compressed synchronously. They mostly take less than 0.2 ms, too
 * little for a thread.
 */
const maxSyncLength = 16_384

/**
 * The number of bodies that threads compress at the same time. Each holds memory for its input and output.
 */
const maxRunning = 8

/**
 * The levels of compression. Brotli at 1 is as fast as gzip at its fastest, and its output is smaller. A
 * constant body is compressed once, so it may take longer.
 */
const level = { perResponse: 1, constant: 9 }

/** A compressed body; undefined if the compression failed. */
type Compressed = Buffer | Promise<Buffer | undefined>

let running = 0
const compressedBodies = derivedOnce((_body: Buffer) => new Map<Coding, Compressed>())

/**
 * Compresses a body: a short text at once, others on a thread. Bytes are compressed once for each coding, and
 * the result is cached for as long as the buffer is referenced.
 * @returns undefined while too many compressions are running
 */
export function compress(body: string | Buffer, coding: Coding): Compressed | undefined {
  if (typeof body !== 'string') return compressOnce(body, coding)
  if (body.length <= maxSyncLength) return compressNow(Buffer.from(body), coding)
  return isBusy() ? undefined : compressLater(Buffer.from(body), coding, level.perResponse)
}

function isBusy(): boolean {
  return running >= maxRunning
}

function compressOnce(body: Buffer, coding: Coding): Compressed | undefined {
  const compressedByCoding = compressedBodies(body)
  const cached = compressedByCoding.get(coding)
  if (cached) return cached
  if (isBusy()) return undefined
  const pending = compressLater(body, coding, level.constant).then((compressed) => {
    if (compressed) compressedByCoding.set(coding, compressed)
    else compressedByCoding.delete(coding)
    return compressed
  })
  compressedByCoding.set(coding, pending)
  return pending
}

function compressNow(bytes: Buffer, coding: Coding): Buffer {
  return coding === 'br'
    ? brotliCompressSync(bytes, brotliOptions(level.perResponse, bytes.length))
    : gzipSync(bytes, { level: level.perResponse })
}

function compressLater(bytes: Buffer, coding: Coding, quality: number): Promise<Buffer | undefined> {
  running++
  return new Promise((resolve) => {
    const onEnd = (error: Error | null, compressed: Buffer) => {
      running--
      resolve(error ? undefined : compressed)
    }
    if (coding === 'br') brotliCompress(bytes, brotliOptions(quality, bytes.length), onEnd)
    else gzip(bytes, { level: quality }, onEnd)
  })
}

function brotliOptions(quality: number, size: number) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: quality,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: size,
    },
  }
}

/** The minimum length in characters for compression: a shorter body fits into one packet either way. */
const minCompressedLength = 1_024

const compressibleTypes = /^text\/|json|javascript|xml/

/**
 * Writes a complete answer, compressed if the client accepts that. HEAD gets the headers of GET: Node omits
 * the body. Nothing is written once the client has disconnected.
 * @param responseHeaders a flat list of names and values; the answer's headers are added
 * @returns a promise if the body is compressed on a thread, which is pending until the answer is written
 */
export function writeResponse(
  req: IncomingMessage,
  res: ServerResponse,
  responseHeaders: string[],
  answer: HttpResponse,
): Promise<void> | undefined {
  if (res.destroyed) return undefined
  for (const name in answer.headers) responseHeaders.push(name, answer.headers[name] ?? '')
  // RFC 9110, 15.1: caches store some errors, such as a 404, unless a header forbids it.
  if (answer.status >= 400 && answer.headers['Cache-Control'] === undefined)
    responseHeaders.push('Cache-Control', 'no-store')
  // RFC 9110, 15.5.2: a 401 names the way to send a credential.
  if (answer.status === 401) responseHeaders.push('WWW-Authenticate', 'Bearer')
  const coding = codingOf(req, answer)
  const compressed = coding && compress(answer.body, coding)
  const write = (bytes: Buffer | undefined) => {
    if (coding && bytes) responseHeaders.push('Content-Encoding', coding)
    writeBody(res, responseHeaders, bytes ? { ...answer, body: bytes } : answer)
  }
  if (compressed instanceof Promise) return compressed.then(write)
  write(compressed)
  return undefined
}

function codingOf(
  { headers }: IncomingMessage,
  { headers: answerHeaders, body }: HttpResponse,
): Coding | undefined {
  const accept = headers['accept-encoding']
  if (accept === undefined || body.length === 0) return undefined
  const { coding, acceptsPlain } = acceptedCoding(accept)
  if (coding === undefined || (body.length < minCompressedLength && acceptsPlain)) return undefined
  return compressibleTypes.test(answerHeaders['Content-Type'] ?? answerHeaders['content-type'] ?? '')
    ? coding
    : undefined
}

function writeBody(res: ServerResponse, responseHeaders: string[], { status, body }: HttpResponse): void {
  const length = Buffer.byteLength(body)
  if (status !== 204 && status !== 304) responseHeaders.push('Content-Length', String(length))
  // Text with as many bytes as characters is ASCII. `latin1` writes it without the cost of encoding UTF-8.
  res.writeHead(status, responseHeaders).end(body, length === body.length ? 'latin1' : 'utf8')
}
