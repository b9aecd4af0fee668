import { dateTime, described, digits, oneOf, text, uint32, type ValueOf } from '../../domain/described.ts'
import { bytesToHex } from '../../domain/evm/hex.ts'
import { type DeliveryState, deliveryStates } from '../../domain/notification/channel.ts'
import type {
  Notification,
  NotificationMetadata,
  NotificationType,
} from '../../domain/notification/notification.ts'
import { type Db, sql } from '../database/database.ts'
import { type Confirmations, isDueSql, jsonOf, type Lease } from './queue.ts'

/** An item to send: a notification, or a test event. */
export interface Delivery {
  id: bigint
  revision: number
  /** Number of this attempt, from 1. */
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

/** The first deliveries of a turn. */
export interface Begun {
  deliveries: Delivery[]
  /** State of later deliveries: none, due, or waiting for blocks. `lost`: the lease does not hold. */
  rest: 'none' | 'due' | 'waits' | 'lost'
}

/**
 * Begins attempts of the channel's first deliveries, in order, up to `limit`, while the lease holds. A
 * delivery that has to wait holds up all behind it. Deliveries that were begun together are begun together
 * again, and no others with them.
 */
export async function beginAttempts(
  db: Db,
  channelId: string,
  { id, now }: Pick<Lease, 'id' | 'now'>,
  confirmations: Confirmations,
  limit: number,
): Promise<Begun> {
  const rows = await sql(db).$queryRawUnsafe<(BegunRow & { rest: boolean | null; is_held: boolean })[]>(
    `WITH held AS MATERIALIZED (SELECT c.id FROM channels c
      WHERE c.id = $2::uuid AND c.lease = $3::uuid AND c.next_attempt_at > $4::timestamptz AND c.state = 'active'),
    first AS (SELECT d.id, row_number() OVER w AS place, first_value(d.id) OVER w AS head, bool_and(${isDueSql}) OVER w AS is_due,
        bool_and(d.batch IS NOT DISTINCT FROM d.head_batch) OVER w AS is_together
      FROM (SELECT d.id, d.notification_id, d.batch, first_value(d.batch) OVER (ORDER BY d.id) AS head_batch
        FROM held JOIN deliveries d ON d.channel_id = held.id WHERE d.state = 'waiting' ORDER BY d.id LIMIT $5::int + 1) d
      LEFT JOIN notifications n ON n.id = d.notification_id WINDOW w AS (ORDER BY d.id)),
    chosen AS (SELECT f.*, f.is_due AND f.is_together AND f.place <= $5::int AS goes FROM first f),
    begun AS (UPDATE deliveries d SET attempts = d.attempts + 1, attempted_at = $4::timestamptz, batch = coalesce(d.batch, c.head)
      FROM chosen c WHERE d.id = c.id AND d.state = 'waiting' AND c.goes
      RETURNING d.id, d.revision, d.attempts, d.created_at, d.notification_id)
    SELECT b.*, n.account, n.type, n.message, n.timestamp, n.metadata,
      (SELECT c.is_due FROM chosen c WHERE NOT c.goes ORDER BY c.place LIMIT 1) AS rest, EXISTS (SELECT FROM held) AS is_held
    FROM (SELECT) o LEFT JOIN begun b ON true LEFT JOIN notifications n ON n.id = b.notification_id`,
    jsonOf(confirmations),
    channelId,
    id,
    now,
    limit,
  )
  const begun = rows.filter((row) => row.id !== null).sort((a, b) => (a.id < b.id ? -1 : 1))
  const { rest = null, is_held: isHeld = false } = rows[0] ?? {}
  const next = rest === null ? 'none' : rest ? 'due' : 'waits'
  return { deliveries: begun.map(toDelivery), rest: isHeld ? next : 'lost' }
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

/** The result of an attempt. `status`: that of the receiver's response, if there was one. */
export type AttemptOutcome =
  | { state: 'delivered'; status: number | null }
  /** A delivery to try again. */
  | { state: 'waiting'; status: number | null; fault: string }
  | { state: 'dead'; status: number | null; fault: string }

/**
 * Stores the results of these attempts. A success is not flushed to disk before the next one is sent: if the
 * database's server crashes just then, they are sent again, as after a crash of this process.
 */
export async function endAttempts(
  db: Db,
  ids: readonly bigint[],
  outcome: AttemptOutcome,
  now: Date,
): Promise<void> {
  const { state, status } = outcome
  const fault = 'fault' in outcome ? outcome.fault.slice(0, 200) : null
  const endedAt = state === 'waiting' ? null : now
  // Local to this statement's own transaction. `gone` and `dead` flush as the server is set to.
  const flush = state === 'delivered' ? 'off' : null
  await sql(db).$executeRaw`WITH flush AS MATERIALIZED (
      SELECT set_config('synchronous_commit', coalesce(${flush}::text, current_setting('synchronous_commit')), true) AS setting)
    UPDATE deliveries SET state = ${state}, status = ${status}::int, fault = ${fault}::text, ended_at = coalesce(${endedAt}::timestamptz, ended_at)
    WHERE id = ANY(${[...ids]}::bigint[]) AND state = 'waiting' AND (SELECT setting FROM flush) IS NOT NULL`
}

/**
 * Ends deliveries that have waited this long by the database's clock: their receiver failed all that time.
 * @returns how many
 */
export async function endOverdue(db: Db, channelId: string, seconds: number): Promise<number> {
  return await sql(db).$executeRaw`UPDATE deliveries SET state = 'dead', ended_at = now()
    WHERE channel_id = ${channelId}::uuid AND state = 'waiting' AND waiting_since < now() - make_interval(secs => ${seconds})`
}

/** Puts a test event into the outbox. @returns undefined when there is no such channel */
export async function insertTestDelivery(db: Db, channelId: string): Promise<bigint | undefined> {
  const [row] = await sql(db).$queryRaw<{ id: bigint }[]>`INSERT INTO deliveries (channel_id, kind)
    SELECT id, kind FROM channels WHERE id = ${channelId}::uuid AND state = 'active' RETURNING id`
  return row?.id
}

export const deliveryType = described('Delivery', 'A message that was sent to a channel, or waits.', {
  notificationId: digits.orNull('The notification’s number; null for a test event.'),
  revision: uint32(
    '0; one more each time that a reorg changed the notification: reverted it, let it happen after all, or let its trade complete the order.',
  ),
  state: oneOf<DeliveryState>('DeliveryState')('The state of the message.'),
  attempts: uint32('Attempts that were begun.'),
  createdAt: dateTime('The time at which it was written, with its notification.'),
  attemptedAt: dateTime.orNull('The time at which the last attempt began.'),
  endedAt: dateTime.orNull('The time at which it was accepted or given up.'),
  status: uint32.orNull('The HTTP status of the receiver’s last answer.'),
  fault: text.orNull('The reason of the last failure.'),
})

/** A delivery of a channel as its account sees it. */
export interface DeliveryRecord extends ValueOf<typeof deliveryType> {
  id: bigint
}

/** Finds deliveries, newest first, before `before` if it is given; none in a state of a later version. */
export async function findDeliveries(
  db: Db,
  channelId: string,
  { before, limit, state }: { before?: bigint; limit: number; state?: DeliveryState },
): Promise<DeliveryRecord[]> {
  const rows = await sql(db).delivery.findMany({
    where: {
      channelId,
      state: state ?? { in: [...deliveryStates] },
      ...(before !== undefined && { id: { lt: before } }),
    },
    orderBy: { id: 'desc' },
    take: limit,
    omit: { channelId: true, kind: true, waitingSince: true, batch: true },
  })
  return rows.map((row) => ({ ...row, state: row.state as DeliveryState }))
}

/**
 * Sends deliveries that have ended since `from`, dead or delivered, again under the same ids. They keep their
 * place in the order: later ones wait for them. @returns how many
 */
export async function replayDeliveries(
  db: Db,
  channelId: string,
  { from, state, limit }: { from: Date; state?: 'dead' | 'delivered'; limit: number },
): Promise<number> {
  const [row] = await sql(db).$queryRaw<{ count: number }[]>`
    WITH replayed AS (UPDATE deliveries SET state = 'waiting', attempts = 1, ended_at = NULL, waiting_since = now() WHERE id IN (
        SELECT id FROM deliveries WHERE channel_id = ${channelId}::uuid AND created_at >= ${from}
          AND state IN ('dead', 'delivered') AND (${state ?? null}::text IS NULL OR state = ${state ?? null}) ORDER BY id LIMIT ${limit})
        RETURNING channel_id),
      woken AS (INSERT INTO channel_wakes (channel_id) SELECT DISTINCT channel_id FROM replayed)
    SELECT count(*)::int AS count FROM replayed`
  return row?.count ?? 0
}
