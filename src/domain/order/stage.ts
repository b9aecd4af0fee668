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

/** Stages that speak of a competition. */
export const competedStages: readonly OrderStage[] = ['solved', 'executing', 'traded']

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
