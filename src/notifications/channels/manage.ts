import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type {
  Channel,
  ChannelFilter,
  ChannelKeys,
  ChannelKind,
  PushKeys,
  WebhookKeys,
} from '../../domain/notification/channel.ts'
import {
  confirmChannel as confirm,
  endChannel,
  findChannel,
  findChannels,
  insertChannel,
  renewConfirmation,
  updateChannel,
} from '../../storage/channels/channels.ts'
import { insertTestDelivery, replayDeliveries } from '../../storage/channels/deliveries.ts'
import type { Database } from '../../storage/database/database.ts'
import { signal } from '../../storage/database/signals.ts'
import type { Sender } from './sender.ts'
import { newWebhookSecret } from './webhook.ts'

export interface ChannelServices {
  db: Database
  now: Clock
  /** Only the kinds that settings enable. */
  senders: Partial<Record<ChannelKind, Sender>>
  /** Why an address is refused; undefined when it is not. */
  addressFault(url: string): string | undefined
}

export interface Subscription extends ChannelFilter {
  account: Address
  kind: ChannelKind
  address: string
  pushKeys?: PushKeys
}

/** That have not ended. */
export const maxChannels = 10
const confirmationMs = 24 * 3_600_000
/** Between two tokens for one channel. */
const renewalMs = 60_000
const previousSecretMs = 24 * 3_600_000
/** Deliveries of one replay. */
const maxReplayed = 1_000

/**
 * Stores a channel and sends it the token that confirms it. For an address that waits for its confirmation, another token is sent.
 * @returns the channel and, of a webhook, its secret, which is shown this once
 * @throws Refusal FeatureDisabled, InvalidParameter, TooManyChannels, ChannelExists, ChannelUnreachable
 */
export async function subscribeChannel(
  { account, kind, address, pushKeys, ...filter }: Subscription,
  services: ChannelServices,
): Promise<{ channel: Channel; secret: string | null }> {
  const { db, now, senders, addressFault } = services
  const sender = senders[kind]
  if (!sender) throw new Refusal('FeatureDisabled', `channels of the kind ${kind} are not enabled here`)
  const fault = kind === 'webhook' || kind === 'push' ? addressFault(address) : undefined
  if (fault) throw new Refusal('InvalidParameter', `address ${fault}`, { field: 'address' })
  const channels = await findChannels(db, account)
  const known = channels.find((channel) => channel.kind === kind && channel.address === address)
  if (known) return { channel: await sendAgain(known, services), secret: null }
  const keys: ChannelKeys = kind === 'webhook' ? { secret: newWebhookSecret() } : (pushKeys ?? {})
  const { token, confirmation } = newConfirmation(now())
  const created = { id: randomUUID(), account, kind, address, keys, createdAt: new Date(now()), ...filter }
  const outcome = await db.transaction((tx) => insertChannel(tx, { ...created, confirmation }, maxChannels))
  if (outcome === 'too many')
    throw new Refusal('TooManyChannels', `an account has at most ${maxChannels} channels`)
  if (outcome === 'known') throw exists()
  const pending: Channel = { ...created, state: 'pending', confirmedAt: null, endedAt: null, endReason: null }
  const channel = await sendConfirmation(pending, token, services)
  return { channel, secret: kind === 'webhook' ? (keys as WebhookKeys).secret : null }
}

async function sendAgain(channel: Channel, services: ChannelServices): Promise<Channel> {
  const { db, now } = services
  const { token, confirmation } = newConfirmation(now())
  const latest = new Date(now() + confirmationMs - renewalMs)
  if (channel.state !== 'pending' || !(await renewConfirmation(db, channel.id, confirmation, latest)))
    throw exists()
  return await sendConfirmation(channel, token, services)
}

function exists(): Refusal {
  return new Refusal('ChannelExists', 'the account has a channel with this address', { field: 'address' })
}

/** Some receivers confirm at once. A channel whose token cannot be sent is not kept. */
async function sendConfirmation(
  channel: Channel,
  token: string,
  services: ChannelServices,
): Promise<Channel> {
  const { db, now, senders } = services
  const result = await senders[channel.kind]?.sendConfirmation(channel, token)
  if (result?.kind === 'sent') return result.isConfirmed ? await confirmChannel(token, services) : channel
  await db.transaction((tx) => endChannel(tx, channel.id, 'unconfirmed', new Date(now())))
  throw new Refusal('ChannelUnreachable', `the receiver cannot be reached: ${result?.fault ?? 'no sender'}`, {
    field: 'address',
  })
}

/** @throws Refusal ChannelNotFound for a token that is unknown, used or expired */
export async function confirmChannel(
  token: string,
  { db, now }: Pick<ChannelServices, 'db' | 'now'>,
  address?: string,
): Promise<Channel> {
  const channel = await confirm(db, hashOf(token), {
    now: new Date(now()),
    ...(address !== undefined && { address }),
  })
  if (!channel) throw new Refusal('ChannelNotFound', 'no channel waits for this token', { field: 'token' })
  return channel
}

/** @throws Refusal ChannelNotFound */
export async function requireChannel(db: Database, account: Address, id: string): Promise<Channel> {
  const channel = await findChannel(db, account, id)
  if (!channel) throw notFound()
  return channel
}

/** @throws Refusal ChannelNotFound */
export async function changeChannel(
  account: Address,
  id: string,
  filter: Partial<ChannelFilter>,
  { db }: Pick<ChannelServices, 'db'>,
): Promise<Channel> {
  await requireChannel(db, account, id)
  const channel = await updateChannel(db, id, filter)
  if (!channel) throw notFound()
  return channel
}

/**
 * Gives a webhook a new secret. For a day messages are signed with both.
 * @throws Refusal ChannelNotFound, InvalidParameter for a channel without a secret
 */
export async function rotateChannelSecret(
  account: Address,
  id: string,
  { db, now }: Pick<ChannelServices, 'db' | 'now'>,
): Promise<{ channel: Channel; secret: string }> {
  const { kind, keys } = await requireChannel(db, account, id)
  if (kind !== 'webhook')
    throw new Refusal('InvalidParameter', 'only webhooks have a secret', { field: 'id' })
  const { secret: previous } = keys as WebhookKeys
  const until = new Date(now() + previousSecretMs).toISOString()
  const secret = newWebhookSecret()
  const channel = await updateChannel(db, id, { keys: { secret, previous: { secret: previous, until } } })
  if (!channel) throw notFound()
  return { channel, secret }
}

/** Sends a test event behind what waits. @returns its delivery. @throws Refusal ChannelNotFound, InvalidParameter */
export async function testChannel(
  account: Address,
  id: string,
  { db }: Pick<ChannelServices, 'db'>,
): Promise<bigint> {
  const { state } = await requireChannel(db, account, id)
  if (state !== 'active')
    throw new Refusal('InvalidParameter', 'the channel is not confirmed', { field: 'id' })
  const delivery = await insertTestDelivery(db, id)
  await signal(db, 'deliveries', '')
  return delivery
}

/** Sends what has ended since `from` again, with the same ids. @returns how many. @throws Refusal ChannelNotFound */
export async function replayChannel(
  account: Address,
  id: string,
  { from, state }: { from: Date; state?: 'dead' | 'delivered' },
  { db }: Pick<ChannelServices, 'db'>,
): Promise<number> {
  await requireChannel(db, account, id)
  const count = await replayDeliveries(db, id, { from, ...(state && { state }), limit: maxReplayed })
  if (count > 0) await signal(db, 'deliveries', '')
  return count
}

/** @throws Refusal ChannelNotFound */
export async function unsubscribeChannel(
  account: Address,
  id: string,
  { db, now }: Pick<ChannelServices, 'db' | 'now'>,
): Promise<void> {
  await requireChannel(db, account, id)
  await db.transaction((tx) => endChannel(tx, id, 'account', new Date(now())))
}

function notFound(): Refusal {
  return new Refusal('ChannelNotFound', 'the account has no such channel', { field: 'id' })
}

function newConfirmation(now: number) {
  const token = randomBytes(24).toString('base64url')
  return { token, confirmation: { hash: hashOf(token), expiresAt: new Date(now + confirmationMs) } }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
