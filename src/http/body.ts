import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { parse } from 'content-type'
import rawBody from 'raw-body'
import { Refusal } from '../domain/errors/error.ts'

/**
 * @param anyType whether the body is taken for JSON whatever it calls itself
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
 * The request's body as text.
 * @throws Refusal PayloadTooLarge as soon as it is over `limit` bytes, the rest is not read; InvalidParameter
 * when it is no UTF-8, and when the client has gone: that is no fault of the program
 */
export async function readBody(req: IncomingMessage, limit: number): Promise<string> {
  const length = req.headers['content-length'] ?? null
  const bytes = await rawBody(req, { limit, length }).catch((fault: rawBody.RawBodyError) => {
    throw fault.type === 'entity.too.large'
      ? new Refusal('PayloadTooLarge', `the body is over ${limit} bytes`)
      : new Refusal('InvalidParameter', 'the body ended early')
  })
  if (!isUtf8(bytes)) throw new Refusal('InvalidParameter', 'the body is not UTF-8')
  return withoutMark(bytes.toString())
}

/** JSON may be read without the byte order mark that some write in front of it. */
function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

/** In bytes. */
const maxDiscarded = 1_048_576

/**
 * What is left of a body that nobody wants is read and thrown away, so that its sender comes to read the
 * answer. Not for ever.
 */
export function discardRest(req: IncomingMessage): void {
  const { headers } = req
  if (req.complete || (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined))
    return
  let left = maxDiscarded
  req.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) req.socket.destroy()
  })
  req.resume()
}
