import type { Outlook } from '../../domain/auction/admission.ts'
import { type Clock, unixSeconds } from '../../domain/log.ts'
import type { Shortage } from '../../domain/notification/text.ts'
import { exclusionLabel, isExclusion, type StandingReason } from '../../domain/order/event.ts'
import type { Order } from '../../domain/order/order.ts'
import { recordInsufficientBalance } from '../../notifications/record.ts'
import type { Database, Tx } from '../../storage/database/database.ts'
import { appendEvents, type NewOrderEvent } from '../../storage/order/events.ts'
import { lockOrders } from '../../storage/order/progress.ts'
import { type MovedShortages, moveShortages } from '../../storage/order/shortages.ts'
import {
  deleteEndedStandings,
  deleteStandings,
  type OrderAsRead,
  unmovedOrders,
  writeStandings,
} from '../../storage/order/standings.ts'
import type { RoutedPrice } from './routed-prices.ts'

/** Where an order stands after an auction was built. */
export interface Verdict {
  order: OrderAsRead & Pick<Order, 'uid'>
  /** Why the auction does not hold it; null when it does. */
  reason: StandingReason | null
  outlook?: Outlook | undefined
  /** Sell atoms that its owner lacks. */
  missing?: bigint | undefined
  /** Row key of the owner's order that comes first for the balance. */
  fundsTakenBy?: bigint | undefined
  routed?: RoutedPrice | undefined
  /** What its owner lacks, whatever other orders take; null for nothing, undefined if the auction did not find out. */
  shortage?: (Shortage & { order: Order }) | null | undefined
}

/** Keeps one row for each live order, and writes it and an event when the reason changes. Unchanged orders cost no statement. */
export interface Standings {
  /** Forgets what was written, as another process may have written since. The next write deletes the rows of orders that have ended. */
  reset(): void
  /** Writes what changed, up to a number of orders: the others are written with the next auction. */
  write(verdicts: readonly Verdict[]): Promise<void>
  /** To be written when `write` has room. */
  wait(verdicts: readonly Verdict[]): void
  /** The next verdict about these orders is written even if it is the same: another event came between. */
  forget(ids: Iterable<bigint>): void
  /** Deletes the rows of orders that have ended. */
  end(ids: readonly bigint[]): Promise<void>
}

interface Written extends Omit<Verdict, 'order'> {
  /** Milliseconds. */
  at: number
  /** Its owner is still to be notified of the shortage. */
  isWaiting: boolean
}

const none: MovedShortages = { begun: new Set(), waiting: new Set() }
const maxWrites = 2_000
/** Figures that changed are written at most this often. */
const figuresMs = 60_000

export interface StandingsOptions {
  db: Database
  chainId: number
  now: Clock
  /** From one notification that the funds of an order are missing to its next one. */
  notificationPauseMs: number
}

export function createStandings({ db, chainId, now, notificationPauseMs }: StandingsOptions): Standings {
  const written = new Map<bigint, Written>()
  const waiting = new Map<bigint, Verdict>()
  let isFresh = true

  async function notify(tx: Tx, verdicts: readonly Verdict[], at: Date): Promise<MovedShortages> {
    const states = verdicts.flatMap(({ order, shortage }) =>
      shortage === undefined ? [] : [{ orderId: order.id, isShort: shortage !== null }],
    )
    if (states.length === 0) return none
    const moved = await moveShortages(tx, states, at, notificationPauseMs)
    const short = verdicts.flatMap(({ shortage }) =>
      shortage && moved.begun.has(shortage.order.id) ? [{ order: shortage.order, shortage }] : [],
    )
    await recordInsufficientBalance(tx, short, at)
    return moved
  }

  /** What was found about orders that ended or were traded meanwhile is dropped: the next auction finds it again. */
  async function store(found: readonly Verdict[], at: Date): Promise<void> {
    const { verdicts, unnotified } = await db.transaction(async (tx) => {
      await lockOrders(
        tx,
        found.map(({ order }) => order.uid),
      )
      const unmoved = await unmovedOrders(
        tx,
        found.map(({ order }) => order),
        unixSeconds(at.getTime()),
      )
      const verdicts = found.filter(({ order }) => unmoved.has(order.id))
      const moved = verdicts.filter(({ order, reason }) => written.get(order.id)?.reason !== reason)
      await appendEvents(
        tx,
        moved.flatMap((verdict) => toEvent(verdict, at)),
      )
      await writeStandings(tx, chainId, verdicts.map(toStanding), at)
      return { verdicts, unnotified: (await notify(tx, verdicts, at)).waiting }
    })
    for (const { order } of found) written.delete(order.id)
    for (const { order, ...verdict } of verdicts)
      written.set(order.id, { ...verdict, at: at.getTime(), isWaiting: unnotified.has(order.id) })
  }

  return {
    reset() {
      written.clear()
      waiting.clear()
      isFresh = true
    },
    async write(verdicts) {
      const at = new Date(now())
      if (isFresh) await deleteEndedStandings(db, chainId, unixSeconds(at.getTime()))
      isFresh = false
      for (const { order } of verdicts) waiting.delete(order.id)
      const changed = verdicts
        .filter((verdict) => isNew(verdict, written.get(verdict.order.id), at.getTime()))
        .slice(0, maxWrites)
      const room = [...waiting.values()].slice(0, maxWrites - changed.length)
      if (changed.length + room.length > 0) await store([...changed, ...room], at)
      for (const { order } of room) waiting.delete(order.id)
    },
    wait(verdicts) {
      for (const verdict of verdicts) waiting.set(verdict.order.id, verdict)
    },
    forget(ids) {
      for (const id of ids) written.delete(id)
    },
    async end(ids) {
      for (const id of ids) {
        written.delete(id)
        waiting.delete(id)
      }
      await deleteStandings(db, ids)
    },
  }
}

/** The reason or who has the balance is another; or a minute has passed and what is missing changed, or a gap moved by a tenth. */
function isNew(verdict: Verdict, last: Written | undefined, now: number): boolean {
  if (!last || last.reason !== verdict.reason || last.fundsTakenBy !== verdict.fundsTakenBy) return true
  // A settlement that failed says why without figures, and the router comes later.
  if ((!last.outlook && verdict.outlook) || (!last.routed && verdict.routed)) return true
  if (verdict.shortage !== undefined && Boolean(verdict.shortage) !== Boolean(last.shortage)) return true
  if (now - last.at < figuresMs) return false
  if (verdict.shortage && last.isWaiting) return true
  return (
    hasMoved(verdict.outlook?.marketGap, last.outlook?.marketGap) ||
    hasMoved(verdict.routed?.gap, last.routed?.gap) ||
    last.missing !== verdict.missing
  )
}

function hasMoved(gap: bigint | undefined, last: bigint | undefined): boolean {
  if (last === undefined) return gap !== undefined
  return 10n * abs((gap ?? last) - last) > abs(last)
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** No event for an auction that is full or a pause: the order is as ready as the others. */
function toEvent({ order, reason }: Verdict, timestamp: Date): NewOrderEvent[] {
  if (reason === null) return [{ orderId: order.id, label: 'ready', reason, timestamp }]
  return isExclusion(reason) ? [{ orderId: order.id, label: exclusionLabel(reason), reason, timestamp }] : []
}

function toStanding({ order, reason, outlook, missing, fundsTakenBy, routed }: Verdict) {
  return {
    orderId: order.id,
    reason,
    marketGap: outlook?.marketGap ?? null,
    feeShare: outlook?.feeShare ?? null,
    missing: missing ?? null,
    fundsTakenBy: fundsTakenBy ?? null,
    routed: routed ?? null,
  }
}
