import { Refusal } from '../domain/errors/error.ts'
import type { Metrics } from './metrics.ts'
import { type Handler, readOnly } from './routes.ts'

/** Handler of /metrics. Refuses callers that `isReader` does not accept as Unauthorized. */
export function createMetricsHandler(
  metrics: Pick<Metrics, 'contentType' | 'text'>,
  isReader: (apiKey: string | undefined) => boolean,
): Handler {
  return readOnly(async (_req, { apiKey }) => {
    if (!isReader(apiKey))
      throw new Refusal('Unauthorized', 'send the key of the metrics as Authorization: Bearer … or X-API-Key')
    const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
    return { status: 200, headers, body: await metrics.text() }
  })
}
