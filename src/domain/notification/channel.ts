import type { Address } from '../evm/address.ts'
import type { NotificationType } from './notification.ts'

export const channelKinds = ['webhook', 'email', 'push', 'telegram'] as const
export type ChannelKind = (typeof channelKinds)[number]

/**
 * How a receiver proves that it wants a channel, and of which kinds it does so that way: elsewhere their tokens prove nothing. The owner of a
 * chat’s channel has its token too, so that only the chat itself can say it.
 */
export const confirmationWays = {
  /** By the token that was sent to it, in a request or in its answer. */
  token: ['webhook', 'email', 'push'],
  /** By the link of a mail. */
  link: ['email'],
  /** By starting the bot in a chat, which is then the address. */
  chat: ['telegram'],
} as const satisfies Readonly<Record<string, readonly ChannelKind[]>>
export type ConfirmationWay = keyof typeof confirmationWays

/** `pending` until the receiver has confirmed it; `ended` for good. */
export const channelStates = ['pending', 'active', 'ended'] as const
export type ChannelState = (typeof channelStates)[number]

/** `dead`: given up; `dropped`: never sent, since its cause was reverted before or its channel ended. */
export const deliveryStates = ['waiting', 'delivered', 'dead', 'dropped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Who ended a channel: its account, its receiver, or this service, as it was never confirmed or the receiver is gone. */
export const channelEnds = ['account', 'receiver', 'unconfirmed', 'gone'] as const
export type ChannelEnd = (typeof channelEnds)[number]

/** What an account wants to be sent. Empty lists mean all. */
export interface ChannelFilter {
  types: readonly NotificationType[]
  chainIds: readonly number[]
  /** Price improvements below this share are not sent; a decimal fraction with at most 6 places. */
  leastImprovement: string | null
}

/** Secrets of a webhook. After a rotation the previous ones are valid until their own end. */
export interface WebhookKeys {
  secret: string
  previous?: readonly { secret: string; until: string }[]
}

/** Keys of a push endpoint, in base64url: see RFC 8291. */
export interface PushKeys {
  p256dh: string
  auth: string
}

/** The secret in the links by which an e-mail’s reader leaves. */
export interface EmailKeys {
  leave: string
}

export type ChannelKeys = WebhookKeys | PushKeys | EmailKeys | Record<string, never>

/** Where an account wants its notifications. */
export interface Channel extends ChannelFilter {
  id: string
  account: Address
  kind: ChannelKind
  state: ChannelState
  /** URL, e-mail address, endpoint of a push service, or chat. It is never logged, and shown masked. */
  address: string
  keys: ChannelKeys
  createdAt: Date
  confirmedAt: Date | null
  endedAt: Date | null
  endReason: ChannelEnd | null
}

/** An address as its account may see it: enough to know it again. Null for one that is not of its kind. */
export function maskedAddress({
  kind,
  address,
  state,
}: Pick<Channel, 'kind' | 'address' | 'state'>): string | null {
  if (kind === 'telegram') return state === 'pending' ? null : `…${address.slice(-3)}`
  if (kind === 'email') {
    const at = address.lastIndexOf('@')
    return `${address.slice(0, 1)}…${address.slice(at)}`
  }
  return URL.canParse(address) ? `${new URL(address).origin}/…` : null
}

/** Waits between the attempts of one delivery: over a day in all. Then it is dead. */
const retrySeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 32_400]

/**
 * Milliseconds until the next attempt, of a delivery that has failed `attempts` times; undefined when it is dead.
 * @param random from 0 to 1: receivers that were down are not asked all at once
 */
export function retryDelayMs(attempts: number, random: number): number | undefined {
  const seconds = retrySeconds[attempts - 1]
  return seconds === undefined ? undefined : Math.round(seconds * 1_000 * (0.8 + 0.4 * random))
}
