import type { Address } from '../evm/address.ts'
import type { CancellationSource } from '../order/event.ts'
import type { ImprovementReference } from '../order/improvement.ts'
import type { OrderUid } from '../order/uid.ts'
import type { HookOutcome } from '../settlement/hooks.ts'

/** The types that the REST interface lists. Its clients may not know others. */
export const publishedTypes = [
  'order_filled',
  'order_partially_filled',
  'order_expired',
  'order_cancelled',
  'insufficient_balance',
  'price_improvement',
] as const

export const notificationTypes = [...publishedTypes, 'post_hook_failed'] as const
export type NotificationType = (typeof notificationTypes)[number]

/**
 * The JSON metadata as clients see it. Amounts are decimal strings. Code that reads or documents it names
 * each member.
 */
export interface NotificationMetadata {
  orderId: OrderUid
  chainId: number
  executedAmount?: string
  txHash?: string
  validTo?: number
  /** The cause of the cancellation. */
  source?: CancellationSource
  replacedBy?: OrderUid
  reason?: string
  /** The token of the amounts that follow. */
  token?: Address
  /** The atoms that the account lacks. */
  missingBalance?: string
  /** The atoms by which the vault relayer's allowance is too small. */
  missingAllowance?: string
  reference?: ImprovementReference
  /** The amount that the trade would have given, or taken, at the reference. */
  referenceAmount?: string
  improvementAmount?: string
  /** The improvement as a decimal fraction of `referenceAmount`. */
  improvementShare?: string
  /**
   * The amount that the trade would have given, or taken, at the price of the order's quote; absent without a
   * quote.
   */
  quotedAmount?: string
  /** The atoms by which the trade is better than `quotedAmount`; negative if it is worse. */
  quoteImprovementAmount?: string
  /** The improvement as a decimal fraction of `quotedAmount`. */
  quoteImprovementShare?: string
  /** The contract that a failed hook calls. */
  target?: Address
  /** The outcome of the failed hook. */
  outcome?: HookOutcome
  /** The number of hooks that failed with the same trade. */
  failedHooks?: number
  /** True after a reorganisation has removed the cause for good. */
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
