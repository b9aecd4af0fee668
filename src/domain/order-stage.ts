import type { Address } from './address.ts'
import type { OrderEventLabel } from './event.ts'

/** How far an order has come on its way into a settlement, in the interface's words. */
export const orderStages = [
  'open',
  'scheduled',
  'active',
  'solved',
  'executing',
  'traded',
  'cancelled',
] as const
export type OrderStage = (typeof orderStages)[number]

const stageOfEvent: Readonly<Record<OrderEventLabel, OrderStage>> = {
  created: 'scheduled',
  ready: 'active',
  filtered: 'open',
  invalid: 'open',
  considered: 'solved',
  executing: 'executing',
  traded: 'traded',
  cancelled: 'cancelled',
}

/** A trade counts more than any event; otherwise the newest event says it. `undefined` where nothing happened. */
export function orderStage(hasTraded: boolean, newestEvent: OrderEventLabel | null): OrderStage | undefined {
  if (hasTraded) return 'traded'
  return newestEvent === null ? undefined : stageOfEvent[newestEvent]
}

/** What a solver proposed for one order. */
export interface SolverProposal {
  solver: Address
  /** Sell with all fees, buy after all fees; null when the solution left the order out. */
  executedAmounts: { sell: bigint; buy: bigint } | null
}

export interface OrderCompetitionProgress {
  stage: OrderStage
  /** Of the competition the stage speaks of, worst first. null before the order is in one, and when it is not known. */
  proposals: SolverProposal[] | null
}
