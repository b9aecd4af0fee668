import { weakTag } from './conditional.ts'
import type { HttpResponse } from './response.ts'

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
