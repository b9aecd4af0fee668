import type { Address } from '../domain/address.ts'
import { Refusal } from '../domain/error.ts'
import type { FeedEntry } from '../domain/notification.ts'
import type { Database } from '../storage/database.ts'
import {
  type FeedPosition,
  type FeedRow,
  feedHead,
  feedStart,
  latestFeed,
  readFeed,
} from '../storage/feed.ts'
import type { Signals } from '../storage/signals.ts'

/** A page of an account's feed, oldest first. */
export interface FeedPage {
  entries: FeedEntry[]
  /** Continues here, with another page or a live stream: nothing is lost or repeated between the two. */
  cursor: string
  /** More is stored after `cursor`. */
  hasMore: boolean
}

export interface Feed {
  /** After a cursor: the first ones after it. Without: the latest ones. */
  page(account: Address, first: number, after: string | null): Promise<FeedPage>
  /**
   * What is stored after the cursor, then what is committed from now on, each once and in commit order, until `signal` aborts.
   * Without a cursor it starts now. Nothing is buffered: rows are read when the consumer asks for them.
   */
  stream(account: Address, after: string | null, signal: AbortSignal): AsyncGenerator<FeedEntry>
}

const streamBatch = 100
/** A signal can be lost, and a row can wait behind the fence of an older transaction: look again this often. */
const lookAgainMs = 1_000
const lookAgainSoonMs = 50

export function createFeed({ db, signals }: { db: Database; signals: Signals }): Feed {
  return {
    async page(account, first, after) {
      if (after === null) {
        const head = await feedHead(db)
        const rows = await latestFeed(db, account, first)
        return {
          entries: rows.map(toEntry),
          cursor: formatCursor(later(rows.at(-1)?.position, head)),
          hasMore: false,
        }
      }
      const from = await placeOf(after, db)
      const rows = await readFeed(db, account, from, first + 1)
      const entries = rows.slice(0, first).map(toEntry)
      return { entries, cursor: entries.at(-1)?.cursor ?? formatCursor(from), hasMore: rows.length > first }
    },

    async *stream(account, after, signal) {
      let position = after === null ? await feedHead(db) : await placeOf(after, db)
      const doorbell = createDoorbell(signal)
      const hangUp = signals.on('feed', (heard) => {
        if (heard === undefined || heard === account) doorbell.ring()
      })
      try {
        while (!signal.aborted) {
          const rang = doorbell.reset()
          const rows = await readFeed(db, account, position, streamBatch)
          for (const row of rows) {
            if (signal.aborted) return
            position = row.position
            yield toEntry(row)
          }
          if (rows.length < streamBatch)
            await doorbell.wait(rang && rows.length === 0 ? lookAgainSoonMs : lookAgainMs)
        }
      } finally {
        hangUp()
      }
    },
  }
}

/** Remembers a ring that came while nobody waited. */
function createDoorbell(signal: AbortSignal) {
  let rung = false
  let answer: (() => void) | undefined
  const ring = () => {
    rung = true
    answer?.()
  }
  signal.addEventListener('abort', () => answer?.(), { once: true })
  return {
    ring,
    /** @returns whether it had rung */
    reset(): boolean {
      const was = rung
      rung = false
      return was
    },
    wait(milliseconds: number): Promise<void> {
      if (rung || signal.aborted) return Promise.resolve()
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

function later(a: FeedPosition | undefined, b: FeedPosition): FeedPosition {
  return a && (a.tx > b.tx || (a.tx === b.tx && a.id > b.id)) ? a : b
}

function toEntry({ position, notification }: FeedRow): FeedEntry {
  return { cursor: formatCursor(position), notification }
}

function formatCursor({ tx, id }: FeedPosition): string {
  return `${tx}.${id}`
}

/** A cursor from the future is from another database, as after a reset: waiting behind it would be silence without end. */
async function placeOf(cursor: string, db: Database): Promise<FeedPosition> {
  const position = parseCursor(cursor)
  if (position.tx > (await feedHead(db)).tx) {
    throw new Refusal(
      'InvalidParameter',
      'after is a cursor of another feed; "earliest" starts at the beginning',
      { field: 'after' },
    )
  }
  return position
}

function parseCursor(text: string): FeedPosition {
  if (text === 'earliest') return feedStart
  const match = /^([0-9]{1,19})\.([0-9]{1,19})$/.exec(text)
  const [tx, id] = [BigInt(match?.[1] ?? -1), BigInt(match?.[2] ?? -1)]
  const highest = 2n ** 63n - 1n
  if (tx < 0n || id < 0n || tx > highest || id > highest) {
    throw new Refusal('InvalidParameter', 'after must be a cursor of this feed, or "earliest"', {
      field: 'after',
    })
  }
  return { tx, id }
}
