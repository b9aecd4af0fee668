import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
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
  const type = headers['content-type'] ?? ''
  if (type === 'application/json') return
  if (!/^application\/([\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Refusal('UnsupportedMediaType', 'the body must be declared as Content-Type: application/json')
  }
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type)?.[1] ?? 'utf-8'
  if (!/^utf-?8$/i.test(charset)) throw new Refusal('UnsupportedMediaType', 'JSON is sent as UTF-8')
}

/**
 * The request's body as text.
 * @throws Refusal PayloadTooLarge as soon as it is over `limit` bytes, the rest is not read; InvalidParameter
 * when it is no UTF-8
 */
export function readBody(req: IncomingMessage, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    let settled = false
    const fail = (code: 'PayloadTooLarge' | 'InvalidParameter', message: string) => {
      settled = true
      reject(new Refusal(code, message))
    }
    // The socket must outlive a refusal, or the client never reads it.
    const refuse = () => {
      req.pause()
      fail('PayloadTooLarge', `the body is over ${limit} bytes`)
    }
    // The client has gone: nobody reads this, and it is no fault of the program.
    const gone = () => {
      if (!settled) fail('InvalidParameter', 'the body ended early')
    }
    if (Number(req.headers['content-length'] ?? 0) > limit) return refuse()
    if (req.destroyed) return gone()
    req.on('data', (chunk: Buffer) => {
      if (settled) return
      size += chunk.length
      if (size > limit) refuse()
      else chunks.push(chunk)
    })
    req.on('end', () => {
      if (settled) return
      const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
      if (!isUtf8(bytes)) return fail('InvalidParameter', 'the body is not UTF-8')
      settled = true
      resolve(withoutMark(bytes.toString()))
    })
    req.on('error', gone).on('close', gone)
  })
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
