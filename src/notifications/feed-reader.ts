import { setTimeout as pause } from 'node:timers/promises'
import { createTimeSlices } from '../concurrency/event-loop.ts'
import type { Log } from '../domain/log.ts'
import type { Signals } from '../storage/database/signals.ts'
import type { FeedTail } from '../storage/feeds/tail.ts'
import type { FeedPosition } from '../storage/feeds/texts.ts'
import { maxPosition } from '../storage/query/feed-source.ts'
import { FeedMemory, type KeptEntry, type MemoryLimits } from './feed-memory.ts'

/** Reads a feed for all of its followers. It stands still while there are none. */
interface FeedReader<Texts> {
  memory(): FeedMemory<Texts>
  /** The place up to which the feed was read. */
  readTo(): FeedPosition
  join(): void
  leave(): void
  /** Resolves when `readTo` is known. @throws Outage */
  start(): Promise<void>
  /** Reads once more; concurrent callers share it. @throws Outage */
  refresh(): Promise<void>
  /** Seconds from the writing of the last entry to its reading. */
  lagSeconds(): number
  close(): void
}

interface FeedReaderOptions<Texts> {
  port: FeedTail
  signals: Signals
  log: Log
  limits: MemoryLimits
  keysOf?: ((entryKey: string) => Iterable<string>) | undefined
  isFollowed(key: string): boolean
  onEntry(entry: KeptEntry<Texts>): void
}

/** Entries of one statement. */
const batch = 1_000
/** Covers lost signals. */
const pollMs = 1_000
/** Interval of reads of a busy feed, for any number of signals. After a pause, two may follow directly. */
const pauseMs = 15
/** Time that an entry stays in memory: less than the shortest retention, which is a day. */
const keptMs = 43_200_000
/** Time that the memory is kept, and kept up, for returning followers. */
const lingerMs = 60_000

export function createFeedReader<Texts>(options: FeedReaderOptions<Texts>): FeedReader<Texts> {
  const { port, signals, log, limits, keysOf, isFollowed, onEntry } = options
  let memory = new FeedMemory<Texts>(limits, 0n, keysOf)
  let place: FeedPosition | undefined
  let followers = 0
  let leftAt = 0
  let poll: NodeJS.Timeout | undefined
  let lagSeconds = 0
  let lastStart = 0
  /** When the next read is due, if the feed is busy. */
  let due = 0
  let isWanted = false
  let reading: Promise<void> | undefined
  let starting: Promise<void> | undefined

  async function readOnce(): Promise<void> {
    const kept = memory
    // It stopped meanwhile, and may have started again.
    const isOver = () => place === undefined || memory !== kept
    for (let isMore = true; isMore; ) {
      lastStart = performance.now()
      const { entries, head } = await port.readNew(place ?? 0n, batch)
      const rest = createTimeSlices()
      for (const entry of entries) {
        await rest()
        if (isOver()) return
        onEntry(kept.add(entry))
      }
      if (place === undefined || isOver()) return
      isMore = entries.length === batch
      const last = entries.at(-1)
      lagSeconds = (last?.ageMs ?? 0) / 1_000
      place = isMore && last ? last.place : head > place ? head : place
    }
  }

  /** One read at a time, `pauseMs` apart when they follow one another. */
  function read(): Promise<void> {
    isWanted = true
    reading ??= (async () => {
      try {
        const wait = due - pauseMs - performance.now()
        if (wait > 0) await pause(wait, undefined, { ref: false })
        due = Math.max(due, performance.now()) + pauseMs
        isWanted = false
        await readOnce()
      } finally {
        reading = undefined
        if (isWanted) void read().catch(report)
      }
    })()
    return reading
  }

  const report = (fault: unknown) =>
    log.warn('feed: reading failed, trying again soon', { cause: String(fault) })

  async function startReading(): Promise<void> {
    const { head } = await port.readNew(maxPosition, 1)
    memory = new FeedMemory<Texts>(limits, head, keysOf)
    place = head
    poll ??= setInterval(look, pollMs)
    poll.unref()
  }

  function look(): void {
    const now = performance.now()
    memory.expire(now - keptMs)
    if (followers === 0 && now - leftAt >= lingerMs) stop()
    else if (now - lastStart >= pollMs) void read().catch(report)
  }

  function stop(): void {
    clearInterval(poll)
    poll = undefined
    place = undefined
  }

  const unsubscribe = signals.on(port.topic, (payload) => {
    if (place !== undefined && followers > 0 && port.concerns(payload, isFollowed)) void read().catch(report)
  })

  return {
    memory: () => memory,
    readTo: () => place ?? 0n,
    join() {
      followers++
    },
    leave() {
      followers--
      leftAt = performance.now()
    },
    start() {
      if (place !== undefined) return Promise.resolve()
      starting ??= startReading().finally(() => {
        starting = undefined
      })
      return starting
    },
    async refresh() {
      // The current read may have begun earlier.
      await reading?.catch(() => {})
      await read()
    },
    lagSeconds: () => lagSeconds,
    close() {
      unsubscribe()
      stop()
    },
  }
}
