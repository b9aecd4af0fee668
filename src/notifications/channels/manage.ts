import { randomBytes, randomUUID } from 'node:crypto'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import {
  type Channel,
  type ChannelFilter,
  type ChannelKeys,
  type ChannelKind,
  type ConfirmationWay,
  confirmationWays,
  mailboxOf,
  type PushKeys,
  type WebhookKeys,
} from '../../domain/notification/channel.ts'
import { sha256 } from '../../domain/text/digest.ts'
import { spelledOnce } from '../../outside/receiver.ts'
import {
  storeConfirmation as confirm,
  countConfirmation,
  endChannel,
  findChannel,
  findChannelLocked,
  findChannels,
  freeReceiver,
  insertChannel,
  renewConfirmation,
  updateChannel,
} from '../../storage/channels/channels.ts'
import { insertTestDelivery, replayDeliveries } from '../../storage/channels/deliveries.ts'
import type { Database, Tx } from '../../storage/database/database.ts'
import { signal } from '../../storage/database/signals.ts'
import { newEmailKeys } from './email.ts'
import type { Sender } from './sender.ts'
import { newWebhookSecret, validPrevious } from './webhook.ts'

export interface ChannelServices {
  db: Database
  now: Clock
  /** Only the kinds that settings enable. */
  senders: Partial<Record<ChannelKind, Sender>>
  /** The reason why an address is refused; undefined if it is accepted. */
  addressFault(url: string): string | undefined
  /** Called when a channel, or a token for one, is stored. A token that cannot be sent leaves the row. */
  onStored?(): void
  /** Set if web push is enabled. */
  pushPublicKey?: string | undefined
}

interface Subscription extends ChannelFilter {
  account: Address
  kind: ChannelKind
  address: string
  pushKeys?: PushKeys
}

interface Sent {
  channel: Channel
  /** Its account confirms the channel by following it. */
  confirmationLink: string | null
}

interface Subscribed extends Sent {
  secret: string | null
}
/** Settings that enable a kind. */
const neededSettings: Partial<Record<ChannelKind, string>> = { email: 'SMTP_URL, SMTP_FROM and PUBLIC_URL' }

/** Limit of channels that have not ended. */
const maxChannels = 10
const confirmationMs = 24 * 3_600_000
/** Pause between two tokens for one channel. */
const renewalMs = 60_000
/** Deliveries of one replay. */
const maxReplayed = 1_000

/**
 * Stores a channel and sends it the token that confirms it. For an address that waits for its confirmation,
 * another token is sent.
 * @returns the channel and, of a webhook, its secret, which is shown this once; of a chat, the link that
 *   confirms it
 * @throws Refusal FeatureDisabled, InvalidParameter, TooManyChannels, TooManyConfirmations, ChannelExists,
 *   ChannelUnreachable
 */
export async function subscribeChannel(
  { account, kind, address: given, pushKeys, ...filter }: Subscription,
  services: ChannelServices,
): Promise<Subscribed> {
  const { db, now, senders, addressFault } = services
  const sender = senders[kind]
  if (!sender) throw notEnabled(kind)
  const isUrl = kind === 'webhook' || kind === 'push'
  const fault = isUrl ? addressFault(given) : undefined
  if (fault) throw new Refusal('InvalidParameter', `address ${fault}`, { field: 'address' })
  const address = isUrl ? spelledOnce(given) : given
  const channels = await findChannels(db, account)
  const known = channels.find((channel) => channel.kind === kind && channel.address === address)
  if (known) return { ...(await sendAgain(known, services)), secret: null }
  const keys = pushKeys ?? newKeys(kind)
  const { token, confirmation } = newConfirmation(now())
  const created = { id: randomUUID(), account, kind, address, keys, createdAt: new Date(now()), ...filter }
  await db.transaction(async (tx) => {
    const outcome = await insertChannel(tx, { ...created, confirmation }, maxChannels)
    if (outcome === 'too many')
      throw new Refusal('TooManyChannels', `an account has at most ${maxChannels} channels`)
    if (outcome === 'known' || (kind === 'email' && (await hasMailbox(tx, created)))) throw exists()
    await checkConfirmations(tx, created, services)
  })
  services.onStored?.()
  const pending: Channel = { ...created, state: 'pending', confirmedAt: null, endedAt: null, endReason: null }
  const sent = await sendConfirmation(pending, token, services)
  return { ...sent, secret: kind === 'webhook' ? (keys as WebhookKeys).secret : null }
}

/** Checks whether another channel of the account reaches the same mailbox by another spelling. */
async function hasMailbox(
  tx: Tx,
  { id, account, address }: Pick<Channel, 'id' | 'account' | 'address'>,
): Promise<boolean> {
  const mailbox = mailboxOf(address)
  const channels = await findChannels(tx, account)
  return channels.some(
    (other) => other.kind === 'email' && other.id !== id && mailboxOf(other.address) === mailbox,
  )
}

function notEnabled(kind: ChannelKind): Refusal {
  const needed = neededSettings[kind]
  const settings = needed ? `: they need the settings ${needed}` : ''
  return new Refusal('FeatureDisabled', `channels of the kind ${kind} are not enabled here${settings}`)
}

async function sendAgain(channel: Channel, services: ChannelServices): Promise<Sent> {
  const { db, now } = services
  const { token, confirmation } = newConfirmation(now())
  const latest = new Date(now() + confirmationMs - renewalMs)
  await db.transaction(async (tx) => {
    if (channel.state !== 'pending' || !(await renewConfirmation(tx, channel.id, confirmation, latest)))
      throw exists()
    await checkConfirmations(tx, channel, services)
  })
  services.onStored?.()
  return await sendConfirmation(channel, token, services)
}

function newKeys(kind: ChannelKind): ChannelKeys {
  if (kind === 'webhook') return { secret: newWebhookSecret() }
  return kind === 'email' ? newEmailKeys() : {}
}

/**
 * Protects a stranger’s mailbox or server from a flood of tokens.
 * @throws Refusal TooManyConfirmations
 */
async function checkConfirmations(
  tx: Tx,
  { kind, account, address }: Pick<Channel, 'kind' | 'account' | 'address'>,
  { now, senders }: Pick<ChannelServices, 'now' | 'senders'>,
): Promise<void> {
  const limits = senders[kind]?.confirmations
  if (!limits) return
  const receiver = sha256(limits.receiverOf(address))
  const over = await countConfirmation(tx, { kind, receiver, account }, limits, new Date(now()))
  if (!over) return
  const whose = over.reached === 'receiver' ? 'this address' : 'the account’s channels'
  throw new Refusal(
    'TooManyConfirmations',
    `${limits[over.reached]} messages that confirm ${whose} have been sent in a day`,
    { field: 'address', data: { retryAfterMs: over.until.getTime() - now() } },
  )
}

function exists(): Refusal {
  return new Refusal('ChannelExists', 'the account has a channel with this address', { field: 'address' })
}

/** Sends a confirmation; some receivers confirm at once. Without a sent token the channel is removed. */
async function sendConfirmation(channel: Channel, token: string, services: ChannelServices): Promise<Sent> {
  const { db, now, senders } = services
  const result = await senders[channel.kind]?.sendConfirmation(channel, token)
  if (result?.kind === 'sent') {
    const { isConfirmed, confirmationLink = null } = result
    if (!isConfirmed) return { channel, confirmationLink }
    const { kind, account, address } = channel
    const limits = senders[kind]?.confirmations
    if (limits) await freeReceiver(db, { kind, account, receiver: sha256(limits.receiverOf(address)) })
    return { channel: await confirmChannel(token, 'token', services), confirmationLink }
  }
  await db.transaction((tx) => endChannel(tx, channel.id, 'unconfirmed', new Date(now())))
  throw new Refusal('ChannelUnreachable', `the receiver cannot be reached: ${result?.fault ?? 'no sender'}`, {
    field: 'address',
  })
}

/**
 * @param way of the token's return: it confirms only channels of kinds that are confirmed that way
 * @param known the address of a chat, unknown before; the account that must own the channel
 * @throws Refusal ChannelNotFound for a token that is unknown, used, expired, or of another account or way;
 *   ChannelExists if the account has a channel with the address, and then the waiting one ends
 */
export async function confirmChannel(
  token: string,
  way: ConfirmationWay,
  { db, now }: Pick<ChannelServices, 'db' | 'now'>,
  known: { address?: string; account?: Address } = {},
): Promise<Channel> {
  const kinds = confirmationWays[way]
  const channel = await confirm(db, sha256(token), { now: new Date(now()), kinds, ...known })
  if (!channel) throw new Refusal('ChannelNotFound', 'no channel waits for this token', { field: 'token' })
  if (!('known' in channel)) return channel
  await db.transaction((tx) => endChannel(tx, channel.known, 'unconfirmed', new Date(now())))
  throw exists()
}

/** @throws Refusal ChannelNotFound */
async function requireChannel(db: Database, account: Address, id: string): Promise<Channel> {
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
 * Sends a test event after all waiting deliveries.
 * @returns its delivery.
 * @throws Refusal ChannelNotFound, InvalidParameter
 */
export async function testChannel(
  account: Address,
  id: string,
  { db }: Pick<ChannelServices, 'db'>,
): Promise<bigint> {
  const { state } = await requireChannel(db, account, id)
  if (state !== 'active')
    throw new Refusal('InvalidParameter', 'the channel is not confirmed', { field: 'id' })
  const delivery = await insertTestDelivery(db, id)
  if (delivery === undefined) throw notFound()
  return delivery
}

/**
 * Sends deliveries that ended since `from` again, with the same ids.
 * @returns how many.
 * @throws Refusal ChannelNotFound
 */
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
  return { token, confirmation: { hash: sha256(token), expiresAt: new Date(now + confirmationMs) } }
}

const previousSecretMs = 24 * 3_600_000
/** Limit of previous secrets: each signs every message. */
const maxPrevious = 3

/**
 * Gives a webhook a new secret. Messages are signed with the previous one too for a day, even after another
 * rotation.
 * @throws Refusal ChannelNotFound, TooManySecrets, InvalidParameter for a channel without a secret
 */
export async function rotateChannelSecret(
  account: Address,
  id: string,
  { db, now }: Pick<ChannelServices, 'db' | 'now'>,
): Promise<{ channel: Channel; secret: string }> {
  const { kind } = await requireChannel(db, account, id)
  if (kind !== 'webhook')
    throw new Refusal('InvalidParameter', 'only webhooks have a secret', { field: 'id' })
  const secret = newWebhookSecret()
  const until = new Date(now() + previousSecretMs).toISOString()
  // Each concurrent rotation keeps the secret of the previous one.
  const channel = await db.transaction(async (tx) => {
    const locked = await findChannelLocked(tx, id)
    if (!locked) return undefined
    const keys = locked.keys as WebhookKeys
    const valid = validPrevious(keys, now())
    if (valid.length >= maxPrevious) throw tooManySecrets(valid, now())
    return await updateChannel(tx, id, {
      keys: { secret, previous: [{ secret: keys.secret, until }, ...valid] },
    })
  })
  if (!channel) throw new Refusal('ChannelNotFound', 'the account has no such channel', { field: 'id' })
  return { channel, secret }
}

function tooManySecrets(valid: ReturnType<typeof validPrevious>, now: number): Refusal {
  const earliest = Math.min(...valid.map(({ until }) => Date.parse(until)))
  return new Refusal('TooManySecrets', `${maxPrevious} previous secrets are still valid`, {
    field: 'id',
    data: { retryAfterMs: earliest - now },
  })
}
