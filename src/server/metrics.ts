import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  count(method: string, route: string, status: number, milliseconds: number): void
  /** A request over a limit. */
  countLimited(limit: string): void
  contentType: string
  text(): Promise<string>
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Routes are patterns, never paths: what clients choose must not make new series. */
export function createMetrics(ofProcess: boolean): Metrics {
  const registry = new Registry()
  if (ofProcess) collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'tradegraph_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'tradegraph_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const limited = new Counter({
    name: 'tradegraph_rate_limited_total',
    help: 'Requests over the limit of their client.',
    labelNames: ['limit'],
    registers: [registry],
  })
  type Series = { requests: Counter.Internal; durations: Histogram.Internal<'route'> }
  const series = new Map<string, Series>()
  /** Found by one look: the library puts the labels in order each time. */
  const seriesOf = (method: string, route: string, status: number): Series => {
    const key = `${method} ${status} ${route}`
    const known = series.get(key)
    if (known) return known
    const fresh = {
      requests: requests.labels({ method, route, status }),
      durations: durations.labels({ route }),
    }
    series.set(key, fresh)
    return fresh
  }
  return {
    count(method, route, status, milliseconds) {
      const counted = seriesOf(knownMethods.has(method) ? method : 'other', route, status)
      counted.requests.inc()
      counted.durations.observe(milliseconds / 1000)
    },
    countLimited: (limit) => limited.inc({ limit }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}
