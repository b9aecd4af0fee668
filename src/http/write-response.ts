import type { IncomingMessage, ServerResponse } from 'node:http'
import { acceptedCoding, type Coding } from './accepted-coding.ts'
import { compress } from './compress.ts'
import type { HttpResponse } from './response.ts'

/** The minimum length in characters for compression: a shorter body fits into one packet either way. */
const minCompressedLength = 1_024

const compressibleTypes = /^text\/|json|javascript|xml/

/**
 * Writes a complete answer, compressed if the client accepts that. HEAD gets the headers of GET: Node omits
 * the body. Nothing is written once the client has disconnected.
 * @param responseHeaders a flat list of names and values; the answer's headers are added
 * @returns a promise if the body is compressed on a thread, which is pending until it is written
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
