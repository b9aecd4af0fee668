import { type ExclusionReason, exclusionLabel } from '../domain/order/event.ts'
import type { Order } from '../domain/order/order.ts'
import { appendExclusions, type NewOrderEvent, newEvents } from '../storage/order/events.ts'
import { lockOrders } from '../storage/order/progress.ts'
import type { AuctionServices } from './services.ts'

/** Why an auction leaves an order out; `excluded` is null for one that it includes. */
export interface Exclusion {
  order: Order
  excluded: ExclusionReason | null
}

/** Stores exclusions as events of their orders. An event equal to the order's newest one is not repeated. */
export async function recordExclusions(
  exclusions: readonly Exclusion[],
  { db, now }: Pick<AuctionServices, 'db' | 'now'>,
): Promise<void> {
  const timestamp = new Date(now())
  const uids = new Map(exclusions.map(({ order }) => [order.id, order.uid]))
  const events = await newEvents(
    db,
    exclusions.map((exclusion) => toEvent(exclusion, timestamp)),
  )
  if (events.length === 0) return
  await db.transaction(async (tx) => {
    await lockOrders(
      tx,
      events.flatMap(({ orderId }) => uids.get(orderId) ?? []),
    )
    await appendExclusions(tx, events)
  })
}

function toEvent({ order, excluded }: Exclusion, timestamp: Date): NewOrderEvent {
  const label = excluded ? exclusionLabel(excluded) : 'ready'
  return { orderId: order.id, label, reason: excluded, timestamp }
}
