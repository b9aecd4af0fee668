import { setTimeout as pause } from 'node:timers/promises'
import { abortable } from '../../concurrency/abortable.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { SinkKind } from '../../domain/notification/feed-sink.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import type { Database } from '../../storage/database/database.ts'
import {
  type FeedSink,
  type SinkFilter,
  type SinkProgress,
  storeProgress,
} from '../../storage/feeds/sinks.ts'
import type { createInterruptibleWait } from '../delivery/deliver.ts'

/** An entry of the feed of the book. */
export interface SinkEvent {
  /** Its place: the id by which receivers drop a repeated one. */
  cursor: string
  /** The entry as clients read it. */
  json: string
  /** The label of its event. */
  name: string
  chainId: number
}

interface SinkPage {
  events: readonly SinkEvent[]
  /** The start of the next page; null if there was no entry. */
  endCursor: string | null
  hasNextPage: boolean
}

/** Reads entries after a cursor, oldest first. @throws Refusal FeedGap with the cursor at which to go on */
export type ReadSinkPage = (request: {
  after: string
  filter: SinkFilter
  first: number
  signal: AbortSignal
}) => Promise<SinkPage>

export interface SinkSender {
  /**
   * Sends entries in their order, and resolves when the receiver has acknowledged all. Bounded in time.
   * @throws OutsideFault, and then any number of them may have arrived
   */
  send(events: readonly SinkEvent[], signal: AbortSignal): Promise<void>
  close?(): Promise<void>
}

export interface SinkMeter {
  count(kind: SinkKind, outcome: 'sent' | 'failed', events: number): void
  countGap(kind: SinkKind): void
}

export interface SinkOptions {
  db: Database
  readPage: ReadSinkPage
  now: Clock
  /** Number from 0 to 1. */
  random: () => number
  log: Log
  meter: SinkMeter
  limits?: SinkLimits
}

interface SinkLimits {
  /** Entries and bytes of one batch; an entry of more bytes is sent alone. */
  events: number
  bytes: number
  /** Waits after failures: the first one, doubled each time, and the longest. */
  retryMs: { min: number; max: number }
}

export const sinkLimits: SinkLimits = {
  events: 200,
  bytes: 1_048_576,
  retryMs: { min: 1_000, max: 60_000 },
}
/** Interval of looks for entries without a signal, and of stores of a cursor that moved without a message. */
const pollMs = 5_000
/** Time in which entries that come together are gathered. */
const gatherMs = 20

/**
 * Sends the feed from the sink's cursor until `signal` aborts or the lease is lost. The cursor is stored
 * after the acknowledgement: the batch of a process that ended is sent again, under the same ids.
 */
export async function runSink(
  { sink, sender, lease }: { sink: FeedSink; sender: SinkSender; lease: string },
  wake: ReturnType<typeof createInterruptibleWait>,
  options: SinkOptions,
  signal: AbortSignal,
): Promise<void> {
  const { db, readPage, now, random, log, meter, limits = sinkLimits } = options
  const { id, name, kind, filter } = sink
  let { cursor, failures } = sink
  let stored = cursor
  let storedAt = now()
  const isOn = () => !signal.aborted

  /** @returns false if the lease is lost */
  async function store(progress: SinkProgress): Promise<boolean> {
    while (isOn()) {
      try {
        if (!(await storeProgress(db, { id, lease }, progress))) return false
        if ('cursor' in progress) [stored, storedAt] = [progress.cursor, now()]
        return true
      } catch (fault) {
        await waitForDatabase(fault)
      }
    }
    return false
  }

  async function waitForDatabase(fault: unknown): Promise<void> {
    const isOutage = fault instanceof Outage
    if (isOn())
      log[isOutage ? 'warn' : 'error']('a sink waits for the feed', { sink: name, fault: String(fault) })
    await rest(limits.retryMs.min)
  }

  const rest = (ms: number) => pause(ms, undefined, { signal }).catch(() => undefined)

  /** @returns false if `signal` aborts, or the lease is lost, before the receiver has it */
  async function sendUntilTaken(batch: readonly SinkEvent[]): Promise<boolean> {
    while (isOn()) {
      try {
        await abortable(sender.send(batch, signal), signal, () => new OutsideFault(name, 'was left'))
        meter.count(kind, 'sent', batch.length)
        failures = 0
        cursor = BigInt(batch.at(-1)?.cursor ?? cursor)
        return await store({ cursor, sentAt: new Date(now()) })
      } catch (fault) {
        if (!isOn()) return false
        failures++
        meter.count(kind, 'failed', batch.length)
        const reason = fault instanceof OutsideFault ? fault.reason : 'a fault of this service'
        log[fault instanceof OutsideFault ? 'warn' : 'error']('a sink does not take the feed', {
          sink: name,
          failures,
          reason,
          cursor: `${cursor}`,
          ...(!(fault instanceof OutsideFault) && { fault: String(fault) }),
        })
        if (!(await store({ failures, fault: reason }))) return false
        const asked = fault instanceof Throttled ? (fault.retryAfterMs ?? 0) : 0
        const { min, max } = limits.retryMs
        const delay = Math.min(min * 2 ** Math.min(failures - 1, 20), max) * (0.8 + 0.4 * random())
        await rest(Math.min(Math.max(delay, asked), Math.max(max, delay)))
      }
    }
    return false
  }

  while (isOn()) {
    let page: SinkPage
    try {
      const after = cursor === 0n ? 'earliest' : `${cursor}`
      page = await readPage({ after, filter, first: limits.events, signal })
    } catch (fault) {
      const next = gapEnd(fault)
      if (next === undefined) {
        await waitForDatabase(fault)
        continue
      }
      log.error('entries of the feed were removed before a sink took them', {
        sink: name,
        from: `${cursor}`,
        to: `${next}`,
      })
      meter.countGap(kind)
      if (!(await store({ cursor: next, gapFrom: cursor, gapAt: new Date(now()) }))) return
      cursor = next
      continue
    }
    for (const batch of batchesOf(page.events, limits.bytes)) if (!(await sendUntilTaken(batch))) return
    cursor = page.endCursor === null ? cursor : BigInt(page.endCursor)
    if (cursor !== stored && now() - storedAt >= pollMs && !(await store({ cursor }))) return
    if (page.hasNextPage) continue
    await wake.wait(pollMs)
    await rest(gatherMs)
  }
}

/** The place at which to go on after a gap; undefined for other faults. */
function gapEnd(fault: unknown): bigint | undefined {
  if (!(fault instanceof Refusal) || fault.code !== 'FeedGap') return undefined
  const { cursor } = fault.ending ?? {}
  return cursor !== undefined && /^[0-9]{1,19}$/.test(cursor) ? BigInt(cursor) : undefined
}

function batchesOf(events: readonly SinkEvent[], maxBytes: number): SinkEvent[][] {
  const batches: SinkEvent[][] = []
  let bytes = 0
  for (const event of events) {
    const length = Buffer.byteLength(event.json)
    const last = batches.at(-1)
    if (last && bytes + length <= maxBytes) {
      last.push(event)
      bytes += length
    } else {
      batches.push([event])
      bytes = length
    }
  }
  return batches
}
