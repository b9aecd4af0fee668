import { bytesToHex } from '../../domain/evm/hex.ts'
import type { Channel, ChannelKind, DeliveryState } from '../../domain/notification/channel.ts'
import type {
  Notification,
  NotificationMetadata,
  NotificationType,
} from '../../domain/notification/notification.ts'
import { type Db, sql } from '../database/database.ts'
import type { Channel as ChannelRow } from '../generated/client.ts'
import { toChannel } from './channels.ts'

/** A process that sends, for the time of its lease. */
export interface Lease {
  id: string
  now: Date
  until: Date
}

/** By chain id: blocks above that of a notification's cause, before it is sent. Without an entry none. */
export type Confirmations = Readonly<Record<number, number>>

/**
 * Whether delivery `d` may be sent: its notification `n` has no block, or one that is deep enough. One that a reorg took away waits for its
 * return or for its end.
 */
const isDue = `(n.id IS NULL OR n.block_number IS NULL OR (NOT n.detached AND n.block_number
  + coalesce(($1::jsonb ->> n.chain_id::text)::bigint, 0) <= coalesce((SELECT k.block_number FROM checkpoints k WHERE k.chain_id = n.chain_id), 0)))`

const firstWaiting = `SELECT w.* FROM deliveries w WHERE w.channel_id = c.id AND w.state = 'waiting' ORDER BY w.id LIMIT 1`

/** Each channel with something waiting, by jumps over the index: what it costs goes by channels, not by deliveries. */
const waitingChannels = `RECURSIVE waiting AS (
    (SELECT channel_id FROM deliveries WHERE state = 'waiting' ORDER BY channel_id LIMIT 1)
  UNION ALL
    SELECT (SELECT d.channel_id FROM deliveries d WHERE d.state = 'waiting' AND d.channel_id > w.channel_id
      ORDER BY d.channel_id LIMIT 1) FROM waiting w WHERE w.channel_id IS NOT NULL)`

/**
 * Leases channels of these kinds that have something to be sent and are not leased, at most `limit`: those that have waited longest first. What another
 * process takes at this moment is passed over.
 */
export async function leaseChannels(
  db: Db,
  { id, now, until }: Lease,
  confirmations: Confirmations,
  { kinds, limit }: { kinds: readonly ChannelKind[]; limit: number },
): Promise<Channel[]> {
  const rows = await sql(db).$queryRawUnsafe<{ id: string }[]>(
    `WITH ${waitingChannels}
    UPDATE channels SET lease = $2::uuid, leased_until = $3::timestamptz WHERE id IN (
      SELECT c.id FROM waiting w JOIN channels c ON c.id = w.channel_id, LATERAL (${firstWaiting}) d
        LEFT JOIN notifications n ON n.id = d.notification_id
      WHERE c.state = 'active' AND c.kind = ANY ($6::text[]) AND c.next_attempt_at <= $4::timestamptz
        AND (c.leased_until IS NULL OR c.leased_until <= $4::timestamptz) AND ${isDue}
      ORDER BY c.next_attempt_at LIMIT $5::int FOR UPDATE OF c SKIP LOCKED)
    RETURNING id::text`,
    JSON.stringify(confirmations),
    id,
    until,
    now,
    limit,
    kinds,
  )
  if (rows.length === 0) return []
  const leased: ChannelRow[] = await sql(db).channel.findMany({
    where: { id: { in: rows.map((row) => row.id) } },
  })
  return leased.map(toChannel)
}

/** What is to be sent: a notification, or a test event. */
export interface Delivery {
  id: bigint
  revision: number
  /** Of this attempt, from 1. */
  attempt: number
  createdAt: Date
  notification: Notification | null
}

interface BegunRow {
  id: bigint
  revision: number
  attempts: number
  created_at: Date
  notification_id: bigint | null
  account: Uint8Array | null
  type: string | null
  message: string | null
  timestamp: Date | null
  metadata: NotificationMetadata | null
}

/**
 * Begins attempts of the channel's first deliveries, in their order, at most `limit`, while the lease holds. Nothing behind one that has
 * to wait is begun.
 */
export async function beginAttempts(
  db: Db,
  channelId: string,
  { id, now, until }: Lease,
  confirmations: Confirmations,
  limit: number,
): Promise<Delivery[]> {
  const rows = await sql(db).$queryRawUnsafe<BegunRow[]>(
    `WITH held AS (UPDATE channels SET leased_until = $4::timestamptz WHERE id = $2::uuid AND lease = $3::uuid
      AND leased_until > $5::timestamptz AND state = 'active' RETURNING id),
    first AS (SELECT d.id, d.notification_id, bool_and(${isDue}) OVER (ORDER BY d.id) AS may_go
      FROM held JOIN deliveries d ON d.channel_id = held.id LEFT JOIN notifications n ON n.id = d.notification_id
      WHERE d.state = 'waiting' ORDER BY d.id LIMIT $6::int)
    UPDATE deliveries d SET attempts = d.attempts + 1, attempted_at = $5::timestamptz
    FROM first LEFT JOIN notifications n ON n.id = first.notification_id
    WHERE d.id = first.id AND d.state = 'waiting' AND first.may_go
    RETURNING d.id, d.revision, d.attempts, d.created_at, d.notification_id,
      n.account, n.type, n.message, n.timestamp, n.metadata`,
    JSON.stringify(confirmations),
    channelId,
    id,
    until,
    now,
    limit,
  )
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1)).map(toDelivery)
}

function toDelivery(row: BegunRow): Delivery {
  const { id, revision, attempts, created_at: createdAt } = row
  const { notification_id: notificationId, account, type, message, timestamp, metadata } = row
  const notification =
    notificationId && account && type && timestamp && metadata
      ? {
          id: notificationId.toString(),
          account: bytesToHex(account) as Notification['account'],
          type: type as NotificationType,
          message: message ?? '',
          timestamp,
          metadata,
        }
      : null
  return { id, revision, attempt: attempts, createdAt, notification }
}

/** How an attempt went. `status`: of the receiver's answer, if there was one. */
export type AttemptOutcome =
  | { state: 'delivered'; status: number | null }
  /** To be tried again at `nextAttemptAt`. */
  | { state: 'waiting'; status: number | null; fault: string; nextAttemptAt: Date }
  | { state: 'dead'; status: number | null; fault: string }

/** Stores how the attempts of these deliveries went. */
export async function endAttempts(
  db: Db,
  channelId: string,
  ids: readonly bigint[],
  outcome: AttemptOutcome,
  now: Date,
): Promise<void> {
  const { state, status } = outcome
  const fault = 'fault' in outcome ? outcome.fault.slice(0, 200) : null
  await sql(db).delivery.updateMany({
    where: { id: { in: [...ids] }, state: 'waiting' },
    data: { state, status, fault, ...(state !== 'waiting' && { endedAt: now }) },
  })
  if (outcome.state === 'waiting') {
    const { nextAttemptAt } = outcome
    await sql(db).channel.updateMany({ where: { id: channelId }, data: { nextAttemptAt } })
  }
}

/** Ends what has waited for so long, by the clock of the database: its receiver has failed all that time. @returns how many */
export async function endOverdue(db: Db, channelId: string, seconds: number): Promise<number> {
  return await sql(db).$executeRaw`UPDATE deliveries SET state = 'dead', ended_at = now()
    WHERE channel_id = ${channelId}::uuid AND state = 'waiting' AND created_at < now() - make_interval(secs => ${seconds})`
}

/** Ends a lease, so that another process may take the channel at once. */
export async function releaseChannel(db: Db, channelId: string, { id }: Pick<Lease, 'id'>): Promise<void> {
  await sql(db).channel.updateMany({
    where: { id: channelId, lease: id },
    data: { lease: null, leasedUntil: null },
  })
}

/** Puts a test event into the outbox. */
export async function insertTestDelivery(db: Db, channelId: string): Promise<bigint> {
  const { id } = await sql(db).delivery.create({ data: { channelId }, select: { id: true } })
  return id
}

/** Deliveries of a channel as its account sees them. */
export interface DeliveryRecord {
  id: bigint
  notificationId: bigint | null
  revision: number
  state: DeliveryState
  attempts: number
  createdAt: Date
  attemptedAt: Date | null
  endedAt: Date | null
  status: number | null
  fault: string | null
}

/** Newest first, before `before` where it is given. */
export async function findDeliveries(
  db: Db,
  channelId: string,
  { before, limit, state }: { before?: bigint; limit: number; state?: DeliveryState },
): Promise<DeliveryRecord[]> {
  const rows = await sql(db).delivery.findMany({
    where: { channelId, ...(before !== undefined && { id: { lt: before } }), ...(state && { state }) },
    orderBy: { id: 'desc' },
    take: limit,
    omit: { channelId: true },
  })
  return rows.map((row) => ({ ...row, state: row.state as DeliveryState }))
}

/**
 * Sends again what has ended since `from`, dead or delivered, under the same ids. In their place in the order: what waits behind them waits
 * on. @returns how many
 */
export async function replayDeliveries(
  db: Db,
  channelId: string,
  { from, state, limit }: { from: Date; state?: 'dead' | 'delivered'; limit: number },
): Promise<number> {
  return await sql(db)
    .$executeRaw`UPDATE deliveries SET state = 'waiting', attempts = 1, ended_at = NULL WHERE id IN (
    SELECT id FROM deliveries WHERE channel_id = ${channelId}::uuid AND created_at >= ${from}
      AND state IN ('dead', 'delivered') AND (${state ?? null}::text IS NULL OR state = ${state ?? null}) ORDER BY id LIMIT ${limit})`
}
