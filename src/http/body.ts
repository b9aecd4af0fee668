import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { parse } from 'content-type'
import rawBody from 'raw-body'
import { Refusal } from '../domain/errors/error.ts'

/**
 * Checks the media type of a body.
 * @param anyType whether the body is read as JSON with any media type
 * @throws Refusal UnsupportedMediaType for a body that is compressed, or not declared as JSON in UTF-8
 */
export function checkBodyType(headers: IncomingHttpHeaders, anyType = false): void {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity') {
    throw new Refusal('UnsupportedMediaType', 'the body must be sent as it is, without Content-Encoding', {
      field: 'Content-Encoding',
    })
  }
  if (anyType) return
  const { type, parameters } = parse(headers['content-type'] ?? '')
  if (!/^application\/([\w.+-]+\+)?json$/.test(type)) {
    throw new Refusal('UnsupportedMediaType', 'the body must be declared as Content-Type: application/json')
  }
  if (!/^utf-?8$/i.test(parameters.charset ?? 'utf-8'))
    throw new Refusal('UnsupportedMediaType', 'JSON is sent as UTF-8')
}

/**
 * Reads the request's body as text.
 * @throws Refusal PayloadTooLarge as soon as it is over `limit` bytes, without reading the rest;
 *   InvalidParameter if it is not UTF-8, and if the client disconnects, which is not an internal error
 */
export async function readBody(req: IncomingMessage, limit: number): Promise<string> {
  return textOf(await readBytes(req, limit))
}

/** The same for a body of any bytes. */
export async function readBytes(req: IncomingMessage, limit: number): Promise<Buffer> {
  const length = req.headers['content-length'] ?? null
  return rawBody(req, { limit, length }).catch((fault: rawBody.RawBodyError) => {
    throw fault.type === 'entity.too.large'
      ? new Refusal('PayloadTooLarge', `the body is over ${limit} bytes`)
      : new Refusal('InvalidParameter', 'the body ended early')
  })
}

/** The text of a body. @throws Refusal InvalidParameter if it is not UTF-8 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Refusal('InvalidParameter', 'the body is not UTF-8')
  return withoutByteOrderMark(bytes.toString())
}

/**
 * Removes a byte order mark, which some clients write before JSON; a parser may ignore it (RFC 8259, 8.1).
 */
function withoutByteOrderMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

const maxDiscardedBytes = 1_048_576

/**
 * Reads and discards the rest of a body that no handler reads: many clients read the response only after they
 * have sent the body. Above `maxDiscardedBytes` the connection is closed.
 */
export function discardRest(req: IncomingMessage): void {
  const { headers } = req
  if (req.complete || (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined))
    return
  let remainingBytes = maxDiscardedBytes
  req.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length
    if (remainingBytes < 0) req.socket.destroy()
  })
  req.resume()
}
