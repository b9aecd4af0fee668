import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/error.ts'

/**
 * The request's body as text.
 * @throws Refusal PayloadTooLarge as soon as it is over `limit` bytes; the rest is not read
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
      settled = true
      resolve((chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString())
    })
    req.on('error', gone).on('close', gone)
  })
}
