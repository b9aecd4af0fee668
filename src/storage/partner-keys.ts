import { dateTime, described, id, serial, text, uint32, type ValueOf } from '../domain/described.ts'
import type { Partner, PartnerLimits } from '../http/caller.ts'
import { type Db, sql } from './database/database.ts'
import type { PartnerKey as Row } from './generated/client.ts'

export const partnerKeyType = described('PartnerKey', 'A key of a partner, without its text.', {
  id: id('The id of the key, which rotations keep.'),
  name: text('The name of the partner.'),
  prefix: text('The beginning of the key, by which people recognize it.'),
  costUnitsPerSecond: uint32.orNull('Maximum cost units of reads per second; null: as for other clients.'),
  streams: uint32.orNull('Maximum open streams; null: as for other clients.'),
  createdAt: dateTime('The time at which it was created.'),
  previousUntil: dateTime.orNull('The time until which the key before the last rotation works.'),
  revokedAt: dateTime.orNull('The time since which it does not work; null for a valid key.'),
  lastUsedAt: dateTime.orNull('The time of its last request or event. Written every ten seconds.'),
  requests: serial('The number of requests with it.'),
  costUnits: serial('The cost units of its requests and events, rounded down.'),
  events: serial('The number of events that streams have delivered to it.'),
})

export type PartnerKey = ValueOf<typeof partnerKeyType>

interface NewPartnerKey extends PartnerLimits {
  id: string
  name: string
  prefix: string
  hash: Uint8Array
  createdAt: Date
}

/**
 * Stores a key. If there are `limit` keys already, it replaces the key that was revoked first. In SQL: one
 * statement that counts, removes and inserts.
 * @returns undefined if all of them are valid
 */
export async function insertPartnerKey(
  db: Db,
  { id, name, prefix, hash, costUnitsPerSecond, streams, createdAt }: NewPartnerKey,
  limit: number,
): Promise<PartnerKey | undefined> {
  await sql(db)
    .$executeRaw`WITH stored AS MATERIALIZED (SELECT count(*) < ${limit} AS has_room FROM partner_keys),
    removed AS (DELETE FROM partner_keys WHERE id = (SELECT id FROM partner_keys
      WHERE revoked_at IS NOT NULL AND NOT (SELECT has_room FROM stored) ORDER BY revoked_at LIMIT 1) RETURNING id)
    INSERT INTO partner_keys (id, name, prefix, key_hash, units_per_second, streams, created_at)
    SELECT ${id}::uuid, ${name}, ${prefix}, ${hash}, ${costUnitsPerSecond}::int, ${streams}::int, ${createdAt}
    WHERE (SELECT has_room FROM stored) OR EXISTS (SELECT FROM removed)`
  return await findPartnerKey(db, id)
}

async function findPartnerKey(db: Db, id: string): Promise<PartnerKey | undefined> {
  const row = await sql(db).partnerKey.findUnique({ where: { id } })
  return row ? toPartnerKey(row) : undefined
}

/** The partner whose valid key has this hash. `until`: when the key ends, if a rotation has replaced it. */
export async function findPartner(
  db: Db,
  hash: Uint8Array,
  now: Date,
): Promise<{ partner: Partner; until: Date | null } | undefined> {
  const sent = Uint8Array.from(hash)
  const row = await sql(db).partnerKey.findFirst({
    where: {
      revokedAt: null,
      OR: [{ keyHash: sent }, { previousHash: sent, previousUntil: { gt: now } }],
    },
  })
  if (!row) return undefined
  const { id, name, unitsPerSecond: costUnitsPerSecond, streams, keyHash, previousUntil } = row
  const until = Buffer.from(keyHash).equals(hash) ? null : previousUntil
  return { partner: { id, name, limits: { costUnitsPerSecond, streams } }, until }
}

/** Keys by the time of their creation, newest first. */
export async function findPartnerKeys(
  db: Db,
  { limit, before }: { limit: number; before?: { createdAt: Date; id: string } },
): Promise<PartnerKey[]> {
  const rows = await sql(db).partnerKey.findMany({
    ...(before && {
      where: {
        OR: [{ createdAt: { lt: before.createdAt } }, { createdAt: before.createdAt, id: { lt: before.id } }],
      },
    }),
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit,
  })
  return rows.map(toPartnerKey)
}

/**
 * Replaces a valid key by another, and lets the one before work until a time.
 * @returns undefined if no valid key has this id
 */
export async function rotatePartnerKey(
  db: Db,
  id: string,
  { hash, prefix, previousUntil }: Pick<NewPartnerKey, 'hash' | 'prefix'> & { previousUntil: Date },
): Promise<PartnerKey | undefined> {
  // In SQL: a column takes the value of another column.
  const count = await sql(db).$executeRaw`UPDATE partner_keys
    SET previous_hash = key_hash, previous_until = ${previousUntil}, key_hash = ${hash}, prefix = ${prefix}
    WHERE id = ${id}::uuid AND revoked_at IS NULL`
  return count > 0 ? findPartnerKey(db, id) : undefined
}

/** @returns the key; undefined if no valid key has this id */
export async function updatePartnerKey(
  db: Db,
  id: string,
  {
    name,
    costUnitsPerSecond,
    streams,
    revokedAt,
  }: Partial<PartnerLimits> & { name?: string; revokedAt?: Date },
): Promise<PartnerKey | undefined> {
  const [row] = await sql(db).partnerKey.updateManyAndReturn({
    where: { id, revokedAt: null },
    data: {
      ...(name !== undefined && { name }),
      ...(costUnitsPerSecond !== undefined && { unitsPerSecond: costUnitsPerSecond }),
      ...(streams !== undefined && { streams }),
      ...(revokedAt && { revokedAt }),
    },
  })
  return row ? toPartnerKey(row) : undefined
}

/** The use of a key since the last count. */
export interface PartnerUse {
  requests: number
  units: number
  events: number
  at: Date
}

/** Adds uses to the counts of their keys. Rows are locked in one order: processes do so at the same time. */
export async function countPartnerUse(db: Db, uses: ReadonlyMap<string, PartnerUse>): Promise<void> {
  const [ids, all] = [[...uses.keys()], [...uses.values()]]
  await sql(db).$executeRaw`WITH held AS MATERIALIZED (
      SELECT id FROM partner_keys WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR UPDATE)
    UPDATE partner_keys p SET requests = p.requests + u.requests, units = p.units + u.units,
      events = p.events + u.events, last_used_at = greatest(p.last_used_at, u.at)
    FROM held JOIN unnest(${ids}::uuid[], ${all.map(({ requests }) => requests)}::int8[],
      ${all.map(({ units }) => units)}::float8[], ${all.map(({ events }) => events)}::int8[],
      ${all.map(({ at }) => at)}::timestamptz[]) u(id, requests, units, events, at) ON u.id = held.id
    WHERE p.id = held.id`
}

/** A key that is not revoked: its limits, and the end of the key before it. */
interface ValidKey extends PartnerLimits {
  id: string
  previousUntil: Date | null
}

/** Selects those of some keys that are not revoked. */
export async function findValidKeys(db: Db, ids: readonly string[]): Promise<ValidKey[]> {
  const rows = await sql(db).partnerKey.findMany({
    where: { id: { in: [...ids] }, revokedAt: null },
    select: { id: true, previousUntil: true, unitsPerSecond: true, streams: true },
  })
  return rows.map(({ unitsPerSecond: costUnitsPerSecond, ...row }) => ({ ...row, costUnitsPerSecond }))
}

function toPartnerKey(row: Row): PartnerKey {
  const { id, name, prefix, streams, createdAt, previousUntil, revokedAt, lastUsedAt, requests, events } = row
  return {
    id,
    name,
    prefix,
    streams,
    createdAt,
    previousUntil,
    revokedAt,
    lastUsedAt,
    requests,
    events,
    costUnitsPerSecond: row.unitsPerSecond,
    costUnits: BigInt(Math.floor(row.units)),
  }
}
