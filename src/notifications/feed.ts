import { createTimeSlices } from '../concurrency/event-loop.ts'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Log } from '../domain/log.ts'
import type { Signals } from '../storage/database/signals.ts'
import type { FeedPort } from '../storage/feeds/port.ts'
import type { FeedReading, FeedTexts, Place } from '../storage/feeds/texts.ts'
import { refusalOf } from '../storage/query/fault.ts'
import { FeedFollower, type Follower, type Sink } from './feed-follower.ts'
import type { MemoryLimits, Rendered } from './feed-memory.ts'
import { createFeedReader } from './feed-reader.ts'
import { type Rendering, Selection } from './feed-selection.ts'

export interface FollowRequest<Result extends Rendered> {
  /** What is followed, such as an account. */
  key: string
  /** A cursor, or "earliest"; null starts now. */
  after: string | null
  /** Whose turn its reads are. */
  client: string
  rendering: Rendering<Result>
  sink: Sink
}

/** A feed of durable entries, which one reader follows for all streams of the process. */
export interface Feed {
  texts(reading: FeedReading): FeedTexts
  /**
   * Entries after the cursor, then those committed from now on, each once and in commit order.
   * @throws Refusal InvalidParameter for a cursor of another feed; Outage
   */
  follow<Result extends Rendered>(request: FollowRequest<Result>): Promise<Follower<Result>>
  state(): FeedState
  close(): void
}

export interface FeedState {
  followers: number
  /** Those that read pages. */
  behind: number
  /** Seconds from the writing of the last entry to its reading. */
  lagSeconds: number
}

export interface FeedLimits extends MemoryLimits {
  /** Of the texts of one page. */
  pageBytes: number
  /** Statements for texts and pages that run at the same time. */
  statements: number
}

export const defaultFeedLimits: FeedLimits = {
  entries: 10_000,
  bytes: 64 * 1_048_576,
  pageBytes: 32_768,
  statements: 2,
}

export interface FeedOptions {
  port: FeedPort
  signals: Signals
  log: Log
  limits?: Partial<FeedLimits>
}

type Followers = Map<Selection, Set<FeedFollower>>

export function createFeed({ port, signals, log, limits: given = {} }: FeedOptions): Feed {
  const limits = { ...defaultFeedLimits, ...given }
  const { statements: most } = limits
  const enqueue = createFairQueue({
    running: { most, perKey: Math.max(1, most - 1) },
    waiting: { most: Number.POSITIVE_INFINITY, perKey: Number.POSITIVE_INFINITY },
    refusal: (why) => new Error(why),
  })
  const selections = new Map<string, { selection: Selection; followers: number }>()
  const followersByKey = new Map<string, Followers>()
  const reader = createFeedReader<Selection>({
    port,
    signals,
    log,
    limits,
    isFollowed: (key) => followersByKey.has(key),
    onEntry(entry) {
      for (const [selection, followers] of followersByKey.get(entry.key) ?? []) {
        for (const follower of followers) follower.arrived(entry)
        const [first] = followers
        if (first) selection.want(entry, first.client)
      }
    },
  })
  const { memory, readTo } = reader

  async function forEach(selection: Selection, keys: ReadonlySet<string>, act: (sink: Sink) => void) {
    const rest = createTimeSlices()
    for (const key of keys)
      for (const follower of followersByKey.get(key)?.get(selection) ?? []) {
        act(follower.options.sink)
        await rest()
      }
  }

  function selectionOf(rendering: Rendering): Selection {
    const known = selections.get(rendering.key)
    if (known) {
      known.followers++
      return known.selection
    }
    const selection = new Selection(rendering, {
      memory,
      readTo,
      enqueue,
      pageBytes: limits.pageBytes,
      onReady: (selection, keys) => void forEach(selection, keys, (sink) => sink.wake()),
      onFault: (selection, keys, fault) => void forEach(selection, keys, (sink) => sink.fail(fault)),
    })
    selections.set(rendering.key, { selection, followers: 1 })
    return selection
  }

  function add(follower: FeedFollower): void {
    const { key, options } = follower
    const ofKey: Followers = followersByKey.get(key) ?? new Map()
    followersByKey.set(key, ofKey)
    ofKey.set(options.selection, (ofKey.get(options.selection) ?? new Set()).add(follower))
  }

  function remove(follower: FeedFollower): void {
    const { key, options } = follower
    const ofKey = followersByKey.get(key)
    const ofSelection = ofKey?.get(options.selection)
    if (!ofKey || !ofSelection?.delete(follower)) return
    if (ofSelection.size === 0) ofKey.delete(options.selection)
    if (ofKey.size === 0) followersByKey.delete(key)
    const shared = selections.get(options.selection.rendering.key)
    if (shared && --shared.followers === 0) selections.delete(options.selection.rendering.key)
    reader.leave()
  }

  /** @throws Refusal for a cursor beyond the head: it is from another database, and would never deliver anything */
  async function startOf(after: string | null): Promise<Place> {
    const place = after === null ? undefined : port.placeOf(after)
    await reader.start()
    if (place === undefined || place > readTo()) await reader.refresh()
    if (place === undefined) return readTo()
    if (place > readTo()) throw refusalOf('c')
    return place
  }

  return {
    texts: (reading) => port.texts(reading),
    async follow({ key, after, client, rendering, sink }) {
      reader.join()
      try {
        const place = await startOf(after)
        const selection = selectionOf(rendering)
        const options = { key, client, sink, selection, memory, gapAt, onClose: remove }
        const follower = new FeedFollower(place, options)
        add(follower)
        return follower as Follower as Follower<never>
      } catch (fault) {
        reader.leave()
        throw fault
      }
    },
    state() {
      const all = [...followersByKey.values()].flatMap((ofKey) => [...ofKey.values()])
      const followers = all.flatMap((ofSelection) => [...ofSelection])
      return {
        followers: followers.length,
        behind: followers.filter(({ isBehind }) => isBehind).length,
        lagSeconds: reader.lagSeconds(),
      }
    },
    close: reader.close,
  }
}

function gapAt(keptFrom: Place): Refusal {
  const { code, message } = refusalOf('e')
  return new Refusal(code, message, { field: 'after', ending: { reason: 'GAP', cursor: String(keptFrom) } })
}
