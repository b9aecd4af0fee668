import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { ConditionalOrderParams } from '../../domain/programmatic/params.ts'
import { isFailure, isRepeated, type PollOutcome, type PollTime } from '../../domain/programmatic/poll.ts'
import type { PollResult } from '../../domain/programmatic/statuses.ts'
import { bytea, hexOf, raw } from '../database/columns.ts'
import { type Db, sql } from '../database/database.ts'
import { proofOf } from './programmatic-roots.ts'
import { type ParamsRow, paramsOf } from './programmatic-status.ts'
import { isOverShare } from './tower-uses.ts'

/** The two kinds of orders: those whose parts arithmetic gives, and those that a handler is asked for. */
export const lanes = ['computed', 'asked'] as const
export type PollLane = (typeof lanes)[number]

/**
 * How well a poll has earned its place: `placed` if its owner had a part placed, `new` otherwise; `failing`
 * if polls of the order failed since its last part, or of any order of an owner without a part, or its owner
 * has used its share. A single failure of an owner of the first kind does not count: the node may have been
 * slow.
 */
const ranks = ['placed', 'new', 'failing'] as const
export type Rank = (typeof ranks)[number]

/** A programmatic order that the watch tower is to poll. */
export interface DuePoll {
  id: bigint
  owner: Address
  params: ConditionalOrderParams
  /** The proof that its root authorises it; empty for a single order. */
  proof: Bytes32[]
  /** Null until it is read. */
  context: Bytes32 | null
  endsAt: number | null
  dueAt: number
  /** The last poll; null before the first. */
  last: { result: PollResult; reason: string | null; time: number; repeats: number } | null
  /** Failed polls since a part of it was placed. */
  failures: number
  rank: Rank
}

interface DueRow extends ParamsRow {
  id: bigint
  owner: Uint8Array
  proof: Uint8Array | null
  context: Uint8Array | null
  ends_at: bigint | null
  poll_at: bigint
  poll_result: PollResult | null
  poll_reason: string | null
  polled_at: Date | null
  poll_repeats: number
  poll_failures: number
  rank: number
}

/**
 * Programmatic orders of a lane that are due at a block and that the contract authorised when it was read: at
 * most `perOwner` of each owner who is not in `busy`. They come by their rank, then the first of each owner
 * before the second ones, and those that failed less often before others. In SQL: a place within each owner,
 * and the whole rows of those alone that are returned.
 */
export async function duePolls(
  db: Db,
  chainId: number,
  {
    lane,
    at,
    busy,
    perOwner,
    limit,
  }: { lane: PollLane; at: PollTime; busy: readonly Address[]; perOwner: number; limit: number },
): Promise<DuePoll[]> {
  const ofLane = lane === 'computed' ? `p.type = 'TWAP'` : `p.type <> 'TWAP'`
  const rows = await sql(db).$queryRaw<DueRow[]>`
    SELECT g.id, g.owner, g.handler, g.salt, g.static_input, CASE WHEN g.by_root THEN g.proof END AS proof, g.context, g.ends_at,
      g.poll_at, g.poll_result, g.poll_reason, g.polled_at, g.poll_repeats, g.poll_failures, d.rank
    FROM (SELECT d.* FROM (SELECT p.id, p.poll_failures, p.poll_at, r.rank,
        row_number() OVER (PARTITION BY p.owner ORDER BY r.rank, p.poll_failures, p.poll_at, p.id) AS place
      FROM programmatic_orders p LEFT JOIN tower_uses u ON u.chain_id = p.chain_id AND u.owner = p.owner
      CROSS JOIN LATERAL (SELECT CASE WHEN ${isOverShare} OR CASE WHEN u.placed > 0 THEN p.poll_failures > 1 ELSE greatest(p.poll_failures, u.failures) > 0 END THEN 2
        WHEN u.placed > 0 THEN 0 ELSE 1 END AS rank) r
      WHERE p.chain_id = ${chainId} AND p.poll_at <= ${at.timestamp} AND ${raw(ofLane)}
        AND coalesce(p.poll_block, 0) <= ${at.number} AND p.looked_block IS NOT NULL AND p.removed_block IS NULL
        AND p.fault IS NULL AND p.owner <> ALL(${busy.map(bytea)}::bytea[])) d
      WHERE d.place <= ${perOwner} ORDER BY d.rank, d.place, d.poll_failures, d.poll_at, d.id LIMIT ${limit}) d
    JOIN programmatic_orders g ON g.id = d.id ORDER BY d.rank, d.place, d.poll_failures, d.poll_at, d.id`
  return rows.map((row) => ({
    id: row.id,
    owner: hexOf(row.owner),
    params: paramsOf(row),
    proof: row.proof ? proofOf(row.proof) : [],
    context: row.context && hexOf(row.context),
    endsAt: row.ends_at === null ? null : Number(row.ends_at),
    dueAt: Number(row.poll_at),
    last:
      row.poll_result === null || row.polled_at === null
        ? null
        : {
            result: row.poll_result,
            reason: row.poll_reason,
            time: Math.floor(row.polled_at.getTime() / 1_000),
            repeats: row.poll_repeats,
          },
    failures: row.poll_failures,
    rank: ranks[row.rank] ?? 'failing',
  }))
}

/** The place of the last change of a programmatic order: no other makes one due at the same block. */
export async function lastProgrammaticChange(db: Db): Promise<bigint> {
  const row = await sql(db).programmaticFeedEntry.findFirst({
    orderBy: { place: 'desc' },
    select: { place: true },
  })
  return row?.place ?? 0n
}

/**
 * Stores the outcome of a poll, unless the order was created again or read differently meanwhile: then the
 * order is due again. In SQL: the row is compared with what was polled.
 * @param isNewPart true if the last poll was of an earlier part: that poll is kept too
 * @returns whether the outcome was stored
 */
export async function storePoll(
  db: Db,
  { id, dueAt, context, last, failures }: DuePoll,
  at: PollTime,
  { result, reason, next }: PollOutcome,
  isNewPart = false,
): Promise<boolean> {
  const repeats = last && !isNewPart && isRepeated(result, last.result) ? last.repeats + 1 : 0
  const failed = result === 'placed' ? 0 : failures + (isFailure(result) ? 1 : 0)
  const stored = await sql(db).$executeRaw`
    UPDATE programmatic_orders SET prior_polled_at = CASE WHEN ${isNewPart} THEN polled_at ELSE prior_polled_at END,
      prior_result = CASE WHEN ${isNewPart} THEN poll_result ELSE prior_result END,
      prior_reason = CASE WHEN ${isNewPart} THEN poll_reason ELSE prior_reason END,
      poll_at = ${next?.time ?? null}::bigint, poll_block = ${next?.block ?? null}::bigint,
      polled_at = ${new Date(at.timestamp * 1_000)}::timestamptz, polled_block = ${at.number}, poll_result = ${result},
      poll_reason = ${reason}::text, poll_repeats = ${Math.min(repeats, 1_000)}, poll_failures = ${Math.min(failed, 1_000)}
    WHERE id = ${id} AND poll_at = ${dueAt} AND looked_block IS NOT NULL
      AND context IS NOT DISTINCT FROM ${context && bytea(context)}::bytea`
  return stored > 0
}
