import { bothSpellings, type Screaming } from '../text/spelling.ts'
import type { CancellationSource, OrderEventLabel } from './event.ts'
import { executedSellBeforeFees, isInvalidated, type Order } from './order.ts'

export const orderStatuses = ['presignaturePending', 'open', 'fulfilled', 'cancelled', 'expired'] as const
export type OrderStatus = (typeof orderStatuses)[number]

export const orderStatusTexts: Record<OrderStatus, string> = {
  presignaturePending: 'Waits for its owner to sign on chain.',
  open: 'Can be traded.',
  fulfilled: 'Traded whole.',
  cancelled: 'Cancelled through the service or on chain; what was traded before stays.',
  expired: 'Its time has passed; what was traded before stays.',
}

/** The columns of the order's row from which its status derives. */
export type StatusInput = Pick<
  Order,
  | 'kind'
  | 'sellAmount'
  | 'buyAmount'
  | 'executedSellAmount'
  | 'executedBuyAmount'
  | 'executedFeeAmount'
  | 'cancelledAt'
  | 'invalidatedOnChain'
  | 'effectiveValidTo'
  | 'signingScheme'
  | 'presigned'
>

/** A status in the spelling of GraphQL. */
export type SpelledStatus = Screaming<OrderStatus>

const live = bothSpellings(['open', 'presignaturePending'] satisfies OrderStatus[])

/** Reports whether no further trade is expected. */
export function hasEnded(status: OrderStatus | SpelledStatus): boolean {
  return !live.has(status)
}

/** Reports whether the filled amount equals the signed amount of the fixed side exactly. */
export function isFulfilled(order: StatusInput): boolean {
  return order.kind === 'buy'
    ? order.executedBuyAmount > 0n && order.executedBuyAmount === order.buyAmount
    : order.executedSellAmount > 0n && executedSellBeforeFees(order) === order.sellAmount
}

/**
 * Derives the status, which is never stored; the first match wins. An order whose validTo is now is still
 * open. `storage/order/status.ts` has the same rule in SQL; a test compares the two.
 */
export function orderStatus(order: StatusInput, now: number): OrderStatus {
  if (isFulfilled(order)) return 'fulfilled'
  if (isInvalidated(order)) return 'cancelled'
  if (order.effectiveValidTo < now) return 'expired'
  if (order.signingScheme === 'presign' && !order.presigned) return 'presignaturePending'
  return 'open'
}

/** The stages that clients of the REST interface know. */
export const plainStages = [
  'open',
  'scheduled',
  'active',
  'solved',
  'executing',
  'traded',
  'cancelled',
] as const
type PlainStage = (typeof plainStages)[number]

/** The stages of an order on the way to its settlement, and its endings. The values are part of the API. */
export const orderStages = [...plainStages, 'expired', 'replaced', 'invalidated', 'refunded'] as const
type OrderStage = (typeof orderStages)[number]

const plainStageOf: Readonly<Partial<Record<OrderStage, PlainStage>>> = {
  expired: 'open',
  replaced: 'cancelled',
  invalidated: 'cancelled',
  refunded: 'cancelled',
}

/** Stages in which the order takes part in a competition. */
export const competedStages: readonly PlainStage[] = ['solved', 'executing', 'traded']

/**
 * The stages of an order that can still be traded. Null while auctions include the order: the newest
 * competition decides.
 */
const stageOfEvent: Readonly<Record<OrderEventLabel, PlainStage | null>> = {
  created: 'scheduled',
  ready: null,
  filtered: 'open',
  invalid: 'open',
  considered: null,
  executing: 'executing',
  traded: 'traded',
  cancelled: 'open',
  // The expiry may follow the time of a block that is ahead of the clock.
  expired: 'open',
  refunded: 'open',
  hook_failed: 'traded',
}

const stageOfCancellation: Readonly<Record<CancellationSource, OrderStage>> = {
  api: 'cancelled',
  policy: 'cancelled',
  replacement: 'replaced',
  chain: 'invalidated',
}

/** The facts from which the stage of an order derives. */
export interface StageInput {
  status: OrderStatus
  hasTraded: boolean
  newestEvent: OrderEventLabel | null
  /**
   * The source of the newest event `cancelled`; `chain` for an order that is invalidated on chain and not
   * cancelled otherwise.
   */
  cancelledBy: CancellationSource
  /** True if, in the newest competition with the order, a solution trades it but no winner does. */
  isSolved: boolean
}

/**
 * The stage of an order. If the order has ended, its ending, in agreement with its status. Otherwise `traded`
 * if there is a trade, else the stage of the newest event. `storage/models/order/progress.ts` has the same
 * rule in SQL; a test compares the two.
 * @returns undefined without a trade or an event
 */
export function orderStage(facts: StageInput): OrderStage | undefined {
  const { status, hasTraded, newestEvent } = facts
  if (!hasTraded && newestEvent === null) return undefined
  if (status === 'fulfilled') return 'traded'
  if (status === 'cancelled' || status === 'expired') {
    if (newestEvent === 'refunded') return 'refunded'
    return status === 'expired' ? 'expired' : stageOfCancellation[facts.cancelledBy]
  }
  return liveStage(hasTraded, newestEvent, facts.isSolved)
}

/** The stage of an order that can still be traded. */
export function liveStage(
  hasTraded: boolean,
  newestEvent: OrderEventLabel | null,
  isSolved: boolean,
): PlainStage {
  if (hasTraded || newestEvent === null) return 'traded'
  return stageOfEvent[newestEvent] ?? (isSolved ? 'solved' : 'active')
}

/** The stage for the REST interface, in which a trade takes precedence over the ending. */
export function plainStage(stage: OrderStage, hasTraded: boolean): PlainStage {
  return hasTraded ? 'traded' : (plainStageOf[stage] ?? (stage as PlainStage))
}
