import { randomUUID } from 'node:crypto'
import type { Log } from '../domain/log.ts'
import { maskError } from '../graphql/errors.ts'
import { createListener, type Listener } from './listener.ts'
import type { Metrics } from './metrics.ts'
import { createMetricsHandler } from './metrics-answer.ts'
import { type HttpRouter, healthRoutes, metricsPath, notFound, type Ready } from './routes.ts'

export interface MonitorOptions {
  log: Log
  metrics: Metrics
  ready: Ready
  isMetricsReader: (apiKey: string | undefined) => boolean
}

/** The operator's port, in every role: metrics and health, and nothing else. */
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
    isTrustedProxy: () => false,
  })
}
