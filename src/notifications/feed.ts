import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Database } from '../storage/database/database.ts'
import type { Signals } from '../storage/database/signals.ts'
import { type FeedPosition, type FeedReading, feedHead, readFeed } from '../storage/feed.ts'
import { feedKey } from '../storage/models/notification/notification.ts'

export interface Feed {
  /**
   * Yields entries stored after the cursor, then those committed from now on, each once and in commit order, until `signal` aborts.
   * Without a cursor it starts now. Rows are read when the consumer requests them; nothing is buffered.
   * @returns JSON of each entry, with the fields that `reading` selects
   */
  stream(
    account: Address,
    after: string | null,
    signal: AbortSignal,
    reading: FeedReading,
  ): AsyncGenerator<string>
}

const streamBatch = 100
/** Polling covers lost signals, and rows that are invisible until an older transaction ends. */
const pollMs = 1_000
const pollSoonMs = 50

export function createFeed({ db, signals }: { db: Database; signals: Signals }): Feed {
  return {
    async *stream(account, after, signal, reading) {
      let position = after === null ? await feedHead(db) : await positionOf(after, db)
      const wakeUp = createWakeUp(signal)
      const unsubscribe = signals.on('feed', (signalled) => {
        if (signalled === undefined || signalled === account) wakeUp.wake()
      })
      try {
        while (!signal.aborted) {
          const wasAwake = wakeUp.reset()
          const rows = await readFeed(db, account, position, streamBatch, reading)
          for (const row of rows) {
            if (signal.aborted) return
            position = row.position
            yield row.text
          }
          if (rows.length < streamBatch)
            await wakeUp.wait(wasAwake && rows.length === 0 ? pollSoonMs : pollMs)
        }
      } finally {
        unsubscribe()
      }
    },
  }
}

/** Remembers a wake-up that came while `wait` was not running. */
function createWakeUp(signal: AbortSignal) {
  let isAwake = false
  let endWait: (() => void) | undefined
  const wake = () => {
    isAwake = true
    endWait?.()
  }
  signal.addEventListener('abort', () => endWait?.(), { once: true })
  return {
    wake,
    /** @returns whether it was awake */
    reset(): boolean {
      const wasAwake = isAwake
      isAwake = false
      return wasAwake
    },
    wait(milliseconds: number): Promise<void> {
      if (isAwake || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(() => endWait?.(), milliseconds)
        endWait = () => {
          clearTimeout(timer)
          endWait = undefined
          resolve()
        }
      })
    },
  }
}

/** Refuses a cursor beyond the head: it is from another database, for example before a reset, and would never deliver anything. */
async function positionOf(cursor: string, db: Database): Promise<FeedPosition> {
  const [tx = 0n, id = 0n] = feedKey.parse?.(cursor, 'after') ?? []
  const position = { tx, id }
  if (position.tx > (await feedHead(db)).tx) {
    throw new Refusal(
      'InvalidParameter',
      'after is a cursor of another feed; "earliest" starts at the beginning',
      { field: 'after' },
    )
  }
  return position
}
