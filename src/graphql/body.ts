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
    const end = (error?: unknown) => {
      req.off('data', take).off('end', done).off('error', gone).off('close', gone)
      if (error) reject(error)
    }
    // The socket must outlive a refusal, or the client never reads it.
    const refuse = () => {
      req.pause()
      end(new Refusal('PayloadTooLarge', `the body is over ${limit} bytes`))
    }
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) refuse()
      else chunks.push(chunk)
    }
    const done = () => {
      end()
      resolve((chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)).toString())
    }
    // The client has gone: nobody reads this, and it is no fault of the program.
    const gone = () => end(new Refusal('InvalidParameter', 'the body ended early'))
    if (Number(req.headers['content-length'] ?? 0) > limit) return refuse()
    if (req.destroyed) return gone()
    req.on('data', take).on('end', done).on('error', gone).on('close', gone)
  })
}
