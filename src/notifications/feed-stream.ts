import type { FeedReading } from '../storage/feeds/texts.ts'
import { snapshotAgain } from '../storage/query/feed-source.ts'
import type { Feed } from './feed.ts'
import type { Follower, Sink } from './feed-follower.ts'
import type { Rendered } from './feed-memory.ts'
import type { Ready } from './feed-selection.ts'

/** An entry of a feed, with the fields that a client selected. */
export interface FeedEvent {
  /** A stream that starts behind it continues with the next entry. */
  cursor: string
  /** JSON, which all readers of the same selection share. */
  text: string
}

export interface StreamRequest {
  key: string
  after: string | null
  /** Whether what the key is now comes first, where it starts now. */
  snapshot?: boolean
  client: string
  reading: FeedReading
  weight: number
  /** Ends the stream. */
  signal: AbortSignal
}

/** Whether a snapshot comes first, if it is asked for. */
export function startsAnew(after: string | null): boolean {
  return after === null || after === snapshotAgain
}

/** The entries of a feed as they are taken, one after the other. @throws as `Feed.follow`; Refusal FeedGap, also later */
export async function* streamFeed(
  feed: Feed,
  { key, after, snapshot = false, client, reading, weight, signal }: StreamRequest,
): AsyncGenerator<FeedEvent, void> {
  const texts = feed.texts(reading)
  const first = snapshot && startsAnew(after) ? await texts.readSnapshot(key) : undefined
  const from = first ? String(first.place) : after
  const render = (text: string, place: bigint) => ({ cursor: String(place), text, bytes: 2 * text.length })
  const rendering = { key: `event ${texts.key}`, texts, weight, render }
  const sink = new WaitingSink()
  const follower = await feed.follow<FeedEvent & Rendered>({ key, after: from, client, rendering, sink })
  if (first) yield* first.entries
  for await (const { rendered } of sink.entries(follower, signal)) yield rendered
}

/** A reader that waits for each entry. */
export class WaitingSink implements Sink {
  private awake = () => {}
  private fault: { is: unknown } | undefined

  wake(): void {
    this.awake()
  }

  fail(is: unknown): void {
    this.fault = { is }
    this.awake()
  }

  /** Until `signal` aborts. @throws what the sink was failed with */
  async *entries<Result extends Rendered>(
    follower: Follower<Result>,
    signal: AbortSignal,
  ): AsyncGenerator<Ready<Result>, void> {
    const wake = () => this.awake()
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) {
        const woken = new Promise<void>((resolve) => {
          this.awake = resolve
        })
        const ready = follower.take()
        if (ready) yield ready
        else if (this.fault) throw this.fault.is
        else await woken
      }
    } finally {
      signal.removeEventListener('abort', wake)
      follower.close()
    }
  }
}
