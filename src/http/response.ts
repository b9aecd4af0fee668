import type { ServerResponse } from 'node:http'

/**
 * An answer before it is written. `writeResponse` adds the length, the coding and the headers of all
 * responses.
 */
export interface HttpResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** The body. Constant bodies are bytes, which are compressed once. */
  body: string | Buffer
}

/** Marks an answer as private to its client: no cache may store it. */
export function noStore<Answer extends RoutedAnswer>(answer: Answer): Answer {
  if ('stream' in answer) return answer
  return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store' } }
}

/** Writes a whole stream, from its headers to its end. */
export type StreamWriter = (res: ServerResponse) => Promise<void>

/** A complete answer, or a stream that has not begun. */
export type RoutedAnswer = HttpResponse | { stream: StreamWriter }
