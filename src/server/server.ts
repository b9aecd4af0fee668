import { randomUUID } from 'node:crypto'
import { createPartners, isPartnerKey, type Partners, type PartnerTimes } from '../accounts/partners.ts'
import { createRateLimits, type Rates } from '../execution/admission/rate-limits.ts'
import { createExecutor } from '../execution/execute.ts'
import type { IdempotencyTimes } from '../execution/idempotency.ts'
import { createKeyReader } from '../graphql/context/access.ts'
import type { IsTrusted } from '../http/client-address.ts'
import type { AccessLog } from './access-log.ts'
import { createListener, type RequestTimes } from './listener.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createMetricsHandler } from './monitor.ts'
import type { CallingPartners } from './request.ts'
import { createHttpRouter, type HttpRouterOptions } from './routes.ts'

export interface ServerOptions extends Omit<HttpRouterOptions, 'partners'> {
  newRequestId?: () => string
  /** Unlimited by default. */
  rateLimits?: Rates
  /** Proxies whose X-Forwarded-For is trusted; none by default. */
  isTrustedProxy?: IsTrusted
  idempotencyTimes?: Partial<IdempotencyTimes>
  /** Partners of the deployment; own ones, which end with the server, by default. */
  partners?: Partners
  partnerTimes?: Partial<PartnerTimes>
  requestTimes?: Partial<RequestTimes>
  accessLog?: AccessLog | undefined
  /** Wait for responses in progress at the end. */
  drainMs?: number
  /** Metrics of requests; separate by default. */
  metrics?: Metrics
  /** Checks the key of a request for the metrics. Without it, /metrics is not served. */
  isMetricsReader?: ((apiKey: string | undefined) => boolean) | undefined
}

interface Server {
  /** @returns the address it listens on, such as http://127.0.0.1:4000 */
  listen(port: number, host: string): Promise<string>
  /** Keeps serving, and asks clients to close their connections. */
  drain(): void
  /** Takes no more requests, ends streams, and waits for responses in progress. */
  close(): Promise<void>
}

export function createServer(options: ServerOptions): Server {
  const { log, newRequestId = randomUUID, isTrustedProxy = () => false, rateLimits } = options
  const { metrics = createMetrics(false) } = options
  const partners = options.partners ?? createPartners(options, options.partnerTimes)
  const services = { ...options, partners }
  const ownReads = (client: string) => partners.limitsOf(client)?.costUnitsPerSecond
  const executor = createExecutor(services, {
    ...(rateLimits && {
      limits: createRateLimits(rateLimits, options.now, { shared: options.shared?.budgets, ownReads }),
    }),
    onLimited: metrics.countLimited,
    partners,
    times: options.idempotencyTimes ?? {},
  })
  const metricsHandler = options.isMetricsReader && createMetricsHandler(metrics, options.isMetricsReader)
  const router = createHttpRouter(executor, services, metricsHandler)
  const calling: CallingPartners = {
    // The address pays for a key that has to be read first.
    find: (caller) => partners.find(caller.apiKey, () => void executor.arrive({ ...caller })),
    count({ apiKey, partner, units = 0 }) {
      if (isPartnerKey(apiKey)) metrics.countPartner(partner ? 'accepted' : 'refused')
      if (partner) partners.countRequest(partner, units)
    },
  }
  const { requestTimes: times, drainMs, accessLog } = options
  const serving = {
    executor,
    newRequestId,
    apiKeyOf: createKeyReader(options),
    isTrustedProxy,
    partners: calling,
    router,
    metrics,
    accessLog,
    onCut: metrics.countCut,
  }
  const listener = createListener({ ...serving, times, drainMs })

  return {
    listen: listener.listen,
    drain: listener.drain,
    async close() {
      const closed = listener.close(() => log.warn('server: answers are still under way, closing anyway'))
      router.close()
      await closed
      if (!options.partners) await partners.close()
    },
  }
}
