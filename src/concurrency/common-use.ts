/**
 * The use of one budget by one client, as time: a bucket is represented by the time at which it is full
 * again.
 */
interface BudgetUse {
  client: string
  kind: string
  /** The time in which the bucket refills this use; negative for a refund. */
  costMs: number
  /** The maximum time until the bucket is full. Use beyond it is forgotten. */
  maxMs: number
}

/** Buckets that all processes share. */
export interface SharedBudgets {
  /** Counts the uses. @returns milliseconds until each bucket is full, with the uses of all processes */
  count(uses: readonly BudgetUse[]): Promise<number[]>
}

interface CommonUse {
  /** Counts a use with those of other processes, soon. */
  add(use: BudgetUse): void
}

/** Requests do not wait: their use is counted after this pause, and other processes see it then. */
const pauseMs = 50
const maxBatch = 500
/** Pairs of client and kind. Use beyond them counts in this process alone. */
const maxPending = 10_000

/**
 * Each process decides by its own memory, which each use by a client corrects by the use at all processes.
 * Clients owe any excess that N processes admitted before the correction, so the rate holds over time.
 * @param correct gets milliseconds until a bucket is full
 */
export function createCommonUse(
  budgets: SharedBudgets,
  correct: (use: BudgetUse, fullInMs: number) => void,
): CommonUse {
  const pending = new Map<string, BudgetUse>()
  let isWaiting = false
  const keyOf = ({ client, kind }: BudgetUse) => `${kind}:${client}`

  async function count(): Promise<void> {
    const uses = [...pending.values()].slice(0, maxBatch)
    for (const use of uses) pending.delete(keyOf(use))
    // While the other processes cannot be reached, this process counts for itself.
    const left = await budgets.count(uses).catch(() => [])
    for (const [index, fullInMs] of left.entries()) {
      const use = uses[index]
      if (use) correct(use, fullInMs + (pending.get(keyOf(use))?.costMs ?? 0))
    }
    isWaiting = false
    if (pending.size > 0) countSoon()
  }

  function countSoon(): void {
    if (isWaiting) return
    isWaiting = true
    setTimeout(count, pauseMs).unref()
  }

  return {
    add(use) {
      const key = keyOf(use)
      const known = pending.get(key)
      if (known) known.costMs += use.costMs
      else if (pending.size < maxPending) pending.set(key, { ...use })
      countSoon()
    },
  }
}
