import { Refusal } from '../domain/errors/error.ts'
import type { Metrics } from './metrics.ts'
import { type Answer, type HttpRouter, metricsPath, readOnly } from './routes.ts'

/** What was measured, for those who may know. Refused otherwise as Unauthorized. */
export function answerMetrics(
  metrics: Pick<Metrics, 'contentType' | 'text'>,
  isReader: (apiKey: string | undefined) => boolean,
): Answer {
  return readOnly(async (_req, { apiKey }) => {
    if (!isReader(apiKey))
      throw new Refusal('Unauthorized', 'send the key of the metrics as Authorization: Bearer … or X-API-Key')
    const headers = { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' }
    return { status: 200, headers, body: await metrics.text() }
  })
}

/** A port that answers nothing else. */
export function metricsAlone(answer: Answer | undefined): Pick<HttpRouter, 'at'> {
  return { at: (path) => (path === metricsPath && answer) || nothing }
}

const nothing: Answer = () => {
  throw new Refusal('NotFound', `nothing is here but ${metricsPath}`)
}
