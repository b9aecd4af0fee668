import type { BookWebhook, SinkKind } from '../../domain/notification/feed-sink.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import type { Prisma, FeedSink as Row } from '../generated/client.ts'
import { feedHead } from '../query/feed-source.ts'

/** Members of BookFilter, as a client gave them. */
export type SinkFilter = Readonly<Record<string, unknown>>

/** A receiver of the feed of the book, as the process that sends to it needs it. */
export interface FeedSink {
  id: string
  kind: SinkKind
  name: string
  filter: SinkFilter
  url: string | null
  secret: string | null
  cursor: bigint
  failures: number
}

/** Stores the only sink of a kind that settings enable, unless it is stored. It begins at the first entry. */
export async function ensureSink(db: Db, sink: { id: string; kind: SinkKind; name: string }): Promise<void> {
  await sql(db).feedSink.createMany({ data: [sink], skipDuplicates: true })
}

/** The partner who owns a webhook; null for the operator, who sees and changes all. */
export type WebhookOwner = string | null

const ownedBy = (owner: WebhookOwner) => ({ kind: 'webhook', ...(owner !== null && { partner: owner }) })

interface NewWebhook {
  id: string
  name: string
  partner: WebhookOwner
  url: string
  secret: string
  filter: SinkFilter
  /** Place after which it begins; the newest one if left out. */
  cursor?: bigint | undefined
}

/**
 * Stores a webhook, unless there are `limit` of its owner, or one of this name. Serializes the creation of
 * all.
 */
export async function insertWebhook(
  tx: Tx,
  { cursor, filter, ...webhook }: NewWebhook,
  limit: number,
): Promise<'stored' | 'known' | 'too many' | 'beyond the head'> {
  await sql(tx).$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('feed_sinks', 0))`
  // Keys of partners are removed when others take their places.
  await sql(tx).$executeRaw`
    DELETE FROM feed_sinks s WHERE s.partner IS NOT NULL AND NOT EXISTS (SELECT FROM partner_keys k WHERE k.id = s.partner)`
  const { partner } = webhook
  if ((await sql(tx).feedSink.count({ where: { kind: 'webhook', partner } })) >= limit) return 'too many'
  const head = await readHead(tx)
  if (cursor !== undefined && cursor > head) return 'beyond the head'
  const { count } = await sql(tx).feedSink.createMany({
    data: [
      {
        ...webhook,
        kind: 'webhook',
        filter: filter as Prisma.InputJsonObject,
        cursor: cursor ?? head,
      },
    ],
    skipDuplicates: true,
  })
  return count > 0 ? 'stored' : 'known'
}

async function readHead(db: Db): Promise<bigint> {
  const [row] = await sql(db).$queryRawUnsafe<{ head: bigint }[]>(`SELECT ${feedHead} AS head`)
  return row?.head ?? 0n
}

/** @returns whether there was one */
export async function removeWebhook(db: Db, id: string, owner: WebhookOwner): Promise<boolean> {
  const { count } = await sql(db).feedSink.deleteMany({ where: { id, ...ownedBy(owner) } })
  return count > 0
}

/** @returns whether there is one */
export async function pauseWebhook(
  db: Db,
  id: string,
  owner: WebhookOwner,
  isPaused: boolean,
): Promise<boolean> {
  const { count } = await sql(db).feedSink.updateMany({
    where: { id, ...ownedBy(owner) },
    data: { isPaused },
  })
  return count > 0
}

/** Webhooks, oldest first; bounded by the limits at their creation. */
export async function findWebhooks(
  db: Db,
  owner: WebhookOwner = null,
  ids?: readonly string[],
): Promise<BookWebhook[]> {
  const rows = await sql(db).feedSink.findMany({
    where: { ...ownedBy(owner), ...(ids && { id: { in: [...ids] } }) },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  })
  const partners = rows.flatMap(({ partner }) => partner ?? [])
  const named =
    partners.length === 0 ? [] : await sql(db).partnerKey.findMany({ where: { id: { in: partners } } })
  const names = new Map(named.map(({ id, name }) => [id, name]))
  const lags = new Map((await readSinkLags(db, 'all')).map((lag) => [lag.name, lag]))
  return rows.map((row) => ({
    ...row,
    partner: row.partner === null ? null : (names.get(row.partner) ?? row.partner),
    cursor: `${row.cursor}`,
    gapFrom: row.gapFrom === null ? null : `${row.gapFrom}`,
    gapTo: row.gapTo === null ? null : `${row.gapTo}`,
    lagEntries: lags.get(row.name)?.entries ?? 0,
    lagSeconds: Math.floor(lags.get(row.name)?.seconds ?? 0),
  }))
}

/**
 * Takes or prolongs the leases of all sinks that no other process has, by the clock of the database.
 * Partners have none if they may not read the feed, or after their key was revoked.
 * @returns those that this process may send to for `ms` from the call
 */
export async function leaseSinks(
  db: Db,
  {
    lease,
    kinds,
    ofPartners,
    ms,
  }: { lease: string; kinds: readonly SinkKind[]; ofPartners: boolean; ms: number },
): Promise<FeedSink[]> {
  // Rows are locked in one order, so that processes do not deadlock.
  const rows = await sql(db).$queryRaw<{ id: string }[]>`
    UPDATE feed_sinks s SET lease = ${lease}::uuid, leased_until = clock_timestamp() + ${ms}::int * interval '1 millisecond'
    FROM (SELECT id FROM feed_sinks WHERE kind = ANY(${[...kinds]}::text[]) AND NOT is_paused
      AND (partner IS NULL OR (${ofPartners} AND EXISTS (SELECT FROM partner_keys k WHERE k.id = partner AND k.revoked_at IS NULL)))
      AND (lease IS NULL OR lease = ${lease}::uuid OR leased_until < clock_timestamp()) ORDER BY id FOR UPDATE) f
    WHERE s.id = f.id RETURNING s.id::text`
  if (rows.length === 0) return []
  const found = await sql(db).feedSink.findMany({ where: { id: { in: rows.map(({ id }) => id) } } })
  return found.map(toSink)
}

const toSink = ({ id, kind, name, filter, url, secret, cursor, failures }: Row): FeedSink => ({
  id,
  name,
  url,
  secret,
  cursor,
  failures,
  kind: kind as SinkKind,
  filter: filter as SinkFilter,
})

/** Gives all leases of a process back. */
export async function releaseSinks(db: Db, lease: string): Promise<void> {
  await sql(db).feedSink.updateMany({ where: { lease }, data: { lease: null, leasedUntil: null } })
}

/** Progress of a sink. `sentAt` is of an acknowledgement; a gap, of entries that were removed before. */
export type SinkProgress =
  | { cursor: bigint; sentAt?: Date }
  | { cursor: bigint; gapFrom: bigint; gapAt: Date }
  | { failures: number; fault: string }

/** Stores progress while the lease holds. @returns whether it does */
export async function storeProgress(
  db: Db,
  { id, lease }: { id: string; lease: string },
  progress: SinkProgress,
): Promise<boolean> {
  const data =
    'fault' in progress
      ? progress
      : {
          ...progress,
          ...('gapFrom' in progress && { gapTo: progress.cursor }),
          ...('sentAt' in progress && { failures: 0, fault: null }),
        }
  const { count } = await sql(db).feedSink.updateMany({ where: { id, lease }, data })
  return count > 0
}

/** Entries of the feed after a sink's cursor, up to a limit, and the age of the oldest. */
export interface SinkLag {
  name: string
  entries: number
  seconds: number
}

const maxCounted = 10_000

/** The lag of sinks that are not paused, or of all. Bounded counts by the places of the feed. */
export async function readSinkLags(db: Db, which: 'running' | 'all' = 'running'): Promise<SinkLag[]> {
  return await sql(db).$queryRaw<SinkLag[]>`
    SELECT s.name, (SELECT count(*) FROM (SELECT FROM order_feed f WHERE f.place > s.cursor LIMIT ${maxCounted}) f)::int AS entries,
      coalesce(extract(epoch FROM now() - (SELECT f.written_at FROM order_feed f WHERE f.place > s.cursor ORDER BY f.place LIMIT 1)), 0)::float8 AS seconds
    FROM feed_sinks s WHERE ${which} = 'all' OR NOT s.is_paused ORDER BY s.name`
}
