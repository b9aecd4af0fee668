import type { Channel } from '../../domain/notification/channel.ts'
import type { NotificationType } from '../../domain/notification/notification.ts'
import { toOrderUid } from '../../domain/order/order.ts'
import { printable } from '../../outside/fault.ts'
import type { Delivery } from '../../storage/channels/deliveries.ts'
import { formatNodeId } from '../../storage/query/node-id.ts'

const maxLine = 1_000

/**
 * Makes a text one line of visible characters that readers do not turn into a link: symbols of tokens may be
 * anything. Removes URLs; breaks up hosts, paths, schemes, mentions, hashtags, cashtags, phone numbers and
 * commands, as in `claim[.]example`. `USDC.e` and `2,940.5` stay.
 */
function withoutLinks(text: string): string {
  return (printable(text, maxLine) ?? '')
    .replace(/[.．。｡](?=\p{L}[\p{L}\p{M}]|\p{N}+[.．。｡]\p{N})/gu, '[.]')
    .replace(/[:：/／@＠#＃$＄+＋](?=[\p{L}\p{N}_])/gu, '[$&]')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes for the content of elements, and for attributes in quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** Limits a text to this number of UTF-16 units. */
export function truncated(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
}

export function shortAccount(account: string): string {
  return `${account.slice(0, 6)}…${account.slice(-4)}`
}

/** A delivery as one line for people. Texts are plain: pages that show them escape them. */
export interface Message {
  title: string
  text: string
  at: Date
}

const titles: Readonly<Partial<Record<string, string>>> = {
  order_filled: 'Order filled',
  order_partially_filled: 'Order partly filled',
  order_expired: 'Order expired',
  order_cancelled: 'Order cancelled',
  insufficient_balance: 'Balance or allowance missing',
  price_improvement: 'Better price',
  post_hook_failed: 'A call after the trade failed',
  part_filled: 'Part filled',
  part_failed: 'Part failed',
  programmatic_finished: 'Programmatic order finished',
  programmatic_cancelled: 'Programmatic order cancelled',
} satisfies Record<NotificationType, string>

export function messageOf({ notification, createdAt }: Delivery): Message {
  if (!notification) return { title: 'Test', text: 'This is a test.', at: createdAt }
  const { type, message, timestamp, metadata } = notification
  const isReverted = metadata.reverted === true
  // Later versions may write other types.
  const title = titles[type] ?? 'Notification'
  return {
    title: isReverted ? `No longer so: ${title}` : title,
    text: withoutLinks(isReverted ? `A chain reorganisation took this back: ${message}` : message),
    at: timestamp,
  }
}

/** The page of a channel's account; null without a public address. */
export function pageOf({ account }: Pick<Channel, 'account'>, publicUrl: URL | undefined): string | null {
  return publicUrl ? new URL(`/accounts/${account}`, publicUrl).href : null
}

/** The page of a notification's order, or of the whole programmatic order; null without a public address. */
export function orderPageOf(
  { notification }: Pick<Delivery, 'notification'>,
  publicUrl: URL | undefined,
): string | null {
  // Later versions may write other metadata.
  const uid = toOrderUid(String(notification?.metadata.orderId))
  if (!notification || !publicUrl || !uid) return null
  const { chainId } = notification.metadata
  // The place of a UID has hash and owner: see `NotificationMetadata`.
  const path = notification.type.startsWith('programmatic_')
    ? `/programmatic/${formatNodeId('ProgrammaticOrder', chainId, `0x${uid.slice(66, 106)}`, uid.slice(0, 66))}`
    : `/orders/${uid}`
  return new URL(path, publicUrl).href
}
