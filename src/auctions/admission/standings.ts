import type { Spendable } from '../../chain/chain.ts'
import type { Outlook } from '../../domain/auction/admission.ts'
import type { Address } from '../../domain/evm/address.ts'
import { type Clock, unixSeconds } from '../../domain/log.ts'
import type { Shortage } from '../../domain/notification/notification.ts'
import { exclusionLabel, type Failing, isExclusion, type StandingReason } from '../../domain/order/event.ts'
import type { Order } from '../../domain/order/order.ts'
import { settlementGas } from '../../domain/settlement/gas.ts'
import { recordInsufficientBalance } from '../../notifications/record.ts'
import { findCheckpoint } from '../../storage/chain/indexed-logs.ts'
import type { Database, Tx } from '../../storage/database/database.ts'
import { appendEvents, type NewOrderEvent } from '../../storage/order/events.ts'
import { lockOrders } from '../../storage/order/progress.ts'
import {
  deleteEndedStandings,
  deleteStandings,
  type MovedShortages,
  moveShortages,
  type OrderAsRead,
  type OrderStanding,
  unmovedOrders,
  writeStandings,
} from '../../storage/order/standings.ts'
import type { NoRoute, RoutedPrice } from './routed-prices.ts'

/** The standing of an order after an auction was built. */
export interface StandingUpdate {
  order: OrderAsRead & Pick<Order, 'uid'>
  /** Why the auction does not hold the order; null when it does. */
  reason: StandingReason | null
  outlook?: Outlook | undefined
  /** Sell atoms that its owner lacks. */
  missing?: bigint | undefined
  /** Row key of the owner's order that comes first for the balance. */
  fundsTakenBy?: bigint | undefined
  /** The account's funds of the sell token, regardless of other orders. */
  held?: Spendable | undefined
  /** The answer of a contract that refuses the order. */
  revert?: string | undefined
  /** The token or pool that refuses the order, if it refuses others too. */
  failing?: Failing | undefined
  /** Its tokens that have no price. */
  unpriced?: readonly Address[] | undefined
  routed?: RoutedPrice | NoRoute | undefined
  best?: RoutedPrice | undefined
  /** The share of the volume that fee policies take, in parts per million. */
  policyShare?: bigint | undefined
  /** Gas of a settlement of the order alone, where that is better known than for the outlook. */
  gas?: bigint | undefined
  /**
   * The funds that its owner lacks, regardless of other orders; null for none, undefined if the auction did
   * not find out.
   */
  shortage?: (Shortage & { order: Order }) | null | undefined
}

/**
 * Keeps one row for each live order, and writes it and an event when the reason changes. Unchanged orders
 * cost no statement.
 */
export interface Standings {
  /**
   * Forgets what was written, as another process may have written since. The next write deletes the rows of
   * orders that were filled or cancelled.
   */
  reset(): void
  /**
   * Writes what changed, up to a number of orders: the other orders are written with the next auction. That
   * funds are missing is written once the indexer has read the block that showed it: the order may have been
   * filled there.
   * @param block of which the funds were read
   */
  write(verdicts: readonly StandingUpdate[], block: number): Promise<void>
  /** Leaves the verdicts to a later `write` that has room. */
  wait(verdicts: readonly StandingUpdate[]): void
  /** The next verdict about these orders is written even if it is the same: another event came between. */
  forget(ids: Iterable<bigint>): void
  /**
   * Deletes the rows of orders that were filled or cancelled. Those of orders that expired say what kept them
   * until then.
   */
  end(ids: readonly bigint[]): Promise<void>
}

interface Written extends Omit<StandingUpdate, 'order'> {
  /** Milliseconds. */
  at: number
  /** Its owner is still to be notified of the shortage. */
  isWaiting: boolean
}

const none: MovedShortages = { begun: new Map(), waiting: new Set() }
const maxWrites = 2_000
/** Blocks that missing funds wait for the indexer at most. */
const maxIndexedLater = 10
/** Figures that changed are written at most this often. */
const figuresMs = 60_000

interface StandingsOptions {
  db: Database
  chainId: number
  now: Clock
  /** The pause between two notifications that the funds of an order are missing. */
  notificationPauseMs: number
}

export function createStandings({ db, chainId, now, notificationPauseMs }: StandingsOptions): Standings {
  const written = new Map<bigint, Written>()
  const waiting = new Map<bigint, StandingUpdate>()
  /** The first block at which the funds of an order were missing, until that is written. */
  const shortSince = new Map<bigint, number>()
  let isFresh = true

  /** Leaves out verdicts of missing funds that the indexer may explain. */
  async function settled(changed: readonly StandingUpdate[], block: number): Promise<StandingUpdate[]> {
    const isShort = ({ order, reason }: StandingUpdate) =>
      reason === 'insufficient_balance' && written.get(order.id)?.reason !== reason
    const short = changed.filter(isShort)
    if (short.length === 0) return [...changed]
    for (const { order } of short) shortSince.set(order.id, shortSince.get(order.id) ?? block)
    const indexed = (await findCheckpoint(db, chainId))?.number ?? Number.POSITIVE_INFINITY
    const isKnown = (since: number) => since <= indexed || since + maxIndexedLater <= block
    return changed.filter((verdict) => !isShort(verdict) || isKnown(shortSince.get(verdict.order.id) ?? 0))
  }

  async function notify(tx: Tx, verdicts: readonly StandingUpdate[], at: Date): Promise<MovedShortages> {
    const states = verdicts.flatMap(({ order, shortage }) =>
      shortage === undefined ? [] : [{ orderId: order.id, isShort: shortage !== null }],
    )
    if (states.length === 0) return none
    const moved = await moveShortages(tx, states, at, notificationPauseMs)
    const short = verdicts.flatMap(({ shortage }) => {
      const episode = shortage ? moved.begun.get(shortage.order.id) : undefined
      return !shortage || episode === undefined ? [] : [{ order: shortage.order, shortage, episode }]
    })
    await recordInsufficientBalance(tx, short, at)
    return moved
  }

  /**
   * Stores verdicts. Those about orders that ended or were traded meanwhile are dropped: the next auction
   * finds them again.
   */
  async function store(found: readonly StandingUpdate[], at: Date): Promise<void> {
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
    for (const { order } of found) {
      written.delete(order.id)
      shortSince.delete(order.id)
    }
    for (const { order, ...verdict } of verdicts)
      written.set(order.id, { ...verdict, at: at.getTime(), isWaiting: unnotified.has(order.id) })
  }

  return {
    reset() {
      written.clear()
      waiting.clear()
      shortSince.clear()
      isFresh = true
    },
    async write(verdicts, block) {
      const at = new Date(now())
      if (isFresh) await deleteEndedStandings(db, chainId)
      isFresh = false
      for (const { order } of verdicts) waiting.delete(order.id)
      for (const { order, reason } of verdicts)
        if (reason !== 'insufficient_balance') shortSince.delete(order.id)
      const news = verdicts.filter((verdict) => isNew(verdict, written.get(verdict.order.id), at.getTime()))
      const changed = (await settled(news, block)).slice(0, maxWrites)
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
        shortSince.delete(id)
      }
      await deleteStandings(db, ids)
    },
  }
}

/**
 * The reason, who has the balance or the side of the limit is another; or a minute has passed and what is
 * missing changed, or a gap moved by a tenth.
 */
function isNew(verdict: StandingUpdate, last: Written | undefined, now: number): boolean {
  if (!last || last.reason !== verdict.reason || last.fundsTakenBy !== verdict.fundsTakenBy) return true
  // A settlement that failed says why without figures, and the router comes later.
  if ((!last.outlook && verdict.outlook) || (!last.routed && verdict.routed)) return true
  if (verdict.routed && (verdict.routed.gap === undefined) !== (last.routed?.gap === undefined)) return true
  if (isOutOfReach(verdict) !== isOutOfReach(last)) return true
  if (verdict.revert !== last.revert || verdict.failing?.address !== last.failing?.address) return true
  if (verdict.shortage !== undefined && Boolean(verdict.shortage) !== Boolean(last.shortage)) return true
  if (now - last.at < figuresMs) return false
  if (verdict.shortage && last.isWaiting) return true
  return (
    hasMoved(verdict.outlook?.marketGap, last.outlook?.marketGap) ||
    hasMoved(verdict.routed?.gap, last.routed?.gap) ||
    hasMoved(verdict.best?.gap, last.best?.gap) ||
    last.missing !== verdict.missing
  )
}

/** Returns true if the market gives less than the order's limit. */
function isOutOfReach({ routed, outlook }: Pick<StandingUpdate, 'routed' | 'outlook'>): boolean {
  return (routed?.gap ?? outlook?.marketGap ?? 0n) < 0n
}

function hasMoved(gap: bigint | undefined, last: bigint | undefined): boolean {
  if (last === undefined) return gap !== undefined
  return 10n * abs((gap ?? last) - last) > abs(last)
}

function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}

/** No event for an auction that is full or a pause: the order is as ready as other orders. */
function toEvent({ order, reason }: StandingUpdate, timestamp: Date): NewOrderEvent[] {
  if (reason === null) return [{ orderId: order.id, label: 'ready', reason, timestamp }]
  return isExclusion(reason) ? [{ orderId: order.id, label: exclusionLabel(reason), reason, timestamp }] : []
}

/** Gas that the outlook assumes. */
const outlookGas = settlementGas(1, 1)

function toStanding({
  order,
  reason,
  outlook,
  routed,
  gas = outlookGas,
  ...verdict
}: StandingUpdate): OrderStanding {
  const { missing, fundsTakenBy, held, revert, failing, unpriced, best, policyShare } = verdict
  return {
    orderId: order.id,
    reason,
    marketGap: outlook?.marketGap ?? null,
    feeShare: outlook ? (outlook.feeShare * gas) / outlookGas : null,
    policyShare: policyShare ?? null,
    missing: missing ?? null,
    fundsTakenBy: fundsTakenBy ?? null,
    held: held ?? null,
    revert: revert ?? null,
    failing: failing ?? null,
    unpriced: unpriced ?? [],
    routed: routed ? { block: routed.block, price: routed.gap === undefined ? null : routed } : null,
    best: best ?? null,
  }
}
