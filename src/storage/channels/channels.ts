import type { Address } from '../../domain/evm/address.ts'
import {
  type Channel,
  type ChannelEnd,
  type ChannelFilter,
  type ChannelKeys,
  type ChannelKind,
  type ChannelState,
  channelKinds,
  channelStates,
} from '../../domain/notification/channel.ts'
import { type NotificationType, notificationTypes } from '../../domain/notification/notification.ts'
import { bytea, hexOf } from '../database/columns.ts'
import { type Database, type Db, sql, type Tx } from '../database/database.ts'
import type { Prisma, Channel as Row } from '../generated/client.ts'

export interface NewChannel extends Omit<Channel, 'state' | 'confirmedAt' | 'endedAt' | 'endReason'> {
  confirmation: { hash: Uint8Array; expiresAt: Date }
}

/**
 * Stores a channel that waits for its confirmation, unless the account has `limit` channels, or one of this
 * address. Serializes the registrations of an account.
 */
export async function insertChannel(
  tx: Tx,
  { confirmation, ...channel }: NewChannel,
  limit: number,
): Promise<'stored' | 'known' | 'too many'> {
  await sql(tx)
    .$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`channels:${channel.account}`}, 0))`
  const open = await sql(tx).channel.count({
    where: { account: Uint8Array.from(bytea(channel.account)), state: { not: 'ended' } },
  })
  if (open >= limit) return 'too many'
  const { count } = await sql(tx).channel.createMany({
    data: [
      {
        ...channel,
        account: Uint8Array.from(bytea(channel.account)),
        keys: channel.keys as Prisma.InputJsonObject,
        types: [...channel.types],
        chainIds: [...channel.chainIds],
        state: 'pending',
        confirmationHash: Uint8Array.from(confirmation.hash),
        confirmationExpiresAt: confirmation.expiresAt,
      },
    ],
    skipDuplicates: true,
  })
  return count > 0 ? 'stored' : 'known'
}

/** Kinds and states of a later version that runs at the same time are not shown. */
const shown = {
  kind: { in: [...channelKinds] },
  state: { in: channelStates.filter((state) => state !== 'ended') },
}

/** Channels of an account that have not ended, oldest first; bounded by the limit at their registration. */
export async function findChannels(db: Db, account: Address): Promise<Channel[]> {
  const rows = await sql(db).channel.findMany({
    where: { account: Uint8Array.from(bytea(account)), ...shown },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  return rows.map(toChannel)
}

/** A channel of the account that has not ended. */
export async function findChannel(db: Db, account: Address, id: string): Promise<Channel | undefined> {
  const row = await sql(db).channel.findFirst({
    where: { id, account: Uint8Array.from(bytea(account)), ...shown },
  })
  return row ? toChannel(row) : undefined
}

/** Finds a channel and locks it until the transaction ends; undefined if it has ended. */
export async function findChannelLocked(tx: Tx, id: string): Promise<Channel | undefined> {
  await sql(tx).$executeRaw`SELECT FROM channels WHERE id = ${id}::uuid FOR UPDATE`
  const row = await sql(tx).channel.findFirst({ where: { id, state: { not: 'ended' } } })
  return row ? toChannel(row) : undefined
}

/** A channel by its id alone, including one that has ended: for requests of its receiver. */
export async function findChannelById(db: Db, id: string): Promise<Channel | undefined> {
  const row = await sql(db).channel.findUnique({ where: { id } })
  return row ? toChannel(row) : undefined
}

/**
 * Confirms once the channel of one of these kinds whose token has this hash. `address` sets an address that
 * was unknown before; `account` is the required owner.
 * @returns the channel; undefined if no channel waits for this token; only the id if the account of the
 *   waiting one has another channel of this address
 */
export async function storeConfirmation(
  db: Db,
  hash: Uint8Array,
  {
    now,
    kinds,
    address,
    account,
  }: { now: Date; kinds: readonly ChannelKind[]; address?: string; account?: Address },
): Promise<Channel | { known: string } | undefined> {
  const confirmationHash = Uint8Array.from(hash)
  const row = await sql(db).channel.findFirst({
    where: {
      confirmationHash,
      state: 'pending',
      kind: { in: [...kinds] },
      ...(account && { account: Uint8Array.from(bytea(account)) }),
    },
  })
  if (!row) return undefined
  const given = address !== undefined && { address }
  try {
    const { count } = await sql(db).channel.updateMany({
      where: { id: row.id, confirmationHash, state: 'pending', confirmationExpiresAt: { gt: now } },
      data: {
        state: 'active',
        confirmedAt: now,
        confirmationHash: null,
        confirmationExpiresAt: null,
        ...given,
      },
    })
    return count > 0 ? { ...toChannel(row), state: 'active', confirmedAt: now, ...given } : undefined
  } catch (fault) {
    if ((fault as { code?: unknown }).code !== 'P2002') throw fault
    return { known: row.id }
  }
}

/**
 * Gives a channel that is not confirmed another token, unless its last one expires after `latest`.
 * @returns whether it did
 */
export async function renewConfirmation(
  db: Db,
  id: string,
  confirmation: NewChannel['confirmation'],
  latest: Date,
): Promise<boolean> {
  const { count } = await sql(db).channel.updateMany({
    where: { id, state: 'pending', confirmationExpiresAt: { lte: latest } },
    data: {
      confirmationHash: Uint8Array.from(confirmation.hash),
      confirmationExpiresAt: confirmation.expiresAt,
    },
  })
  return count > 0
}

/** @returns the updated channel; undefined if it has ended */
export async function updateChannel(
  db: Db,
  id: string,
  { keys, ...filter }: Partial<ChannelFilter> & { keys?: ChannelKeys },
): Promise<Channel | undefined> {
  const { types, chainIds, leastImprovement } = filter
  const [row] = await sql(db).channel.updateManyAndReturn({
    where: { id, state: { not: 'ended' } },
    data: {
      ...(types && { types: [...types] }),
      ...(chainIds && { chainIds: [...chainIds] }),
      ...(leastImprovement !== undefined && { leastImprovement }),
      ...(keys && { keys: keys as Prisma.InputJsonObject }),
    },
  })
  return row ? toChannel(row) : undefined
}

/** Ends a channel and its deliveries, and removes its address. @returns false if it had already ended */
export async function endChannel(tx: Tx, id: string, reason: ChannelEnd, now: Date): Promise<boolean> {
  const { count } = await sql(tx).channel.updateMany({
    where: { id, state: { not: 'ended' } },
    data: {
      state: 'ended',
      endedAt: now,
      endReason: reason,
      address: '',
      keys: {},
      confirmationHash: null,
      confirmationExpiresAt: null,
      lease: null,
      nextAttemptAt: null,
    },
  })
  if (count > 0)
    await sql(tx).delivery.updateMany({
      where: { channelId: id, state: 'waiting' },
      data: { state: 'dropped', endedAt: now },
    })
  return count > 0
}

const isKnownType = (type: string): type is NotificationType =>
  notificationTypes.some((known) => known === type)

export function toChannel(row: Row): Channel {
  const { account, kind, state, types, leastImprovement, endReason } = row
  return {
    id: row.id,
    account: hexOf(account) as Address,
    kind: kind as ChannelKind,
    state: state as ChannelState,
    address: row.address,
    keys: row.keys as unknown as ChannelKeys,
    types: types.filter(isKnownType),
    chainIds: row.chainIds,
    leastImprovement: leastImprovement === null ? null : leastImprovement.toFixed(),
    createdAt: row.createdAt,
    confirmedAt: row.confirmedAt,
    endedAt: row.endedAt,
    endReason: endReason as ChannelEnd | null,
  }
}

const ofChat = (address: string) => ({ kind: 'telegram', address, state: { not: 'ended' } })

/** How many channels lead to a chat. */
export async function channelsOfChat(db: Db, chat: string): Promise<number> {
  return await sql(db).channel.count({ where: ofChat(chat) })
}

/** Ends all channels that lead to a chat, together. @returns how many */
export async function endChat(db: Database, chat: string, now: Date): Promise<number> {
  return await db.transaction(async (tx) => {
    const channels = await sql(tx).channel.findMany({ where: ofChat(chat), select: { id: true } })
    let ended = 0
    for (const { id } of channels) if (await endChannel(tx, id, 'receiver', now)) ended++
    return ended
  })
}

/** A token to send. `receiver`: a hash of its recipient. */
export interface Confirmation {
  kind: ChannelKind
  receiver: Uint8Array
  account: Address
}

/** Tokens that may be sent in a day. */
export interface ConfirmationLimits {
  /** Tokens to one receiver, for any accounts. */
  receiver: number
  account: number
}

/**
 * Counts a token before it is sent, unless a limit is reached. Serialized for a receiver and for an account.
 * @returns the limit that is reached, and when there is room again
 */
export async function countConfirmation(
  tx: Tx,
  { kind, receiver, account }: Confirmation,
  limits: ConfirmationLimits,
  now: Date,
): Promise<{ reached: keyof ConfirmationLimits; until: Date } | undefined> {
  const row = { kind, receiver: Uint8Array.from(receiver), account: Uint8Array.from(bytea(account)) }
  const locks = [Buffer.from(receiver).toString('hex'), account].map((of) => `confirmations:${kind}:${of}`)
  for (const lock of locks.toSorted())
    await sql(tx).$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`
  const dayMs = 86_400_000
  const since = new Date(now.getTime() - dayMs)
  for (const of of ['receiver', 'account'] as const) {
    const sent = await sql(tx).channelConfirmation.findMany({
      where: { kind, [of]: row[of], sentAt: { gt: since } },
      orderBy: { sentAt: 'desc' },
      take: limits[of],
      select: { sentAt: true },
    })
    const first = sent.at(-1)
    if (first && sent.length >= limits[of])
      return { reached: of, until: new Date(first.sentAt.getTime() + dayMs) }
  }
  await sql(tx).channelConfirmation.create({ data: { ...row, sentAt: now } })
  return undefined
}

/** Stops counting this account's tokens against a receiver that accepts them, but not against the account. */
export async function freeReceiver(db: Db, { kind, receiver, account }: Confirmation): Promise<void> {
  await sql(db).channelConfirmation.updateMany({
    where: { kind, receiver: Uint8Array.from(receiver), account: Uint8Array.from(bytea(account)) },
    data: { receiver: new Uint8Array() },
  })
}
