import { Counter, Gauge, type Registry } from 'prom-client'
import type { SinkMeter } from '../../notifications/sinks/sink.ts'
import type { SinkLag } from '../../storage/feeds/sinks.ts'
import { valueWithin } from './network-gauge.ts'

/** Metrics of the processes that send the feed of the book. */
export interface SinkMetrics extends SinkMeter {
  /** @param read queries the database; a count that is late has no series */
  watch(read: () => Promise<readonly SinkLag[]>): void
}

/** Time that values are kept for further scrapers. */
const cachedMs = 1_000
const answerMs = 1_000

export function createSinkMetrics(registry: Registry, now: () => number): SinkMetrics {
  const registers = [registry]
  const events = new Counter({
    name: 'tradegraph_sink_events_total',
    help: 'Entries of the feed of the book by kind of sink and outcome: sent, or failed (sent again).',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  const gaps = new Counter({
    name: 'tradegraph_sink_gaps_total',
    help: 'Times that entries were removed by their age before a sink had them.',
    labelNames: ['kind'],
    registers,
  })
  let watched: (() => Promise<readonly SinkLag[]>) | undefined
  let lags: { at: number; read: Promise<readonly SinkLag[] | undefined> } | undefined
  const read = () => {
    if (!watched) return undefined
    if (!lags || now() - lags.at >= cachedMs) lags = { at: now(), read: valueWithin(answerMs, watched()) }
    return lags.read
  }
  const gauge = (name: string, help: string, value: (lag: SinkLag) => number) =>
    new Gauge({
      name,
      help,
      registers,
      labelNames: ['sink'],
      async collect() {
        const found = await read()
        this.reset()
        for (const lag of found ?? []) this.set({ sink: lag.name }, value(lag))
      },
    })
  gauge(
    'tradegraph_sink_lag_entries',
    'Entries of the feed after the cursor of a sink that is not paused, counted up to 10,000.',
    ({ entries }) => entries,
  )
  gauge(
    'tradegraph_sink_lag_seconds',
    'Age of the oldest entry that waits; 0 without any.',
    ({ seconds }) => seconds,
  )
  return {
    count: (kind, outcome, count) => events.inc({ kind, outcome }, count),
    countGap: (kind) => gaps.inc({ kind }),
    watch(watch) {
      watched = watch
    },
  }
}
