import { weakTag } from './conditional.ts'
import type { HttpResponse } from './response.ts'

/**
 * An answer that is the same for everybody who asks. It is tagged here, and compressed once for each coding by
 * whoever writes it, for as long as it is held: so it has to be kept, not made again.
 */
export function constant(headers: HttpResponse['headers'], body: string | Buffer): HttpResponse {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { status: 200, headers: { ...headers, ETag: weakTag(bytes) }, body: bytes }
}

/** Makes something when it is first asked for, and keeps it. */
export function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}
