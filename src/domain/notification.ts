import type { Address } from './evm/address.ts'
import { filledAmount, type Order } from './order/order.ts'
import type { OrderUid } from './order/uid.ts'
import { formatTokenAmount, type Token } from './token/token.ts'

export const notificationTypes = [
  'order_filled',
  'order_partially_filled',
  'order_expired',
  'order_cancelled',
  'insufficient_balance',
  'price_improvement',
] as const
export type NotificationType = (typeof notificationTypes)[number]

/** JSON, as clients see it. Amounts are decimal strings. Code that reads or documents it names each member. */
export interface NotificationMetadata {
  orderId: OrderUid
  chainId: number
  executedAmount?: string
  txHash?: string
  validTo?: number
  /** What caused the cancellation. */
  source?: 'api' | 'policy' | 'replacement' | 'chain'
  replacedBy?: OrderUid
  reason?: string
  /** true once a reorg has removed the cause for good. */
  reverted?: boolean
}

export interface Notification {
  id: string
  account: Address
  type: NotificationType
  message: string
  timestamp: Date
  metadata: NotificationMetadata
}

type Summary = Pick<Order, 'sellAmount' | 'buyAmount'>

export function summarize(amounts: Summary, sell: Token, buy: Token): string {
  return `${formatTokenAmount(amounts.sellAmount, sell)} for ${formatTokenAmount(amounts.buyAmount, buy)}`
}

/** Filled share of the fixed side, in whole percent, rounded down: 99.9 % is not 100. */
export function filledPercentDown(order: Order): number {
  const target = order.kind === 'sell' ? order.sellAmount : order.buyAmount
  return target === 0n ? 0 : Number((filledAmount(order) * 100n) / target)
}
