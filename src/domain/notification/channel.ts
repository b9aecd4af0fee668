import { dateTime, decimal, derived, described, id, oneOf, text, type ValueOf } from '../described.ts'
import type { Address } from '../evm/address.ts'
import type { NotificationType } from './notification.ts'

export const channelKinds = ['webhook', 'email', 'push', 'telegram'] as const
export type ChannelKind = (typeof channelKinds)[number]

/**
 * Ways in which a receiver proves that it wants a channel, with the kinds that support each way. For other
 * kinds a token proves nothing. The owner of a chat's channel also has its token, so only the chat itself can
 * confirm.
 */
export const confirmationWays = {
  /** The token that was sent to the channel, in a request or in its answer. */
  token: ['webhook', 'email', 'push'],
  /** The link in an e-mail. */
  link: ['email'],
  /** The start of the bot in a chat, which then is the address. */
  chat: ['telegram'],
} as const satisfies Readonly<Record<string, readonly ChannelKind[]>>
export type ConfirmationWay = keyof typeof confirmationWays

/** States of a channel. `pending` lasts until the receiver confirms; `ended` is final. */
export const channelStates = ['pending', 'active', 'ended'] as const
export type ChannelState = (typeof channelStates)[number]

/**
 * States of a delivery. `dead`: given up; `dropped`: never sent, because its cause was reverted or its
 * channel ended before.
 */
export const deliveryStates = ['waiting', 'delivered', 'dead', 'dropped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/**
 * The party that ended a channel: its account, its receiver, or this service because the channel was never
 * confirmed or the receiver is gone.
 */
export const channelEnds = ['account', 'receiver', 'unconfirmed', 'gone'] as const
export type ChannelEnd = (typeof channelEnds)[number]

/** Secrets of a webhook. After a rotation each previous secret stays valid until its own end. */
export interface WebhookKeys {
  secret: string
  previous?: readonly { secret: string; until: string }[]
}

/** Keys of a push endpoint in base64url; see RFC 8291. */
export interface PushKeys {
  p256dh: string
  auth: string
}

/** The secret in the unsubscribe links of e-mails. */
export interface EmailKeys {
  leave: string
}

export type ChannelKeys = WebhookKeys | PushKeys | EmailKeys | Record<string, never>

export const channelType = described('Channel', 'A receiver for the notifications of an account.', {
  id: id('Names it in mutations.'),
  kind: oneOf<ChannelKind>('ChannelKind')('The kind of the channel.'),
  state: oneOf<ChannelState>('ChannelState')('The state of the channel.'),
  address: derived(
    text.orNull('Enough of the address to know it again; null for a chat that is not confirmed.'),
    maskedAddress,
  ),
  types: oneOf<NotificationType>('NotificationType').list('The types that are sent; all if empty.'),
  leastImprovement: decimal.orNull(
    'Of a smaller price improvement, only the fill is sent: a share, such as 0.01.',
  ),
  createdAt: dateTime('The time of the subscription.'),
  confirmedAt: dateTime.orNull('The time at which its receiver confirmed it.'),
})

export interface Channel extends ValueOf<typeof channelType> {
  account: Address
  /** Networks of which it is sent; all when it is empty. */
  chainIds: readonly number[]
  /**
   * A URL, e-mail address, endpoint of a push service, or chat. It is never logged, and only shown masked.
   */
  address: string
  keys: ChannelKeys
  endedAt: Date | null
  endReason: ChannelEnd | null
}

/** The notifications that an account wants. */
export type ChannelFilter = Pick<Channel, 'types' | 'chainIds' | 'leastImprovement'>

/**
 * The masked address that its account may see: enough to recognise it. Null for an address that is not of its
 * kind.
 */
export function maskedAddress({
  kind,
  address,
  state,
}: {
  kind: ChannelKind
  address: string
  state: ChannelState
}): string | null {
  if (kind === 'telegram') return state === 'pending' ? null : `…${address.slice(-3)}`
  if (kind === 'email') {
    const at = address.lastIndexOf('@')
    return `${address.slice(0, 1)}…${address.slice(at)}`
  }
  return URL.canParse(address) ? `${new URL(address).origin}/…` : null
}

/** Waits between the attempts of one delivery, over a day in total. Then the delivery is dead. */
const retrySeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 32_400]

/**
 * The milliseconds until the next attempt of a delivery that has failed `attempts` times.
 * @param random from 0 to 1, so that receivers that were down are not called all at once
 * @returns undefined if the delivery is dead
 */
export function retryDelayMs(attempts: number, random: number): number | undefined {
  const seconds = retrySeconds[attempts - 1]
  return seconds === undefined ? undefined : Math.round(seconds * 1_000 * (0.8 + 0.4 * random))
}

const maxLength = 254

/**
 * Parses a plain ASCII address without quoting, within the bounds of RFC 5321, and converts its domain to
 * lowercase. Returns undefined for anything else: names, several addresses, addresses of hosts, line breaks.
 */
export function toEmailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const [local, domain] = [text.slice(0, at), text.slice(at + 1).toLowerCase()]
  const labels = domain.split('.')
  const isAddress =
    at > 0 &&
    text.length <= maxLength &&
    local.length <= 64 &&
    local.split('.').every((atom) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(atom)) &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z0-9-]{1,63}$/.test(label) && !/^-|-$/.test(label)) &&
    /[a-z]/.test(labels.at(-1) ?? '')
  return isAddress ? `${local}@${domain}` : undefined
}

/**
 * The mailbox of an address. It is equal for spellings that many providers deliver to one mailbox: letter
 * case, dots, and a suffix after a plus.
 */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf('@')
  const [name = ''] = address.slice(0, at).toLowerCase().split('+', 1)
  return `${name.replaceAll('.', '') || address.slice(0, at)}${address.slice(at)}`
}
