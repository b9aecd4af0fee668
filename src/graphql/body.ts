import type { IncomingMessage } from 'node:http'
import { Refusal } from '../domain/error.ts'

/**
 * The request's body as text.
 * @throws Refusal PayloadTooLarge as soon as it is over `limit` bytes; the rest is not read
 */
export async function readBody(req: IncomingMessage, limit: number): Promise<string> {
  const tooLarge = () => new Refusal('PayloadTooLarge', `the body is over ${limit} bytes`)
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  // The socket must outlive a refusal, or the client never reads it.
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limit) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    // The client has gone: nobody reads this, and it is no fault of the program.
    if (!(error instanceof Refusal) && req.destroyed)
      throw new Refusal('InvalidParameter', 'the body ended early')
    throw error
  }
  return Buffer.concat(chunks).toString()
}
