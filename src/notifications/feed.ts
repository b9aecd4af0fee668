import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Database } from '../storage/database/database.ts'
import type { Signals } from '../storage/database/signals.ts'
import { type FeedPosition, type FeedReading, feedHead, readFeed } from '../storage/feed.ts'
import { feedKey } from '../storage/models/notification/notification.ts'

export interface Feed {
  /**
   * What is stored after the cursor, then what is committed from now on, each once and in commit order, until `signal` aborts.
   * Without a cursor it starts now. Nothing is buffered: rows are read when the consumer asks for them.
   * @returns JSON of each entry, as `reading` selects it
   */
  stream(
    account: Address,
    after: string | null,
    signal: AbortSignal,
    reading: FeedReading,
  ): AsyncGenerator<string>
}

const streamBatch = 100
/** A signal can be lost, and a row can wait behind the fence of an older transaction: look again this often. */
const pollMs = 1_000
const pollSoonMs = 50

export function createFeed({ db, signals }: { db: Database; signals: Signals }): Feed {
  return {
    async *stream(account, after, signal, reading) {
      let position = after === null ? await feedHead(db) : await placeOf(after, db)
      const wakeUp = createWakeUp(signal)
      const unsubscribe = signals.on('feed', (heard) => {
        if (heard === undefined || heard === account) wakeUp.wake()
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

/** Remembers a ring that came while nobody waited. */
function createWakeUp(signal: AbortSignal) {
  let isAwake = false
  let answer: (() => void) | undefined
  const wake = () => {
    isAwake = true
    answer?.()
  }
  signal.addEventListener('abort', () => answer?.(), { once: true })
  return {
    wake,
    /** @returns whether it had rung */
    reset(): boolean {
      const was = isAwake
      isAwake = false
      return was
    },
    wait(milliseconds: number): Promise<void> {
      if (isAwake || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(() => answer?.(), milliseconds)
        answer = () => {
          clearTimeout(timer)
          answer = undefined
          resolve()
        }
      })
    },
  }
}

/** A cursor from the future is from another database, as after a reset: waiting behind it would be silence without end. */
async function placeOf(cursor: string, db: Database): Promise<FeedPosition> {
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
