import type { Address } from '../evm/address.ts'
import type { CancellationSource } from '../order/event.ts'
import type { ImprovementReference } from '../order/improvement.ts'
import type { OrderUid } from '../order/uid.ts'

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
  source?: CancellationSource
  replacedBy?: OrderUid
  reason?: string
  /** Of the amounts that follow. */
  token?: Address
  /** Atoms that the account has too few. */
  missingBalance?: string
  /** Atoms that the vault relayer may spend too few. */
  missingAllowance?: string
  reference?: ImprovementReference
  /** What the trade would have given, or taken, at the reference. */
  referenceAmount?: string
  improvementAmount?: string
  /** A decimal fraction of `referenceAmount`. */
  improvementShare?: string
  /** What the trade would have given, or taken, at the price of the order's quote; absent without a quote. */
  quotedAmount?: string
  /** Atoms better than `quotedAmount`; negative where the trade is worse. */
  quoteImprovementAmount?: string
  /** A decimal fraction of `quotedAmount`. */
  quoteImprovementShare?: string
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
