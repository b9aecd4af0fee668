import type { Channel } from '../../domain/notification/channel.ts'
import type { NotificationType } from '../../domain/notification/notification.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'
import { unlinked } from './text.ts'

/** A delivery as a person reads it, in one line. Texts are plain: who shows them escapes them. */
export interface Message {
  title: string
  text: string
  at: Date
}

const titles: Readonly<Record<NotificationType, string>> = {
  order_filled: 'Order filled',
  order_partially_filled: 'Order partly filled',
  order_expired: 'Order expired',
  order_cancelled: 'Order cancelled',
  insufficient_balance: 'Balance or allowance missing',
  price_improvement: 'Better price',
  post_hook_failed: 'A call after the trade failed',
}

export function messageOf({ notification, createdAt }: Delivery): Message {
  if (!notification) return { title: 'Test', text: 'This is a test.', at: createdAt }
  const { type, message, timestamp, metadata } = notification
  const isReverted = metadata.reverted === true
  return {
    title: isReverted ? `No longer so: ${titles[type]}` : titles[type],
    text: unlinked(isReverted ? `A chain reorganisation took this back: ${message}` : message),
    at: timestamp,
  }
}

/** The page of a channel's account; null without a public address. */
export function pageOf({ account }: Pick<Channel, 'account'>, publicUrl: URL | undefined): string | null {
  return publicUrl ? new URL(`/accounts/${account}`, publicUrl).href : null
}
