import { createTimeSlices } from '../concurrency/event-loop.ts'
import { createFairQueue } from '../concurrency/fair-queue.ts'
import type { Log } from '../domain/log.ts'
import type { Db } from '../storage/database/database.ts'
import type { Signals } from '../storage/database/signals.ts'
import { createFeedTail, type FeedTail } from '../storage/feeds/tail.ts'
import type { FeedPosition, FeedReading, FeedTexts } from '../storage/feeds/texts.ts'
import { auctionFeed } from '../storage/models/auction/auction.ts'
import { notificationFeed } from '../storage/models/notification/feed.ts'
import { bookFeed, orderFeed, ownerFeed } from '../storage/models/order/event.ts'
import { tradeFeed } from '../storage/models/trade.ts'
import { snapshotAgain } from '../storage/query/feed-source.ts'
import { gapRefusal, refusalOf } from '../storage/query/stored-refusals.ts'
import { FeedFollower, type Follower, type Sink } from './feed-follower.ts'
import type { MemoryLimits, Rendered } from './feed-memory.ts'
import { createFeedReader } from './feed-reader.ts'
import { type RenderedEntry, type Rendering, Selection } from './feed-selection.ts'

interface FollowRequest<Result extends Rendered> {
  /** Subject of the feed, such as an account. */
  key: string
  /** A cursor, or "earliest"; null starts now. */
  after: string | null
  /** Client whose turn the reads take. */
  client: string
  rendering: Rendering<Result>
  sink: Sink
}

/** A feed of durable entries, which one reader follows for all streams of the process. */
export interface Feed {
  texts(reading: FeedReading): FeedTexts
  /**
   * Entries after the cursor, then later commits, each once and in commit order.
   * @throws Refusal InvalidParameter for a cursor of another feed; Outage
   */
  follow<Result extends Rendered>(request: FollowRequest<Result>): Promise<Follower<Result>>
  state(): FeedState
  /** The keys that streams of this process follow. */
  keys(): Iterable<string>
  close(): void
}

interface FeedState {
  followers: number
  /** Followers that read pages. */
  behind: number
  /** Seconds from the writing of the last entry to its reading. */
  lagSeconds: number
}

export interface FeedLimits extends MemoryLimits {
  /** Limit of one page's texts. */
  pageBytes: number
  /** Statements for texts and pages that run at the same time. */
  statements: number
}

const defaultFeedLimits: FeedLimits = {
  entries: 10_000,
  bytes: 64 * 1_048_576,
  pageBytes: 32_768,
  statements: 2,
}

interface FeedOptions {
  port: FeedTail
  signals: Signals
  log: Log
  limits?: Partial<FeedLimits>
}

type Followers = Map<Selection, Set<FeedFollower>>

export function createFeed({ port, signals, log, limits: given = {} }: FeedOptions): Feed {
  const limits = { ...defaultFeedLimits, ...given }
  const { statements: max } = limits
  const enqueue = createFairQueue({
    running: { max, perKey: Math.max(1, max - 1) },
    waiting: { max: Number.POSITIVE_INFINITY, perKey: Number.POSITIVE_INFINITY },
    refusal: (why) => new Error(why),
  })
  const selections = new Map<string, { selection: Selection; followers: number }>()
  const followersByKey = new Map<string, Followers>()
  /** Filters that are followed, where keys are filters. */
  const matchers = new Map<string, (entryKey: string) => boolean>()
  function* keysMet(entryKey: string) {
    for (const [key, matches] of matchers) if (matches(entryKey)) yield key
  }
  const reader = createFeedReader<Selection>({
    port,
    signals,
    log,
    limits,
    keysOf: port.matcherOf && keysMet,
    isFollowed: (key) => followersByKey.has(key),
    onEntry(entry) {
      for (const key of entry.keys)
        for (const [selection, followers] of followersByKey.get(key) ?? []) {
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
    const matches = followersByKey.has(key) ? undefined : port.matcherOf?.(key)
    if (matches) {
      matchers.set(key, matches)
      memory().index(key, matches)
    }
    followersByKey.set(key, ofKey)
    ofKey.set(options.selection, (ofKey.get(options.selection) ?? new Set()).add(follower))
  }

  function remove(follower: FeedFollower): void {
    const { key, options } = follower
    const ofKey = followersByKey.get(key)
    const ofSelection = ofKey?.get(options.selection)
    if (!ofKey || !ofSelection?.delete(follower)) return
    if (ofSelection.size === 0) ofKey.delete(options.selection)
    if (ofKey.size === 0) {
      followersByKey.delete(key)
      if (matchers.delete(key)) memory().unindex(key)
    }
    const shared = selections.get(options.selection.rendering.key)
    if (shared && --shared.followers === 0) selections.delete(options.selection.rendering.key)
    reader.leave()
  }

  /**
   * @throws Refusal for a cursor beyond the head: it is from another database, and would never deliver
   *   anything
   */
  async function startOf(after: string | null): Promise<FeedPosition> {
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
    keys: () => followersByKey.keys(),
    close: reader.close,
  }
}

const gapAt = (keptFrom: FeedPosition) => gapRefusal(String(keptFrom))

/** The durable feeds by subject: each has one reader, which stands still while it has no follower. */
export interface Feeds {
  /** Notifications of an account, by its address. */
  account: Feed
  /** Events of an order, by its row key. */
  order: Feed
  /** Events of an account's orders, by its address. */
  owner: Feed
  /** Competitions and settlements of a network, by its chain id. */
  network: Feed
  /** Events of all orders, by a filter. */
  book: Feed
  /** Trades of all orders, by a filter. */
  trade: Feed
}

export function createFeeds({ db, ...options }: Omit<FeedOptions, 'port'> & { db: Db }): Feeds {
  const feedOf = (source: Parameters<typeof createFeedTail>[1]) =>
    createFeed({ port: createFeedTail(db, source), ...options })
  return {
    account: feedOf(notificationFeed),
    order: feedOf(orderFeed),
    owner: feedOf(ownerFeed),
    network: feedOf(auctionFeed),
    book: feedOf(bookFeed),
    trade: feedOf(tradeFeed),
  }
}

export function closeFeeds(feeds: Feeds): void {
  for (const feed of Object.values(feeds) as Feed[]) feed.close()
}

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
  /** True if the current state of the key comes first, for a start now. */
  snapshot?: boolean
  client: string
  reading: FeedReading
  weight: number
  /** Ends the stream. */
  signal: AbortSignal
}

/** Checks whether a requested snapshot comes first. */
export function startsWithSnapshot(after: string | null): boolean {
  return after === null || after === snapshotAgain
}

/**
 * The entries of a feed as they are taken, one after the other.
 * @throws as `Feed.follow`; Refusal FeedGap, also later
 */
export async function* streamFeed(
  feed: Feed,
  { key, after, snapshot = false, client, reading, weight, signal }: StreamRequest,
): AsyncGenerator<FeedEvent, void> {
  const texts = feed.texts(reading)
  const first = snapshot && startsWithSnapshot(after) ? await texts.readSnapshot(key) : undefined
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

  /** Entries until `signal` aborts. @throws the fault of the sink */
  async *entries<Result extends Rendered>(
    follower: Follower<Result>,
    signal: AbortSignal,
  ): AsyncGenerator<RenderedEntry<Result>, void> {
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
