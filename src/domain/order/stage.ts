import type { OrderEventLabel } from './event.ts'

/** How far an order has come towards its settlement. The values are part of the API. */
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

/** Stages in which the order takes part in a competition. */
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

/** `traded` if there is a trade, otherwise the stage of the newest event; `undefined` without events. */
export function orderStage(hasTraded: boolean, newestEvent: OrderEventLabel | null): OrderStage | undefined {
  if (hasTraded) return 'traded'
  return newestEvent === null ? undefined : stageOfEvent[newestEvent]
}
