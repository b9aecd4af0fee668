import type { NewEntry } from '../storage/feeds/tail.ts'
import type { FeedPosition } from '../storage/feeds/texts.ts'

/** A rendered entry for followers. Its size counts in memory. */
export interface Rendered {
  bytes: number
}

/** An entry in memory, with its renderings. */
export interface KeptEntry<Texts> {
  /** Numbers the entries of this process, without gaps. */
  readonly seq: number
  readonly place: FeedPosition
  readonly key: string
  /** The keys under which it is found. */
  readonly keys: Set<string>
  /** Undefined once the entry was found to be gone. */
  readonly rendered: Map<Texts, Rendered | undefined>
  bytes: number
  /** When it was read, in milliseconds of the process. */
  readonly readAt: number
}

export interface MemoryLimits {
  entries: number
  /** Size of all renderings. */
  bytes: number
}

/** The latest entries of a feed, all of them behind `start`. The oldest go first. */
export class FeedMemory<Texts> {
  private readonly entries: KeptEntry<Texts>[] = []
  private readonly byKey = new Map<string, KeptEntry<Texts>[]>()
  private bytes = 0
  private nextSeq = 0

  constructor(
    private readonly limits: MemoryLimits,
    /** Every later entry that was read is in memory. */
    private start: FeedPosition,
    /** The keys of an entry that are followed, where they are filters; by default its own key. */
    private readonly keysOf: (entryKey: string) => Iterable<string> = (key) => [key],
  ) {}

  /** The number that the next entry will have. */
  get end(): number {
    return this.nextSeq
  }

  /** Checks whether all entries after a place are in memory. */
  covers(place: FeedPosition): boolean {
    return place >= this.start
  }

  /** Checks whether entries from this number on are in memory. */
  has(seq: number): boolean {
    return seq >= this.nextSeq - this.entries.length
  }

  add({ place, key }: NewEntry): KeptEntry<Texts> {
    const keys = new Set(this.keysOf(key))
    const readAt = performance.now()
    const entry: KeptEntry<Texts> = {
      seq: this.nextSeq++,
      place,
      key,
      keys,
      rendered: new Map(),
      bytes: 0,
      readAt,
    }
    this.entries.push(entry)
    for (const each of keys) this.put(each, entry)
    this.shrink()
    return entry
  }

  private put(key: string, entry: KeptEntry<Texts>): void {
    const entries = this.byKey.get(key)
    if (entries) entries.push(entry)
    else this.byKey.set(key, [entry])
  }

  /** Finds the entries of a filter, which is followed from now on. */
  index(key: string, matches: (entryKey: string) => boolean): void {
    this.byKey.delete(key)
    for (const entry of this.entries) {
      entry.keys.delete(key)
      if (!matches(entry.key)) continue
      entry.keys.add(key)
      this.put(key, entry)
    }
  }

  /** Forgets a filter that is not followed any more. */
  unindex(key: string): void {
    for (const entry of this.byKey.get(key) ?? []) entry.keys.delete(key)
    this.byKey.delete(key)
  }

  keep(entry: KeptEntry<Texts>, texts: Texts, rendered: Rendered | undefined): void {
    entry.rendered.set(texts, rendered)
    if (!this.has(entry.seq)) return
    const bytes = rendered?.bytes ?? 0
    entry.bytes += bytes
    this.bytes += bytes
    this.shrink()
  }

  /** The first entry of a key from this number on. */
  next(key: string, seq: number): KeptEntry<Texts> | undefined {
    const entries = this.byKey.get(key)
    const last = entries?.at(-1)
    if (!entries || !last || last.seq < seq) return undefined
    const before = entries.at(-2)
    if (!before || before.seq < seq) return last
    return entries[firstIndex(entries, (entry) => entry.seq >= seq)]
  }

  /** The number of the first entry behind a place that `covers`. */
  seqAfter(place: FeedPosition): number {
    return this.nextSeq - this.entries.length + firstIndex(this.entries, (entry) => entry.place > place)
  }

  /**
   * Forgets entries that were read before a time: the database may have removed them since, and only a page
   * says so.
   */
  expire(before: number): void {
    while (this.entries[0] && this.entries[0].readAt < before) this.forgetOldest()
  }

  private shrink(): void {
    while (this.entries.length > this.limits.entries || this.bytes > this.limits.bytes)
      if (!this.forgetOldest()) return
  }

  private forgetOldest(): boolean {
    const oldest = this.entries.shift()
    if (!oldest) return false
    this.start = oldest.place
    this.bytes -= oldest.bytes
    for (const key of oldest.keys) {
      const entries = this.byKey.get(key)
      entries?.shift()
      if (entries?.length === 0) this.byKey.delete(key)
    }
    return true
  }
}

/** The index of the first match in a list whose last items match. */
function firstIndex<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (matches(items[middle] as Item)) high = middle
    else low = middle + 1
  }
  return low
}
