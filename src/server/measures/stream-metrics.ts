import { Counter, Gauge, type Registry } from 'prom-client'
import { createStreamMeter, type StreamMeter } from '../../http/event-stream.ts'
import type { Feed, Feeds } from '../../notifications/feed.ts'
import type { WaitingCommits } from '../../storage/feeds/tail.ts'
import { valueWithin } from './network-gauge.ts'

export interface StreamMetrics extends StreamMeter {
  /** Measures feeds too. */
  follow(feeds: Feeds): void
  /** @param read queries the database; a count that is late has no series */
  watchCommits(read: () => Promise<WaitingCommits>): void
}

const answerMs = 1_000

/** Reads plain numbers at each scrape: deliveries must not pay for metrics. */
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
    help: 'Open event streams, of GraphQL and REST.',
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
    name: 'tradegraph_stream_rests_total',
    help: 'Waits of streams whose clients were over their cost units.',
    registers,
    collect() {
      this.reset()
      this.inc(meter.rests)
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
    'Followers that are behind the memory and read pages.',
    ({ behind }) => behind,
  )
  gaugeOf(
    'tradegraph_feed_lag_seconds',
    'Time from the writing of the last entry to its reading by this process.',
    ({ lagSeconds }) => lagSeconds,
  )
  let readCommits: (() => Promise<WaitingCommits>) | undefined
  const ofCommits = (name: string, help: string, value: (waiting: WaitingCommits) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.remove()
        const waiting = await valueWithin(answerMs, readCommits?.())
        if (waiting) this.set(value(waiting))
      },
    })
  ofCommits(
    'tradegraph_feed_commits_waiting',
    'Transactions of all processes that wait in their commit for their places in feeds.',
    ({ count }) => count,
  )
  ofCommits(
    'tradegraph_feed_commit_wait_seconds',
    'Wait of the first of them.',
    ({ maxSeconds }) => maxSeconds,
  )
  return Object.assign(meter, {
    watchCommits(read: () => Promise<WaitingCommits>) {
      readCommits = read
    },
    follow: (followed: Feeds) => void feeds.push(...(Object.entries(followed) as [string, Feed][])),
  })
}
