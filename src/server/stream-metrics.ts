import { Counter, Gauge, type Registry } from 'prom-client'
import { createStreamMeter, type StreamMeter } from '../http/stream-meter.ts'
import type { Feed } from '../notifications/feed.ts'
import type { Feeds } from '../notifications/feeds.ts'

export interface StreamMetrics extends StreamMeter {
  /** Measures feeds, beside the streams. */
  follow(feeds: Feeds): void
}

/** Read from plain numbers when they are asked for: a delivery must not pay for them. */
export function createStreamMetrics(registry: Registry): StreamMetrics {
  const meter = createStreamMeter()
  const feeds: [name: string, feed: Feed][] = []
  const registers = [registry]

  function gaugeOf(name: string, help: string, read: (state: ReturnType<Feed['state']>) => number): void {
    new Gauge({
      name,
      help,
      labelNames: ['feed'],
      registers,
      collect() {
        for (const [feed, { state }] of feeds) this.set({ feed }, read(state()))
      },
    })
  }

  new Gauge({
    name: 'tradegraph_streams_open',
    help: 'Open GraphQL event streams.',
    registers,
    collect() {
      this.set(meter.open)
    },
  })
  new Counter({
    name: 'tradegraph_stream_deliveries_total',
    help: 'Events sent to streams.',
    registers,
    collect() {
      this.reset()
      this.inc(meter.delivered)
    },
  })
  new Counter({
    name: 'tradegraph_streams_ended_total',
    help: 'Streams that the service ended, by reason.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of meter.ends) this.inc({ reason }, count)
    },
  })
  gaugeOf('tradegraph_feed_followers', 'Subscriptions that follow a feed.', ({ followers }) => followers)
  gaugeOf(
    'tradegraph_feed_followers_behind',
    'Those that are behind the memory and read pages.',
    ({ behind }) => behind,
  )
  gaugeOf(
    'tradegraph_feed_lag_seconds',
    'From the writing of the last entry to its reading by this process.',
    ({ lagSeconds }) => lagSeconds,
  )
  return Object.assign(meter, {
    follow: (followed: Feeds) => void feeds.push(...(Object.entries(followed) as [string, Feed][])),
  })
}
