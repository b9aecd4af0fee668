import { bothSpellings, type Screaming } from '../text/spelling.ts'
import { executedSellBeforeFees, isInvalidated, type Order } from './order.ts'

export const orderStatuses = ['presignaturePending', 'open', 'fulfilled', 'cancelled', 'expired'] as const
export type OrderStatus = (typeof orderStatuses)[number]

/** The columns of the order's row from which its status derives. */
export type StatusFacts = Pick<
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
export function isFulfilled(order: StatusFacts): boolean {
  return order.kind === 'buy'
    ? order.executedBuyAmount > 0n && order.executedBuyAmount === order.buyAmount
    : order.executedSellAmount > 0n && executedSellBeforeFees(order) === order.sellAmount
}

/**
 * Derives the status, which is never stored; the first match wins. An order whose validTo is now is still
 * open. `storage/order/status.ts` has the same rule in SQL; a test compares the two.
 */
export function orderStatus(order: StatusFacts, now: number): OrderStatus {
  if (isFulfilled(order)) return 'fulfilled'
  if (isInvalidated(order)) return 'cancelled'
  if (order.effectiveValidTo < now) return 'expired'
  if (order.signingScheme === 'presign' && !order.presigned) return 'presignaturePending'
  return 'open'
}
