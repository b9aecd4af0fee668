import type { Channel, ChannelKind } from '../../domain/notification/channel.ts'
import { type Db, sql } from '../database/database.ts'
import type { Channel as ChannelRow } from '../generated/client.ts'
import { toChannel } from './channels.ts'

/** A process that sends to a channel, for the time of its lease. */
export interface Lease {
  id: string
  now: Date
  until: Date
}

/** Blocks required after that of a notification's cause before it is sent, by chain id; else none. */
export type Confirmations = Readonly<Record<number, number>>

/** Channels of a kind, those with a slow receiver apart, and how many may be leased. */
export interface Lane {
  kind: ChannelKind
  isSlow: boolean
  places: number
}

/** The parameter for `isDue`. */
export const jsonOf = (confirmations: Confirmations): string => JSON.stringify(confirmations)

/**
 * SQL condition: notification `n` of a delivery may be sent. It has no block, or one that is deep enough by
 * the confirmations in parameter 1; a test event has no notification. One that a reorg detached waits for its
 * return or its end.
 */
export const isDueSql = `(n.id IS NULL OR n.block_number IS NULL OR (NOT n.detached AND n.block_number
  + coalesce(($1::jsonb ->> n.chain_id::text)::bigint, 0) <= coalesce((SELECT k.block_number FROM checkpoints k WHERE k.chain_id = n.chain_id), 0)))`

/**
 * Marks channels with new deliveries to be processed from `now`. In the order of their ids, so that several
 * processes do not deadlock.
 * @returns how many marks were taken; less than `limit` if none are left
 */
export async function wakeChannels(db: Db, now: Date, limit: number): Promise<number> {
  const [row] = await sql(db).$queryRaw<{ count: number }[]>`
    WITH taken AS (DELETE FROM channel_wakes WHERE id = ANY(ARRAY(
        SELECT id FROM channel_wakes ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED)) RETURNING channel_id),
      found AS (SELECT c.id FROM channels c WHERE c.id IN (SELECT channel_id FROM taken) AND c.state = 'active' ORDER BY c.id FOR UPDATE),
      woken AS (UPDATE channels c SET woken = true, next_attempt_at = coalesce(c.next_attempt_at, ${now})
        FROM found WHERE c.id = found.id)
    SELECT count(*)::int AS count FROM taken`
  return row?.count ?? 0
}

/**
 * Leases channels with due deliveries, those that have waited longest first. Skips channels that another
 * process takes at this moment. Those that have to wait for blocks are processed again at `later`.
 */
export async function leaseChannels(
  db: Db,
  { id, now, until }: Lease,
  confirmations: Confirmations,
  { lanes, later }: { lanes: readonly Lane[]; later: Date },
): Promise<{ channel: Channel; isSlow: boolean }[]> {
  const rows = await sql(db).$queryRawUnsafe<{ id: string; is_slow: boolean; is_leased: boolean }[]>(
    `WITH found AS MATERIALIZED (SELECT x.id FROM jsonb_to_recordset($2::jsonb) AS l(kind text, "isSlow" boolean, places int),
        LATERAL (SELECT c.id FROM channels c WHERE c.kind = l.kind AND (c.slow_turns > 0) = l."isSlow" AND c.next_attempt_at <= $3::timestamptz
          ORDER BY c.next_attempt_at LIMIT l.places FOR UPDATE SKIP LOCKED) x),
      looked AS (SELECT f.id, ${isDueSql} AS is_due FROM found f
        LEFT JOIN LATERAL (SELECT w.notification_id FROM deliveries w WHERE w.channel_id = f.id AND w.state = 'waiting' ORDER BY w.id LIMIT 1) d ON true
        LEFT JOIN notifications n ON n.id = d.notification_id)
    UPDATE channels c SET woken = false, lease = CASE WHEN looked.is_due THEN $4::uuid END,
      next_attempt_at = CASE WHEN looked.is_due THEN $5::timestamptz ELSE $6::timestamptz END
    FROM looked WHERE c.id = looked.id RETURNING c.id::text, c.slow_turns > 0 AS is_slow, c.lease IS NOT NULL AS is_leased`,
    jsonOf(confirmations),
    JSON.stringify(lanes),
    now,
    id,
    until,
    later,
  )
  const leased = new Map(rows.filter((row) => row.is_leased).map((row) => [row.id, row.is_slow]))
  if (leased.size === 0) return []
  const channels: ChannelRow[] = await sql(db).channel.findMany({ where: { id: { in: [...leased.keys()] } } })
  return channels.map((row) => ({ channel: toChannel(row), isSlow: leased.get(row.id) ?? false }))
}

/** Time when a channel is processed next: at once, at a time, or when a delivery is written for it. */
export type NextLook = 'now' | 'when written' | Date

/** Turns after a slow one for which a receiver counts as slow. */
const slowTurns = 10

/**
 * Ends a lease. Deliveries written since it began are processed.
 * @returns whether the channel is to be processed at once
 */
export async function releaseChannel(
  db: Db,
  channelId: string,
  { id, now }: Pick<Lease, 'id' | 'now'>,
  { next, isSlow }: { next: NextLook; isSlow: boolean },
): Promise<boolean> {
  const at = next === 'now' ? now : next === 'when written' ? null : next
  const [row] = await sql(db).$queryRaw<
    { is_due: boolean | null }[]
  >`UPDATE channels SET lease = NULL, woken = false,
      next_attempt_at = CASE WHEN ${at}::timestamptz IS NULL AND woken THEN ${now}::timestamptz ELSE ${at}::timestamptz END,
      slow_turns = CASE WHEN ${isSlow}::boolean THEN ${slowTurns}::int ELSE greatest(slow_turns - 1, 0) END
    WHERE id = ${channelId}::uuid AND lease = ${id}::uuid RETURNING next_attempt_at <= ${now}::timestamptz AS is_due`
  return row?.is_due ?? false
}

/** Waiting deliveries up to the counted number, and the age of the oldest. */
interface WaitingDeliveries {
  kind: ChannelKind
  count: number
  oldestSeconds: number
}

/** Reads by jumps to the first row of each kind, and bounded counts: a million waiting cost no more. */
export async function readWaitingDeliveries(
  db: Db,
  kinds: readonly ChannelKind[],
  counted: number,
): Promise<WaitingDeliveries[]> {
  return await sql(db).$queryRaw<WaitingDeliveries[]>`
    SELECT k.kind, (SELECT count(*) FROM (SELECT FROM deliveries d WHERE d.kind = k.kind AND d.state = 'waiting' LIMIT ${counted}) d)::int AS count,
      coalesce(extract(epoch FROM now() - (SELECT d.waiting_since FROM deliveries d WHERE d.kind = k.kind AND d.state = 'waiting'
        ORDER BY d.waiting_since LIMIT 1)), 0)::float8 AS "oldestSeconds"
    FROM unnest(${[...kinds]}::text[]) AS k(kind)`
}

const minuteMs = 60_000

/** Permission to send to a channel: a message of up to `limit` deliveries, or none until a time. */
type MessageAllowance = { limit: number; minute: Minute } | { until: Date }

/** A minute that began with a message, and how many it holds. */
interface Minute {
  beganAt: Date
  messages: number
}

/**
 * Allows a minute `alone` messages of one delivery. If more deliveries wait than it has room for, they go
 * together in a message that fills the minute, as after a full minute. Call it while the channel is leased.
 */
export async function messageAllowance(
  db: Db,
  channelId: string,
  { alone, together, now }: { alone: number; together: number; now: Date },
): Promise<MessageAllowance> {
  const channel = await sql(db).channel.findUniqueOrThrow({
    where: { id: channelId },
    select: { minuteBeganAt: true, minuteMessages: true },
  })
  const waiting = await sql(db).delivery.findMany({
    where: { channelId, state: 'waiting' },
    orderBy: { id: 'asc' },
    select: { batch: true },
    take: alone + 1,
  })
  const isMany = (free: number) => waiting.length > free || waiting[0]?.batch != null
  const began = channel.minuteBeganAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const wasFull = channel.minuteMessages >= alone
  if (now.getTime() < began + minuteMs) {
    if (wasFull) return { until: new Date(began + minuteMs) }
    const { minuteMessages: messages } = channel
    const limit = isMany(alone - messages) ? together : 1
    return { limit, minute: { beganAt: new Date(began), messages } }
  }
  return { limit: wasFull || isMany(alone) ? together : 1, minute: { beganAt: now, messages: 0 } }
}

/** Counts a message of so many deliveries. */
export async function countMessage(
  db: Db,
  channelId: string,
  { beganAt, messages }: Minute,
  deliveries: number,
  alone: number,
): Promise<void> {
  const minuteMessages = deliveries > 1 ? alone : messages + 1
  await sql(db).channel.updateMany({
    where: { id: channelId },
    data: { minuteBeganAt: beganAt, minuteMessages },
  })
}
