import { randomUUID } from 'node:crypto'
import { createRateLimits, type Rates } from '../execution/admission/rate-limits.ts'
import { createExecutor } from '../execution/execute.ts'
import type { IdempotencyTimes } from '../execution/idempotency.ts'
import type { IsTrusted } from '../http/client-address.ts'
import { createListener, type RequestTimes } from './listener.ts'
import { createMetrics } from './metrics.ts'
import { answerMetrics, metricsAlone } from './metrics-answer.ts'
import { createHttpRouter, type HttpRouterOptions } from './routes.ts'

export interface ServerOptions extends HttpRouterOptions {
  newRequestId?: () => string
  /** None when left out. */
  rateLimits?: Rates
  /** Whose word about a client's address counts; nobody's when left out. */
  isTrustedProxy?: IsTrusted
  idempotencyTimes?: Partial<IdempotencyTimes>
  requestTimes?: Partial<RequestTimes>
  /** Measures of the process itself beside those of requests. */
  processMetrics?: boolean
  /** Who may read the metrics, by the key that came with the request; nobody when left out. */
  isMetricsReader?: (apiKey: string | undefined) => boolean
  /** Metrics are read at `listenForMetrics` alone, not beside everything else. */
  metricsApart?: boolean
}

export interface Server {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /** A port of their own for the metrics. */
  listenForMetrics(port: number, host: string): Promise<string>
  /** Takes no more requests, ends streams, and waits for answers that are under way. */
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
  const answer = options.isMetricsReader && answerMetrics(metrics, options.isMetricsReader)
  const router = createHttpRouter(executor, options, options.metricsApart ? undefined : answer)
  const serving = { executor, newRequestId, isTrustedProxy, times: options.requestTimes }
  const main = createListener({ ...serving, router, metrics })
  const apart = createListener({ ...serving, router: metricsAlone(answer), metrics: { count() {} } })

  return {
    listen: main.listen,
    listenForMetrics: apart.listen,
    async close() {
      const onLate = () => log.warn('server: answers are still under way, closing anyway')
      const closed = Promise.all([main.close(onLate), apart.close(onLate)])
      router.close()
      await closed
    },
  }
}
