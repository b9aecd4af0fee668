import { Counter, Gauge, type Registry } from 'prom-client'
import { valueWithin } from './network-gauge.ts'

/** Waiting messages for one kind of channel. */
interface WaitingOfKind {
  kind: string
  count: number
  oldestSeconds: number
}

/** Metrics of the processes that send to channels. */
export interface DeliveryMetrics {
  /** Messages of this process. */
  count(kind: string, outcome: string, messages: number): void
  /** @param read queries the database; a count that is late has no series */
  watch(read: () => Promise<readonly WaitingOfKind[]>): void
}

/** Time that values are kept for further scrapers. */
const cachedMs = 5_000
const answerMs = 1_000

export function createDeliveryMetrics(registry: Registry, now: () => number): DeliveryMetrics {
  const registers = [registry]
  const messages = new Counter({
    name: 'tradegraph_channel_messages_total',
    help: 'Messages to channels by kind of channel and outcome: sent, failed (tried again, unless it is counted as dead too), dead, or gone (the receiver ended its channel).',
    labelNames: ['kind', 'outcome'],
    registers,
  })
  let watched: (() => Promise<readonly WaitingOfKind[]>) | undefined
  let cached: { at: number; waiting: Promise<readonly WaitingOfKind[] | undefined> } | undefined
  const read = () => {
    if (!watched) return undefined
    if (!cached || now() - cached.at >= cachedMs)
      cached = { at: now(), waiting: valueWithin(answerMs, watched()) }
    return cached.waiting
  }
  const gauge = (name: string, help: string, value: (waiting: WaitingOfKind) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      async collect() {
        const waiting = await read()
        this.reset()
        for (const row of waiting ?? []) this.set({ kind: row.kind }, value(row))
      },
    })
  gauge(
    'tradegraph_channel_messages_waiting',
    'Waiting messages by kind of channel, of all processes, counted up to 10,000.',
    ({ count }) => count,
  )
  gauge(
    'tradegraph_channel_oldest_wait_seconds',
    'Wait of the oldest of them, including waits for its next attempt and for blocks.',
    ({ oldestSeconds }) => oldestSeconds,
  )
  return {
    count: (kind, outcome, count) => messages.inc({ kind, outcome }, count),
    watch(watch) {
      watched = watch
    },
  }
}
