import type { FeedPosition } from '../storage/feeds/texts.ts'
import type { FeedMemory, KeptEntry, Rendered } from './feed-memory.ts'
import type { LaggingFollower, RenderedEntry, Selection } from './feed-selection.ts'

/** A reader of a feed: woken for new entries, which it then takes. */
export interface Sink {
  /** There may be more to take. */
  wake(): void
  /** @param fault a Refusal FeedGap when entries behind its place were removed */
  fail(fault: unknown): void
}

/** One reader of a feed: only a place in it, and the rest of a page while it is behind the memory. */
export interface Follower<Result extends Rendered = Rendered> {
  /** Everything up to it was taken. */
  readonly place: FeedPosition
  /** The next entry; undefined while there is none, until the sink is woken. */
  take(): RenderedEntry<Result> | undefined
  close(): void
}

interface FollowerOptions {
  key: string
  /** Whose turn its reads are. */
  client: string
  sink: Sink
  selection: Selection
  memory(): FeedMemory<Selection>
  gapAt(keptFrom: FeedPosition): Error
  onClose(follower: FeedFollower): void
}

/** Entries that a follower lets read ahead. */
const maxWanted = 64

/**
 * The number of the next entry of a follower that has taken all, and of one that has to look: no memory has
 * it.
 */
const none = -1
const unknown = -2

export class FeedFollower implements Follower, LaggingFollower {
  readonly key: string
  readonly client: string
  private page: RenderedEntry[] = []
  /** The place up to which the page is complete. */
  private pageTo: FeedPosition | undefined
  /** Number of the next entry in memory. */
  private seq = unknown
  isReading = false
  private isWaiting = false

  constructor(
    public place: FeedPosition,
    readonly options: FollowerOptions,
  ) {
    this.key = options.key
    this.client = options.client
  }

  /** True if it reads pages. */
  get isBehind(): boolean {
    return this.isWaiting || this.page.length > 0
  }

  /** Notes a new entry of its key in memory, unless a page had it before. */
  arrived({ seq, place }: KeptEntry<Selection>): void {
    if (this.seq === none && place > this.place) this.seq = seq
  }

  take(): RenderedEntry | undefined {
    const ready = this.page.shift()
    if (ready) {
      this.place = ready.place
      if (this.page.length === 0) this.moveTo(this.pageTo)
      return ready
    }
    if (this.isWaiting || this.seq === none) return undefined
    const memory = this.options.memory()
    if (!memory.has(this.seq)) {
      if (!memory.covers(this.place)) return this.wait()
      this.seq = memory.seqAfter(this.place)
    }
    return this.takeKept(memory)
  }

  private takeKept(memory: FeedMemory<Selection>): RenderedEntry | undefined {
    const { selection } = this.options
    for (let entry = memory.next(this.key, this.seq); entry; entry = memory.next(this.key, this.seq)) {
      const rendered = entry.rendered.get(selection)
      if (!rendered && !entry.rendered.has(selection)) {
        this.want(memory, entry)
        return undefined
      }
      this.seq = entry.seq + 1
      this.place = entry.place
      if (rendered) return { place: entry.place, rendered }
    }
    this.seq = none
    return undefined
  }

  /** Requests later entries too: a reader that returns to the memory needs several. */
  private want(memory: FeedMemory<Selection>, from: KeptEntry<Selection>): void {
    let entry: KeptEntry<Selection> | undefined = from
    for (let wanted = 0; entry && wanted < maxWanted; wanted++) {
      this.options.selection.want(entry, this.client)
      entry = memory.next(this.key, entry.seq + 1)
    }
  }

  private wait(): undefined {
    this.isWaiting = true
    this.seq = unknown
    this.options.selection.wait(this)
  }

  takePage(entries: readonly RenderedEntry[], upTo: FeedPosition | undefined): void {
    this.isWaiting = false
    this.isReading = upTo === undefined
    this.page = [...entries]
    this.pageTo = upTo
    if (entries.length === 0) this.moveTo(upTo)
    this.options.sink.wake()
  }

  /** The feed was read up to `place` before its page was, which may have later entries. */
  private moveTo(place: FeedPosition | undefined): void {
    if (place !== undefined && place > this.place) this.place = place
  }

  miss(keptFrom: FeedPosition): void {
    this.fail(this.options.gapAt(keptFrom))
  }

  fail(fault: unknown): void {
    this.isWaiting = false
    this.options.sink.fail(fault)
  }

  close(): void {
    this.page = []
    this.options.selection.leave(this)
    this.options.onClose(this)
  }
}
