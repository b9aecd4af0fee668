import { setTimeout as pause } from 'node:timers/promises'
import { createTimeSlices } from '../concurrency/event-loop.ts'
import type { FairQueue } from '../concurrency/fair-queue.ts'
import { Outage } from '../domain/errors/error.ts'
import type { EntryText, FeedPage, FeedPosition, FeedTexts } from '../storage/feeds/texts.ts'
import type { FeedMemory, KeptEntry, Rendered } from './feed-memory.ts'

/** A selection of a feed, and its rendering of each entry for followers. */
export interface Rendering<Result extends Rendered = Rendered> {
  /** Equal for renderings with equal results: their followers share these. */
  key: string
  texts: FeedTexts
  /** Estimated objects of one text. */
  weight: number
  /** @param text JSON that the database wrote. @returns undefined for an entry that is gone meanwhile */
  render(text: string, place: FeedPosition): Result | Promise<Result | undefined>
}

/** An entry as followers get it. */
export interface RenderedEntry<Result extends Rendered = Rendered> {
  place: FeedPosition
  rendered: Result
}

/** A follower that is behind the memory. */
export interface LaggingFollower {
  readonly key: string
  readonly place: FeedPosition
  readonly client: string
  /** True if it has read a page that was not its last. */
  readonly isReading: boolean
  /** @param upTo the place up to which `entries` are complete; undefined where more follow them */
  takePage(entries: readonly RenderedEntry[], upTo: FeedPosition | undefined): void
  /** Entries behind its place were removed. */
  miss(keptFrom: FeedPosition): void
  fail(fault: unknown): void
}

interface SelectionOptions {
  memory(): FeedMemory<Selection>
  /** The place up to which the feed was read. */
  readTo(): FeedPosition
  enqueue: FairQueue
  /** Limit of one page. */
  pageBytes: number
  /** Entries of these keys are rendered. */
  onReady(selection: Selection, keys: ReadonlySet<string>): void
  onFault(selection: Selection, keys: ReadonlySet<string>, fault: unknown): void
}

type Rest = ReturnType<typeof createTimeSlices>

/** Estimated objects that one statement may write. */
const maxObjects = 30_000
const maxRows = 5_000
const maxPageRows = 64
const maxTries = 5
const retryMs = 1_000
/** Pause between the starts of statements for pages: readers that return at the same time share one. */
const gatherMs = 50

/**
 * Makes one result of an entry for all followers of a selection: a batch of entries, or of pages, is one
 * statement.
 */
export class Selection {
  private readonly wanted = new Set<KeptEntry<Selection>>()
  private readonly behind = new Set<LaggingFollower>()
  private readonly rows: number
  private isReading = false
  private isPaging = false
  private tries = 0
  private lastPaging = 0

  constructor(
    readonly rendering: Rendering,
    private readonly options: SelectionOptions,
  ) {
    this.rows = Math.max(1, Math.min(maxRows, Math.floor(maxObjects / Math.max(1, rendering.weight))))
  }

  /** @param client the client whose turn the read takes */
  want(entry: KeptEntry<Selection>, client: string): void {
    if (entry.rendered.has(this)) return
    this.wanted.add(entry)
    this.readWanted(client)
  }

  wait(follower: LaggingFollower): void {
    this.behind.add(follower)
    this.readPages()
  }

  leave(follower: LaggingFollower): void {
    this.behind.delete(follower)
  }

  private readWanted(client: string): void {
    if (this.isReading || this.wanted.size === 0) return
    this.isReading = true
    let batch: KeptEntry<Selection>[] = []
    let keys = new Set<string>()
    const read = async () => {
      // Concurrent wants share one statement.
      await Promise.resolve()
      batch = [...this.wanted].slice(0, this.rows)
      keys = new Set(batch.flatMap(({ keys }) => [...keys]))
      const texts = await this.rendering.texts.read(batch.map(({ place }) => place))
      const rendered = new Map(
        (await this.render(texts, createTimeSlices())).map((ready) => [ready.place, ready.rendered]),
      )
      for (const entry of batch) this.options.memory().keep(entry, this, rendered.get(entry.place))
    }
    const end = () => {
      for (const entry of batch) this.wanted.delete(entry)
    }
    const giveUp = (fault: unknown) => {
      end()
      this.options.onFault(this, keys, fault)
    }
    void this.inTurn(client, read, giveUp).then((isDone) => {
      this.isReading = false
      if (isDone) {
        end()
        this.options.onReady(this, keys)
      }
      this.readWanted(client)
    })
  }

  private readPages(): void {
    const [first] = this.behind
    if (this.isPaging || !first) return
    this.isPaging = true
    let batch: [key: string, Start][] = []
    const read = async () => {
      this.lastPaging = performance.now()
      batch = this.nextStarts()
      const { readTo, pageBytes } = this.options
      const upTo = readTo()
      const starts = batch.map(([key, { after }]) => ({ key, after }))
      const limits = { rows: this.pageRows, bytes: pageBytes }
      const pages = await this.rendering.texts.readPages(starts, limits)
      const rest = createTimeSlices()
      for (const [index, [, start]] of batch.entries()) await this.share(start, pages[index], upTo, rest)
    }
    const giveUp = (fault: unknown) => {
      for (const follower of batch.flatMap(([, { followers }]) => followers))
        if (this.behind.delete(follower)) follower.fail(fault)
    }
    const waitMs = first.isReading ? 0 : this.lastPaging + gatherMs - performance.now()
    const gathered = waitMs > 0 ? pause(waitMs, undefined, { ref: false }) : Promise.resolve()
    void gathered
      .then(() => this.inTurn(first.client, read, giveUp))
      .then(() => {
        this.isPaging = false
        this.readPages()
      })
  }

  private get pageRows(): number {
    return Math.min(maxPageRows, this.rows)
  }

  /** Starts of the next pages. Followers of one key share one if the first in line is not ahead of them. */
  private nextStarts(): [key: string, Start][] {
    const starts = new Map<string, Start>()
    const max = Math.min(this.rendering.texts.maxStarts ?? this.rows, Math.floor(this.rows / this.pageRows))
    for (const follower of this.behind) {
      const start = starts.get(follower.key)
      if (start && start.after <= follower.place) start.followers.push(follower)
      else if (!start && starts.size < max)
        starts.set(follower.key, { after: follower.place, followers: [follower] })
    }
    return [...starts]
  }

  /** Gives a page to its followers; those without entries in it wait on. */
  private async share(
    { after, followers }: Start,
    page: FeedPage | undefined,
    upTo: FeedPosition,
    rest: Rest,
  ): Promise<void> {
    const { entries = [], isLast = true, lookedTo, gap } = page ?? {}
    const rendered = await this.render(entries, rest)
    for (const follower of followers) {
      await rest()
      if (!this.behind.has(follower)) continue
      if (gap !== undefined) {
        // A follower beyond the start may miss nothing.
        if (follower.place !== after) continue
        this.behind.delete(follower)
        follower.miss(gap)
        continue
      }
      const own = rendered.filter(({ place }) => place > follower.place)
      if (own.length === 0 && !isLast && lookedTo === undefined) continue
      this.behind.delete(follower)
      follower.takePage(own, isLast ? upTo : lookedTo)
    }
  }

  private async render(texts: readonly EntryText[], rest: Rest): Promise<RenderedEntry[]> {
    const ready: RenderedEntry[] = []
    for (const { place, text } of texts) {
      const pending = this.rendering.render(text, place)
      const rendered = pending instanceof Promise ? await pending : pending
      if (rendered) ready.push({ place, rendered })
      await rest()
    }
    return ready
  }

  /**
   * Retries while the database is away. Work that it refuses or repeatedly abandons fails.
   * @returns whether the work is done
   */
  private async inTurn(
    client: string,
    work: () => Promise<void>,
    giveUp: (fault: unknown) => void,
  ): Promise<boolean> {
    try {
      await this.options.enqueue(work)(client)
      this.tries = 0
      return true
    } catch (fault) {
      if (fault instanceof Outage && ++this.tries < maxTries) {
        await pause(retryMs, undefined, { ref: false })
        return false
      }
      this.tries = 0
      giveUp(fault)
      return false
    }
  }
}

/** The start of a page, and the followers that share it. */
interface Start {
  after: FeedPosition
  followers: LaggingFollower[]
}
