import type { IncomingMessage, ServerResponse } from 'node:http'
import { acceptedCoding, type Coding } from './accepted-coding.ts'
import { compress } from './compress.ts'
import type { HttpResponse } from './response.ts'

/** In characters: less is sent in one packet either way. */
const worthCompressing = 1_024

const compressible = /^text\/|json|javascript|xml/

/**
 * Writes an answer that is there as a whole, compressed where its client asks for that. HEAD gets the headers
 * of GET: node leaves its body out. Whoever has left gets nothing.
 * @param headers names and values in turn; the answer's own are added
 * @returns what there is to wait for
 */
export function writeResponse(
  req: IncomingMessage,
  res: ServerResponse,
  headers: string[],
  answer: HttpResponse,
): Promise<void> | undefined {
  if (res.destroyed) return undefined
  for (const name in answer.headers) headers.push(name, answer.headers[name] ?? '')
  const coding = codingOf(req, answer)
  const compressed = coding && compress(answer.body, coding)
  const write = (bytes: Buffer | undefined) => {
    if (coding && bytes) headers.push('Content-Encoding', coding)
    writeBody(res, headers, bytes ? { ...answer, body: bytes } : answer)
  }
  if (compressed instanceof Promise) return compressed.then(write)
  write(compressed)
  return undefined
}

function codingOf({ headers }: IncomingMessage, { headers: own, body }: HttpResponse): Coding | undefined {
  const accept = headers['accept-encoding']
  if (accept === undefined || body.length === 0) return undefined
  const { coding, plainToo } = acceptedCoding(accept)
  if (coding === undefined || (body.length < worthCompressing && plainToo)) return undefined
  return compressible.test(own['Content-Type'] ?? own['content-type'] ?? '') ? coding : undefined
}

function writeBody(res: ServerResponse, headers: string[], { status, body }: HttpResponse): void {
  const length = Buffer.byteLength(body)
  if (status !== 204 && status !== 304) headers.push('Content-Length', String(length))
  // Text of as many bytes as characters is ASCII, which is written as it is: a long list is not held up by
  // encoding it.
  res.writeHead(status, headers).end(body, length === body.length ? 'latin1' : 'utf8')
}
