import { setTimeout as pause } from 'node:timers/promises'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Database } from '../database/database.ts'
import type { RemovalBatch } from './batch.ts'
import { removeCompetitions } from './competitions.ts'
import { removeEvents, removeFeedEntries, removeStandings, removeUnusedOrders } from './events.ts'
import {
  carryWakes,
  endForgotten,
  endUnconfirmed,
  removeBalanceSessions,
  removeChannels,
  removeConfirmations,
  removeDeliveries,
  removeDocuments,
  removeIdempotencyKeys,
  removeMarketPrices,
  removeQuotes,
  removeRefusedSolutions,
  removeSessions,
} from './expired-rows.ts'

/** Ages in days; 0 keeps rows for good. */
export interface RetentionDays {
  events: number
  competitions: number
  marketPrices: number
  feed: number
  /** Since they expired. */
  quotes: number
  idempotencyKeys: number
  /** Since they ended; of channels too. */
  deliveries: number
}

export interface RetentionOptions {
  db: Database
  networks: readonly Pick<Network, 'chainId' | 'finalityBlocks'>[]
  days: RetentionDays
  now: Clock
  log: Log
  onRemoved?: (table: string, rows: number) => void
  /** Limit of rows that one transaction reads. */
  batchRows?: number
  batchAuctions?: number
}

/** Pause between rounds. */
const restMs = 60_000
/** Shortest pause between batches. Pauses last as long as batches: half of the time the database rests. */
const minPauseMs = 20
const dayMs = 86_400_000
/** Time between the expiry of a document and its removal: an order that read it before is stored by then. */
const documentGraceDays = 1 / 24
/**
 * The age at which orders are removed that a client caused to be read. The client may store as many bytes
 * again then.
 */
const unusedOrderDays = 1

/** Removes rows older than their age, round after round, until `signal` aborts. One process at a time. */
export async function runRetention(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const removed = await sweep(options, signal)
    if (Object.keys(removed).length > 0) options.log.info('rows removed by their age', removed)
    await pause(restMs, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * One round. A batch that fails, for example on a locked row, ends its kind of rows only.
 * @returns the number of removed rows by table
 */
export async function sweep(options: RetentionOptions, signal: AbortSignal): Promise<Record<string, number>> {
  const removed: Record<string, number> = {}
  const add = (batch: RemovalBatch) => {
    for (const [table, count] of Object.entries(batch.removed)) {
      if (count === 0) continue
      removed[table] = (removed[table] ?? 0) + count
      options.onRemoved?.(table, count)
    }
  }
  for (const [kind, removeBatch] of kindsOf(options)) {
    try {
      await sweepKind(removeBatch, add, signal)
    } catch (error) {
      options.log.warn('old rows are kept until the next round', { kind, error: String(error) })
    }
  }
  return removed
}

async function sweepKind(
  removeBatch: () => Promise<RemovalBatch>,
  add: (batch: RemovalBatch) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const started = performance.now()
    const batch = await removeBatch()
    add(batch)
    if (batch.isLast) return
    const took = performance.now() - started
    await pause(Math.max(minPauseMs, took), undefined, { signal }).catch(() => undefined)
  }
}

/** Functions that remove one batch of each kind that has an age. */
function kindsOf({ db, networks, days, now, batchRows = 1_000, batchAuctions = 50 }: RetentionOptions) {
  const aged = (age: number) => ({ before: new Date(now() - age * dayMs), limit: batchRows })
  const kinds: [name: string, days: number, () => Promise<RemovalBatch>][] = [
    ['quotes', days.quotes, () => removeQuotes(db, aged(days.quotes))],
    ['idempotency keys', days.idempotencyKeys, () => removeIdempotencyKeys(db, aged(days.idempotencyKeys))],
    // Their age is in the rows.
    ['documents', 1, () => removeDocuments(db, aged(documentGraceDays))],
    ['unused orders', unusedOrderDays, () => removeUnusedOrders(db, aged(unusedOrderDays))],
    ['feed', days.feed, () => removeFeedEntries(db, aged(days.feed))],
    ['market prices', days.marketPrices, () => removeMarketPrices(db, aged(days.marketPrices))],
    ['refused solutions', days.competitions, () => removeRefusedSolutions(db, aged(days.competitions))],
    ['events', days.events, () => removeEvents(db, aged(days.events))],
    ['wakes of channels', 1, () => carryWakes(db, new Date(now()), batchRows)],
    ['forgotten deliveries', days.deliveries, () => endForgotten(db, aged(days.deliveries))],
    ['deliveries', days.deliveries, () => removeDeliveries(db, aged(days.deliveries))],
    ['channels', days.deliveries, () => removeChannels(db, aged(days.deliveries))],
    // They expire by themselves, and are useless then.
    ['sessions', 1, () => removeSessions(db, aged(0))],
    ['sessions of balances', 1, () => removeBalanceSessions(db, aged(0))],
    ['confirmations', 1, () => removeConfirmations(db, aged(1))],
    ['unconfirmed channels', 1, () => endUnconfirmed(db, aged(0))],
    ...networks.map(({ chainId }): (typeof kinds)[number] => [
      `standings:${chainId}`,
      days.events,
      () => removeStandings(db, { ...aged(days.events), chainId }),
    ]),
    ...networks.map(({ chainId, finalityBlocks }): (typeof kinds)[number] => [
      `competitions:${chainId}`,
      days.competitions,
      () =>
        removeCompetitions(db, {
          ...aged(days.competitions),
          chainId,
          finalityBlocks,
          limit: batchAuctions,
        }),
    ]),
  ]
  return kinds
    .filter(([, age]) => age > 0)
    .map(([name, , removeBatch]): [string, () => Promise<RemovalBatch>] => [name, removeBatch])
}
