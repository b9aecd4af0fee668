import type { ServerResponse } from 'node:http'

/** An answer before it is written. What every answer says (CORS, length, encoding) is for who writes it. */
export interface HttpResponse {
  status: number
  headers: Readonly<Record<string, string>>
  /** Bytes are for what never changes: they are compressed once. */
  body: string | Buffer
}

/** Writes an answer that goes on to its end. Nothing was sent before. */
export type StreamWriter = (res: ServerResponse) => Promise<void>

/** Whole, or as a stream that is about to begin. */
export type RoutedAnswer = HttpResponse | { stream: StreamWriter }
