import type { CancellationSource, OrderEventLabel } from './event.ts'
import type { OrderStatus } from './status.ts'

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
export type PlainStage = (typeof plainStages)[number]

/** How far an order has come towards its settlement, and how it ended. The values are part of the API. */
export const orderStages = [...plainStages, 'expired', 'replaced', 'invalidated', 'refunded'] as const
export type OrderStage = (typeof orderStages)[number]

const plainStageOf: Readonly<Partial<Record<OrderStage, PlainStage>>> = {
  expired: 'open',
  replaced: 'cancelled',
  invalidated: 'cancelled',
  refunded: 'cancelled',
}

/** Stages in which the order takes part in a competition. */
export const competedStages: readonly PlainStage[] = ['solved', 'executing', 'traded']

/** Of an order that can still be traded. Null where auctions hold it: the newest competition decides. */
const stageOfEvent: Readonly<Record<OrderEventLabel, PlainStage | null>> = {
  created: 'scheduled',
  ready: null,
  filtered: 'open',
  invalid: 'open',
  considered: null,
  executing: 'executing',
  traded: 'traded',
  cancelled: 'open',
  // By the time of a block that is ahead of the clock.
  expired: 'open',
  refunded: 'open',
}

const stageOfCancellation: Readonly<Record<CancellationSource, OrderStage>> = {
  api: 'cancelled',
  policy: 'cancelled',
  replacement: 'replaced',
  chain: 'invalidated',
}

/** What the stage of an order derives from. */
export interface StageFacts {
  status: OrderStatus
  hasTraded: boolean
  newestEvent: OrderEventLabel | null
  /** Of its newest event `cancelled`; for one that is invalidated on chain and not cancelled otherwise, `chain`. */
  cancelledBy: CancellationSource
  /** In the newest competition with the order a solution trades it, but no winner. */
  isSolved: boolean
}

/**
 * Of an order that has ended, how it ended, in agreement with its status. Otherwise `traded` if there is a trade, else the stage of the
 * newest event; `undefined` without either. `storage/models/order/progress.ts` has the same rule in SQL; a test compares the two.
 */
export function orderStage(facts: StageFacts): OrderStage | undefined {
  const { status, hasTraded, newestEvent } = facts
  if (!hasTraded && newestEvent === null) return undefined
  if (status === 'fulfilled') return 'traded'
  if (status === 'cancelled' || status === 'expired') {
    if (newestEvent === 'refunded') return 'refunded'
    return status === 'expired' ? 'expired' : stageOfCancellation[facts.cancelledBy]
  }
  return liveStage(hasTraded, newestEvent, facts.isSolved)
}

/** Of an order that can still be traded. */
export function liveStage(
  hasTraded: boolean,
  newestEvent: OrderEventLabel | null,
  isSolved: boolean,
): PlainStage {
  if (hasTraded || newestEvent === null) return 'traded'
  return stageOfEvent[newestEvent] ?? (isSolved ? 'solved' : 'active')
}

/** The stage in the words of the REST interface, in which a trade counts more than how the order ended. */
export function plainStage(stage: OrderStage, hasTraded: boolean): PlainStage {
  return hasTraded ? 'traded' : (plainStageOf[stage] ?? (stage as PlainStage))
}
