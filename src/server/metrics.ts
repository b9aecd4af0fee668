import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { type ChainMetrics, createChainMetrics } from './measures/chain-metrics.ts'
import { createDeliveryMetrics, type DeliveryMetrics } from './measures/delivery-metrics.ts'
import { createLoopMetrics, type LoopMetrics } from './measures/loop-metrics.ts'
import { createSinkMetrics, type SinkMetrics } from './measures/sink-metrics.ts'
import { createStreamMetrics, type StreamMetrics } from './measures/stream-metrics.ts'
import { createWorkMetrics, type WorkMetrics } from './measures/work-metrics.ts'

export interface Metrics {
  count(method: string, route: string, status: number, milliseconds: number): void
  /** Counts a request over a rate limit. */
  countLimited(limit: string): void
  /** Counts a request with a partner's key. */
  countPartner(result: 'accepted' | 'refused'): void
  /** Counts bytes that a client caused to be stored. */
  countStored(what: string, bytes: number): void
  /** Counts a response that its client did not take. */
  countCut(): void
  countRemoved(table: string, rows: number): void
  loops: LoopMetrics
  chain: ChainMetrics
  streams: StreamMetrics
  deliveries: DeliveryMetrics
  sinks: SinkMetrics
  work: WorkMetrics
  contentType: string
  text(): Promise<string>
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A known method, or `other`: clients may send any. */
export const knownMethod = (method: string): string => (knownMethods.has(method) ? method : 'other')

/** The label `route` is a pattern, never a path: clients must not be able to create series. */
export function createMetrics(processMetrics: boolean, now: () => number = Date.now): Metrics {
  const registry = new Registry()
  if (processMetrics) collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'tradegraph_http_requests_total',
    help: 'Requests that got a response.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'tradegraph_http_request_duration_seconds',
    help: 'Time from a request to the end of its response.',
    labelNames: ['route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  })
  const limited = new Counter({
    name: 'tradegraph_rate_limited_total',
    help: 'Requests over a limit of their client: a rate, or the stored bytes of a kind.',
    labelNames: ['limit'],
    registers: [registry],
  })
  const partners = new Counter({
    name: 'tradegraph_partner_requests_total',
    help: 'Requests with a key of a partner by result: accepted, or refused (unknown, revoked or expired).',
    labelNames: ['result'],
    registers: [registry],
  })
  const stored = new Counter({
    name: 'tradegraph_stored_bytes_total',
    help: 'Bytes that clients caused to be stored, as their budgets count them.',
    labelNames: ['kind'],
    registers: [registry],
  })
  const cut = new Counter({
    name: 'tradegraph_answers_cut_total',
    help: 'Responses that clients did not take in time: their connections were closed.',
    registers: [registry],
  })
  const removed = new Counter({
    name: 'tradegraph_rows_removed_total',
    help: 'Rows removed by their age.',
    labelNames: ['table'],
    registers: [registry],
  })
  type Series = { requests: Counter.Internal; durations: Histogram.Internal<'route'> }
  const series = new Map<string, Series>()
  /** Cached by one key, because the library sorts the labels on each call. */
  const seriesOf = (method: string, route: string, status: number): Series => {
    const key = `${method} ${status} ${route}`
    const cached = series.get(key)
    if (cached) return cached
    const created = {
      requests: requests.labels({ method, route, status }),
      durations: durations.labels({ route }),
    }
    series.set(key, created)
    return created
  }
  return {
    count(method, route, status, milliseconds) {
      const labelled = seriesOf(knownMethod(method), route, status)
      labelled.requests.inc()
      labelled.durations.observe(milliseconds / 1000)
    },
    countLimited: (limit) => limited.inc({ limit }),
    countPartner: (result) => partners.inc({ result }),
    countStored: (kind, bytes) => stored.inc({ kind }, bytes),
    countCut: () => cut.inc(),
    countRemoved: (table, rows) => removed.inc({ table }, rows),
    loops: createLoopMetrics(registry, now),
    chain: createChainMetrics(registry),
    streams: createStreamMetrics(registry),
    deliveries: createDeliveryMetrics(registry, now),
    sinks: createSinkMetrics(registry, now),
    work: createWorkMetrics(registry),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  }
}
