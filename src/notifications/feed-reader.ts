import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../domain/log.ts'
import type { Signals } from '../storage/database/signals.ts'
import type { FeedPort } from '../storage/feeds/port.ts'
import type { Place } from '../storage/feeds/texts.ts'
import { FeedMemory, type KeptEntry, type MemoryLimits } from './feed-memory.ts'

/** Reads a feed for all of its followers. It stands still while there are none. */
interface FeedReader<Texts> {
  memory(): FeedMemory<Texts>
  /** The place up to which the feed was read. */
  readTo(): Place
  join(): void
  leave(): void
  /** Resolves when `readTo` is known. @throws Outage */
  start(): Promise<void>
  /** Reads once more; callers that ask at the same time share it. @throws Outage */
  refresh(): Promise<void>
  /** Seconds from the writing of the last entry to its reading. */
  lagSeconds(): number
  close(): void
}

interface FeedReaderOptions<Texts> {
  port: FeedPort
  signals: Signals
  log: Log
  limits: MemoryLimits
  isFollowed(key: string): boolean
  onEntry(entry: KeptEntry<Texts>): void
}

/** Entries of one statement. */
const batch = 1_000
/** Covers lost signals. */
const pollMs = 1_000
/** From the start of a read to that of the next: a busy feed is read this often, whatever the number of its signals. */
const pauseMs = 15
/** The memory is kept, and kept up, for followers that come back. */
const lingerMs = 60_000

export function createFeedReader<Texts>(options: FeedReaderOptions<Texts>): FeedReader<Texts> {
  const { port, signals, log, limits, isFollowed, onEntry } = options
  let memory = new FeedMemory<Texts>(limits, 0n)
  let place: Place | undefined
  let followers = 0
  let leftAt = 0
  let poll: NodeJS.Timeout | undefined
  let lagSeconds = 0
  let lastStart = 0
  let isWanted = false
  let reading: Promise<void> | undefined
  let starting: Promise<void> | undefined

  async function readOnce(): Promise<void> {
    for (let isMore = true; isMore; ) {
      lastStart = performance.now()
      const { entries, head } = await port.readNew(place ?? 0n, batch)
      if (place === undefined) return
      isMore = entries.length === batch
      for (const entry of entries) onEntry(memory.add(entry))
      const last = entries.at(-1)
      lagSeconds = (last?.ageMs ?? 0) / 1_000
      place = isMore && last ? last.place : head > place ? head : place
    }
  }

  /** One read at a time, and the next one begins no sooner than `pauseMs` after it. */
  function read(): Promise<void> {
    isWanted = true
    reading ??= (async () => {
      try {
        const wait = lastStart + pauseMs - performance.now()
        if (wait > 0) await pause(wait, undefined, { ref: false })
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
    const { head } = await port.readNew(maxPlace, 1)
    memory = new FeedMemory<Texts>(limits, head)
    place = head
    poll ??= setInterval(look, pollMs)
    poll.unref()
  }

  function look(): void {
    if (followers > 0 || performance.now() - leftAt < lingerMs) void read().catch(report)
    else stop()
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
      // What runs now may have begun before.
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

const maxPlace = 2n ** 63n - 1n
