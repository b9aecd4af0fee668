import type { Address } from './address.ts'
import { filledAmount, type Order } from './order.ts'
import type { OrderUid } from './order-uid.ts'
import { formatTokenAmount, type Token } from './token.ts'

export const notificationTypes = [
  'order_filled',
  'order_partially_filled',
  'order_expired',
  'order_cancelled',
  'insufficient_balance',
  'price_improvement',
] as const
export type NotificationType = (typeof notificationTypes)[number]

/** JSON, as clients see it. Amounts are decimal strings. */
export interface NotificationMetadata {
  orderId: OrderUid
  chainId: number
  executedAmount?: string
  txHash?: string
  validTo?: number
  /** true once the cause was reorganised away for good. */
  reverted?: boolean
  [key: string]: unknown
}

export interface Notification {
  id: string
  account: Address
  type: NotificationType
  message: string
  timestamp: Date
  metadata: NotificationMetadata
}

/** One step of an account's feed. The cursor is opaque to clients and grows in commit order. */
export interface FeedEntry {
  cursor: string
  notification: Notification
}

type Summary = Pick<Order, 'sellAmount' | 'buyAmount'>

export function summarize(amounts: Summary, sell: Token, buy: Token): string {
  return `${formatTokenAmount(amounts.sellAmount, sell)} for ${formatTokenAmount(amounts.buyAmount, buy)}`
}

/** Share of the fixed side that is filled, in whole percent, rounded down: 99.9 % never reads as all. */
export function filledPercentDown(order: Order): number {
  const target = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return target === 0n ? 0 : Number((filledAmount(order) * 100n) / target)
}
