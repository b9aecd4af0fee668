import type { Signals } from '../../src/storage/database/signals.ts'
import type { FeedTail, NewEntries, NewEntry } from '../../src/storage/feeds/tail.ts'
import type { FeedPosition, FeedTexts } from '../../src/storage/feeds/texts.ts'

/** A feed in memory, with the reads that were sent to it. The text of an entry is its key and its place. */
export function createStoredFeed() {
  const stored: NewEntry[] = []
  const listeners = new Set<(payload: string | undefined) => void>()
  const reads = { new: [] as FeedPosition[], texts: [] as FeedPosition[][], pages: [] as FeedPosition[][] }
  const faults = { new: [] as Error[], texts: [] as Error[], pages: [] as Error[] }
  const entriesOf = (wanted: (entry: NewEntry) => boolean) =>
    stored.filter(wanted).map(({ key, place }) => ({ place, text: `${key}${place}` }))

  const texts: FeedTexts = {
    key: 'texts',
    maxStarts: undefined,
    async read(places) {
      reads.texts.push([...places])
      const fault = faults.texts.shift()
      if (fault) throw fault
      return entriesOf(({ place }) => places.includes(place) && !feed.gone.has(place))
    },
    readSnapshot: async () => undefined,
    async readPages(starts, { rows }) {
      reads.pages.push(starts.map(({ after }) => after))
      const fault = faults.pages.shift()
      if (fault) throw fault
      return starts.map(({ key, after }) => {
        const all = entriesOf((entry) => entry.key === key && entry.place > after)
        const gap = after < feed.keptFrom ? feed.keptFrom : undefined
        return {
          entries: gap === undefined ? all.slice(0, rows) : [],
          isLast: all.length < rows,
          lookedTo: undefined,
          gap,
        }
      })
    },
  }

  const port: FeedTail = {
    topic: 'feed',
    concerns: (payload, isFollowed) => payload === undefined || isFollowed(payload),
    placeOf: (cursor) => BigInt(cursor),
    async readNew(after, limit): Promise<NewEntries> {
      reads.new.push(after)
      const entries = stored.filter(({ place }) => place > after).slice(0, limit)
      const head = stored.at(-1)?.place ?? 1n
      await feed.held
      const fault = faults.new.shift()
      if (fault) throw fault
      return { entries, head }
    },
    texts: () => texts,
  }

  const signals: Signals = {
    on: (_, listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {},
  }

  const feed = {
    port,
    signals,
    texts,
    reads,
    faults,
    /** Places whose entries have no text any more. */
    gone: new Set<FeedPosition>(),
    /** The place behind which all entries are kept. */
    keptFrom: 0n,
    /** New entries are told when it resolves. */
    held: Promise.resolve(),
    store(key: string, count = 1, ageMs = 0) {
      for (let entry = 0; entry < count; entry++)
        stored.push({ key, place: (stored.at(-1)?.place ?? 1n) + 1n, ageMs })
    },
    tell(payload: string | undefined) {
      for (const listener of listeners) listener(payload)
    },
  }
  return feed
}
