import type { Block } from '../chain/chain.ts'
import type { Cancellation } from '../domain/order/event.ts'
import { isInvalidated, type Order, type OrderUid } from '../domain/order/order.ts'
import { isFulfilled, orderStatus } from '../domain/order/status.ts'
import { appendCancelled, recordCancelled, recordExpired } from '../notifications/record.ts'
import type { InvalidationRow, OrderLogRow } from '../storage/chain/indexed-logs.ts'
import type { Database, Tx } from '../storage/database/database.ts'
import { appendEvents } from '../storage/order/events.ts'
import { type ExpiredOrder, takeExpired } from '../storage/order/orders.ts'

interface Endings {
  /** State after the trades of the range. */
  orders: ReadonlyMap<OrderUid, Order>
  /** Headers of all blocks that invalidate an order that may have expired before. */
  headers: readonly Block[]
  at: Date
  /** Invalidations of earlier blocks are not notified. */
  notifiedFrom?: number | undefined
}

/**
 * Records the first invalidation, which cancels an order that has not ended. One after the order's last
 * second finds it expired, even in the same range; the event then makes the status cancelled.
 */
export async function recordInvalidations(
  tx: Tx,
  invalidations: readonly InvalidationRow[],
  { orders, headers, at, notifiedFrom = 0 }: Endings,
): Promise<void> {
  const times = new Map(headers.map(({ number, timestamp }) => [number, timestamp]))
  const causes = new Map<OrderUid, Cancellation>()
  const cancelled: Order[] = []
  const old: Order[] = []
  const expired: Order[] = []
  for (const { orderUid, blockNumber, txHash } of invalidations) {
    const order = orders.get(orderUid)
    if (!order || causes.has(orderUid) || isInvalidated(order) || isFulfilled(order)) continue
    causes.set(orderUid, { by: 'chain', blockNumber, txHash })
    const hasExpired = (times.get(blockNumber) ?? 0) > order.effectiveValidTo
    ;(hasExpired ? expired : blockNumber < notifiedFrom ? old : cancelled).push(order)
  }
  if (cancelled.length > 0) await recordCancelled(tx, cancelled, causes, at)
  if (old.length > 0) await appendCancelled(tx, old, causes, at)
  const [first] = expired
  if (!first) return
  const ids = expired.map(({ id }) => id)
  await recordExpired(tx, await takeExpired(tx, first.chainId, headers, { ids, limit: ids.length }), at)
  await appendCancelled(tx, expired, causes, at)
}

/** Records refunds. A refund finds the order expired, even in the same range. */
export async function recordRefunds(
  tx: Tx,
  refunds: readonly OrderLogRow[],
  { orders, headers, at }: Endings,
): Promise<void> {
  const refunded = refunds.flatMap(({ orderUid, blockNumber }) => {
    const order = orders.get(orderUid)
    return order ? [{ order, blockNumber }] : []
  })
  const [first] = refunded
  if (!first) return
  const ids = refunded.map(({ order }) => order.id)
  const expired = await takeExpired(tx, first.order.chainId, headers, { ids, limit: ids.length })
  await recordExpired(tx, expired.filter(hasExpired), at)
  const event = { label: 'refunded' as const, reason: null, timestamp: at }
  await appendEvents(
    tx,
    refunded.map(({ order, blockNumber }) => ({ orderId: order.id, ...event, blockNumber })),
  )
}

/** Expires orders by chain time, so that a late block does not expire an order that traded in time. */
export async function sweepExpired(
  db: Database,
  chainId: number,
  headers: readonly Block[],
  at: Date,
): Promise<void> {
  const limit = 500
  let taken = limit
  while (taken === limit) {
    taken = await db.transaction(async (tx) => {
      const orders = await takeExpired(tx, chainId, headers, { limit })
      await recordExpired(tx, orders.filter(hasExpired), at)
      return orders.length
    })
  }
}

/** Checks that it was neither filled nor cancelled before. */
function hasExpired({ order }: ExpiredOrder): boolean {
  return orderStatus(order, Number.POSITIVE_INFINITY) === 'expired'
}
