import { type ExclusionReason, exclusionLabel } from '../domain/order/event.ts'
import type { Order } from '../domain/order/order.ts'
import { appendExclusions, type NewOrderEvent, newEvents } from '../storage/order/events.ts'
import { lockOrders } from '../storage/order/progress.ts'
import type { AuctionServices } from './services.ts'

/** What an auction found about an order: why it is left out, or null for one that can be settled. */
export interface Exclusion {
  order: Order
  excluded: ExclusionReason | null
}

/** Writes findings into the stories of their orders; what an order's newest event says already is not repeated. */
export async function recordExclusions(
  exclusions: readonly Exclusion[],
  { db, now }: Pick<AuctionServices, 'db' | 'now'>,
): Promise<void> {
  const timestamp = new Date(now())
  const uids = new Map(exclusions.map(({ order }) => [order.id, order.uid]))
  const fresh = await newEvents(
    db,
    exclusions.map((exclusion) => toEvent(exclusion, timestamp)),
  )
  if (fresh.length === 0) return
  await db.transaction(async (tx) => {
    await lockOrders(
      tx,
      fresh.flatMap(({ orderId }) => uids.get(orderId) ?? []),
    )
    await appendExclusions(tx, fresh)
  })
}

function toEvent({ order, excluded }: Exclusion, timestamp: Date): NewOrderEvent {
  const label = excluded ? exclusionLabel(excluded) : 'ready'
  return { orderId: order.id, label, reason: excluded, timestamp }
}
