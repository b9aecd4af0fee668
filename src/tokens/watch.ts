import { type Described, flag, oneOf, safeInt, token, type ValueOf } from '../domain/described.ts'
import { Refusal } from '../domain/errors/error.ts'

/** A value that clients watch. */
export interface Entry<Subject, Value> {
  key: string
  subject: Subject
  /** `undefined` until it was read. */
  value: Value | undefined
  /** Milliseconds since 1970. */
  readAt: number
  watchers: Set<Watcher<Subject, Value>>
}

interface Change<Subject, Value> {
  subject: Subject
  value: Value
  /** The value that this watcher got before; `undefined` for the first time. */
  before: Value | undefined
}

export const updateFields = {
  block: safeInt.orNull('The block that was read; null while none was.'),
  isComplete: flag(
    'True if it has every value that the subscription names, as the first one has, and the first one after an outage of the node. Others have only changed values.',
  ),
  isAvailable: flag(
    'False when the node is away: what came before may be out of date. A complete update follows when it is back.',
  ),
}

export type Update<Subject, Value> = ValueOf<Described<typeof updateFields>> & {
  changes: Change<Subject, Value>[]
}

/** A text stands for a value that is not known: there is none, or it cannot be read now. */
export type Watched<Value> = Value | 'absent' | 'unavailable'

export const namedToken = token('The token as it was named, whether or not there is a contract.')

/** The state of a value. */
export const stateField = oneOf<'known' | 'absent' | 'unavailable'>('ValueState')

export function stateOf(value: Watched<object>): 'known' | 'absent' | 'unavailable' {
  return typeof value === 'string' ? value : 'known'
}

/** Returns null for a value that is not known. */
export function knownValue<Value extends object>(value: Watched<Value>): Value | null {
  return typeof value === 'string' ? null : value
}

/**
 * One client's view of its entries: what it has got, and what it has to get. It holds one update, however
 * slow the client is.
 */
interface Watcher<Subject, Value> {
  touch(entry: Entry<Subject, Value>): void
  /**
   * All entries that changed in this block have been touched.
   * @returns whether nothing remains to be settled
   */
  settle(block: number): boolean
  away(): void
  /** Ends when `signal` aborts. */
  updates(signal: AbortSignal): AsyncGenerator<Update<Subject, Value>, void>
}

function createWatcher<Subject, Value>(
  entries: readonly Entry<Subject, Value>[],
  isEqual: (one: Value, other: Value) => boolean,
): Watcher<Subject, Value> {
  const given = new Map<Entry<Subject, Value>, Value>()
  let touched = new Set<Entry<Subject, Value>>()
  let block: number | null = null
  let isSettled = false
  let hasComplete = false
  let isAway = false
  let saysAway = false
  let wake = () => {}

  function changesOf(candidates: Iterable<Entry<Subject, Value>>, all: boolean): Change<Subject, Value>[] {
    return [...candidates].flatMap((entry) => {
      const { subject, value } = entry
      const before = given.get(entry)
      if (value === undefined || (!all && before !== undefined && isEqual(before, value))) return []
      given.set(entry, value)
      return [{ subject, value, before }]
    })
  }

  function next(): Update<Subject, Value> | undefined {
    if (isAway) {
      if (saysAway) return undefined
      saysAway = true
      return { block, isComplete: false, isAvailable: false, changes: [] }
    }
    if (!isSettled) return undefined
    isSettled = false
    const isComplete = !hasComplete
    const changes = changesOf(isComplete ? entries : touched, isComplete)
    touched = new Set()
    hasComplete = true
    saysAway = false
    return isComplete || changes.length > 0 ? { block, isComplete, isAvailable: true, changes } : undefined
  }

  return {
    touch: (entry) => touched.add(entry),
    settle(settledBlock) {
      isAway = false
      if (!hasComplete && entries.some(({ value }) => value === undefined)) return false
      block = settledBlock
      isSettled = true
      wake()
      return true
    },
    away() {
      isAway = true
      isSettled = false
      hasComplete = false
      wake()
    },
    async *updates(signal) {
      signal.addEventListener('abort', () => wake(), { once: true })
      while (!signal.aborted) {
        const update = next()
        if (update) yield update
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
}

export interface Subscriber {
  /** Address of the client, which limits count. */
  client: string
  /** Ends the subscription when it aborts. */
  signal: AbortSignal
}

/** Values that clients watch, each held and read once for all its watchers. */
interface Watch<Subject, Value> {
  /** Entries by key; the one that was read longest ago first. */
  entries: ReadonlyMap<string, Entry<Subject, Value>>
  /** Entries that have to be read. */
  due: Set<Entry<Subject, Value>>
  /**
   * A complete update first, then what has changed, at most once a block. Subjects of one key count once.
   * @throws Refusal RateLimited, Unavailable when too many values are watched
   */
  subscribe(
    subjects: readonly Subject[],
    subscriber: Subscriber,
  ): AsyncGenerator<Update<Subject, Value>, void>
  /** @param isRead `false` keeps it due */
  set(entry: Entry<Subject, Value>, value: Value, isRead?: boolean): void
  /** Everything of this block has been set: watchers get their updates. */
  settle(block: number): void
  /** The node is away: every watcher is informed once, and every value is due. */
  away(): void
}

interface WatchOptions<Subject, Value> {
  keyOf(subject: Subject): string
  isEqual(one: Value, other: Value): boolean
  /** Names the values in refusals. */
  what: string
  /** Different values in this process. */
  max: number
  now(): number
  /** Called for the first watcher. @returns what is called after the last one */
  start(): () => void
  /** Called for each new watcher. */
  onSubscribed(): void
}

/** Part of the limit that the subscriptions of one client may use. */
const perClient = 1 / 4

export function createWatch<Subject, Value>(options: WatchOptions<Subject, Value>): Watch<Subject, Value> {
  const { keyOf, isEqual, what, max, now } = options
  const entries = new Map<string, Entry<Subject, Value>>()
  const due = new Set<Entry<Subject, Value>>()
  const watchers = new Set<Watcher<Subject, Value>>()
  /** Watchers with something to settle. */
  const unsettled = new Set<Watcher<Subject, Value>>()
  const countByClient = new Map<string, number>()
  let isAway = false
  let stop = () => {}

  function count(client: string, more: number): void {
    const total = (countByClient.get(client) ?? 0) + more
    if (total > 0) countByClient.set(client, total)
    else countByClient.delete(client)
  }

  function checkRoom(keys: readonly string[], client: string): void {
    if ((countByClient.get(client) ?? 0) + keys.length > Math.ceil(max * perClient))
      throw new Refusal('RateLimited', `this client watches too many ${what} already`)
    if (entries.size + keys.filter((key) => !entries.has(key)).length > max)
      throw new Refusal('Unavailable', `too many ${what} are watched at the moment`)
  }

  function entryOf(key: string, subject: Subject): Entry<Subject, Value> {
    const known = entries.get(key)
    if (known) return known
    const entry = { key, subject, value: undefined, readAt: 0, watchers: new Set<Watcher<Subject, Value>>() }
    entries.set(key, entry)
    due.add(entry)
    return entry
  }

  function leave(watcher: Watcher<Subject, Value>, watched: readonly Entry<Subject, Value>[]): void {
    watchers.delete(watcher)
    unsettled.delete(watcher)
    for (const entry of watched) {
      entry.watchers.delete(watcher)
      if (entry.watchers.size > 0) continue
      entries.delete(entry.key)
      due.delete(entry)
    }
    if (watchers.size > 0) return
    isAway = false
    stop()
  }

  return {
    entries,
    due,
    subscribe(subjects, { client, signal }) {
      if (signal.aborted) return createWatcher<Subject, Value>([], isEqual).updates(signal)
      const subjectByKey = new Map(subjects.map((subject) => [keyOf(subject), subject]))
      const keys = [...subjectByKey.keys()]
      checkRoom(keys, client)
      const watched = [...subjectByKey].map(([key, subject]) => entryOf(key, subject))
      const watcher = createWatcher(watched, isEqual)
      if (watchers.size === 0) stop = options.start()
      watchers.add(watcher)
      unsettled.add(watcher)
      for (const entry of watched) entry.watchers.add(watcher)
      if (isAway) watcher.away()
      count(client, keys.length)
      signal.addEventListener(
        'abort',
        () => {
          count(client, -keys.length)
          leave(watcher, watched)
        },
        { once: true },
      )
      options.onSubscribed()
      return watcher.updates(signal)
    },
    set(entry, value, isRead = true) {
      // Moved to the end: the first one is the one that was read longest ago.
      if (entries.get(entry.key) === entry && entries.delete(entry.key)) entries.set(entry.key, entry)
      if (isRead) due.delete(entry)
      entry.readAt = now()
      const { value: before } = entry
      entry.value = value
      if (before !== undefined && isEqual(before, value)) return
      for (const watcher of entry.watchers) {
        watcher.touch(entry)
        unsettled.add(watcher)
      }
    },
    settle(block) {
      isAway = false
      for (const watcher of unsettled) if (watcher.settle(block)) unsettled.delete(watcher)
    },
    away() {
      if (isAway) return
      isAway = true
      for (const entry of entries.values()) due.add(entry)
      for (const watcher of watchers) {
        watcher.away()
        unsettled.add(watcher)
      }
    },
  }
}
