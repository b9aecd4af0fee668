/** A value that clients watch. */
export interface Entry<Subject, Value> {
  key: string
  subject: Subject
  /** `undefined` until it was read. */
  value: Value | undefined
  /** In milliseconds since 1970. */
  readAt: number
  watchers: Set<Watcher<Subject, Value>>
}

export interface Change<Subject, Value> {
  subject: Subject
  value: Value
  /** What this watcher got before; `undefined` for the first time. */
  before: Value | undefined
}

export interface Update<Subject, Value> {
  /** The block that was read; null while none was. */
  block: number | null
  /** Whether `changes` has every value that is watched: the first update, and the first one after the node was away. */
  isComplete: boolean
  /** `false` once when the node is away: what came before may be out of date. A complete update follows when it is back. */
  isAvailable: boolean
  changes: Change<Subject, Value>[]
}

/** One client's view of its entries: what it has got, and what it has to get. It holds one update, however slow the client is. */
export interface Watcher<Subject, Value> {
  touch(entry: Entry<Subject, Value>): void
  /** All entries that changed in this block have been touched. @returns whether nothing remains to be settled */
  settle(block: number): boolean
  away(): void
  /** Ends when `signal` aborts. */
  updates(signal: AbortSignal): AsyncGenerator<Update<Subject, Value>, void>
}

export function createWatcher<Subject, Value>(
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
