import { randomUUID } from 'node:crypto'
import { createRateLimits, type Rates } from '../execution/admission/rate-limits.ts'
import { createExecutor } from '../execution/execute.ts'
import type { IdempotencyTimes } from '../execution/idempotency.ts'
import type { IsTrusted } from '../http/client-address.ts'
import { createListener, type RequestTimes } from './listener.ts'
import { createMetrics } from './metrics.ts'
import { createMetricsHandler, createMetricsRouter } from './metrics-answer.ts'
import { createHttpRouter, type HttpRouterOptions } from './routes.ts'

export interface ServerOptions extends HttpRouterOptions {
  newRequestId?: () => string
  /** No limits when left out. */
  rateLimits?: Rates
  /** Proxies whose X-Forwarded-For is trusted; none when left out. */
  isTrustedProxy?: IsTrusted
  idempotencyTimes?: Partial<IdempotencyTimes>
  requestTimes?: Partial<RequestTimes>
  /** Also metrics of the process (memory, CPU). */
  processMetrics?: boolean
  /** Whether the key of a request may read the metrics. Without it, /metrics is not served. */
  isMetricsReader?: (apiKey: string | undefined) => boolean
  /** /metrics is served by `listenForMetrics` only. */
  hasMetricsPort?: boolean
}

export interface Server {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /** Serves the metrics on a port of their own. @returns its address */
  listenForMetrics(port: number, host: string): Promise<string>
  /** Takes no more requests, ends streams, and waits for responses in progress. */
  close(): Promise<void>
}

export function createServer(options: ServerOptions): Server {
  const { log, newRequestId = randomUUID, isTrustedProxy = () => false, rateLimits } = options
  const metrics = createMetrics(options.processMetrics ?? false)
  const executor = createExecutor(options, {
    ...(rateLimits && { limits: createRateLimits(rateLimits, options.now) }),
    onLimited: metrics.countLimited,
    times: options.idempotencyTimes ?? {},
  })
  const metricsHandler = options.isMetricsReader && createMetricsHandler(metrics, options.isMetricsReader)
  const router = createHttpRouter(executor, options, options.hasMetricsPort ? undefined : metricsHandler)
  const serving = { executor, newRequestId, isTrustedProxy, times: options.requestTimes }
  const main = createListener({ ...serving, router, metrics })
  const metricsListener = createListener({
    ...serving,
    router: createMetricsRouter(metricsHandler),
    metrics: { count() {} },
  })

  return {
    listen: main.listen,
    listenForMetrics: metricsListener.listen,
    async close() {
      const onLate = () => log.warn('server: answers are still under way, closing anyway')
      const closed = Promise.all([main.close(onLate), metricsListener.close(onLate)])
      router.close()
      await closed
    },
  }
}
