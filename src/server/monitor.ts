import { randomUUID } from 'node:crypto'
import { Refusal } from '../domain/errors/error.ts'
import type { Log } from '../domain/log.ts'
import { apiKeyOf } from '../graphql/context/access.ts'
import { maskError } from '../graphql/errors.ts'
import { createListener, type Listener } from './listener.ts'
import type { Metrics } from './metrics.ts'
import {
  type Handler,
  type HttpRouter,
  healthRoutes,
  metricsPath,
  notFound,
  type Ready,
  readOnly,
} from './routes.ts'

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

interface MonitorOptions {
  log: Log
  metrics: Metrics
  ready: Ready
  isMetricsReader: (apiKey: string | undefined) => boolean
}

/** The operator's port, in every role: only metrics and health. */
export function createMonitor({ log, metrics, ready, isMetricsReader }: MonitorOptions): Listener {
  const exact = new Map([
    ...healthRoutes(ready),
    [metricsPath, createMetricsHandler(metrics, isMetricsReader)],
  ])
  const router: Pick<HttpRouter, 'handlerOf'> = { handlerOf: (path) => exact.get(path) ?? notFound }
  return createListener({
    executor: { mask: (error, requestId) => maskError(error as Error, log, requestId) },
    router,
    metrics: { count() {} },
    onCut() {},
    newRequestId: randomUUID,
    apiKeyOf,
    isTrustedProxy: () => false,
  })
}
