import type { HandlerType } from '../../domain/programmatic/handlers.ts'
import type { ConditionalOrderParams } from '../../domain/programmatic/params.ts'
import { decodeInput } from '../../domain/programmatic/static-input.ts'
import { type GeneratorStatus, generatorStatuses } from '../../domain/programmatic/statuses.ts'
import { twapPart, twapSchedule } from '../../domain/programmatic/twap.ts'
import { hexOf } from '../database/columns.ts'
import { isFilled } from '../order/status.ts'

/** The columns of a programmatic order's params. */
export interface ParamsRow {
  handler: Uint8Array
  salt: Uint8Array
  static_input: Uint8Array
}

export function paramsOf({ handler, salt, static_input }: ParamsRow): ConditionalOrderParams {
  return { handler: hexOf(handler), salt: hexOf(salt), staticInput: hexOf(static_input) }
}

/** The terms that the status of a programmatic order depends on; null where one is not known. */
export interface StoredSchedule {
  type: HandlerType
  partCount: number | null
  /** Unix seconds of the first part. */
  startsAt: number | null
  /** The last second of the last part. */
  endsAt: number | null
  /** Why it can never trade. */
  fault: string | null
}

const open = { partCount: null, startsAt: null, endsAt: null, fault: null }

/** @param context the word that the contract has stored for it; null while it is not read */
export function scheduleOf(
  chainId: number,
  params: ConditionalOrderParams,
  context: bigint | null,
): StoredSchedule {
  const decoded = decodeInput(chainId, params)
  const { type } = decoded
  if (decoded.type === 'TWAP') {
    if (!decoded.input) return { type, ...open, fault: decoded.decodeError }
    const { input } = decoded
    if (input.t0 === 0n && context === null) return { type, ...open }
    const schedule = twapSchedule(input, context ?? 0n)
    if ('fault' in schedule) return { type, ...open, fault: schedule.fault }
    const { start, parts, signableParts } = schedule
    if (start === 0) return { type, ...open, fault: 'after twap finish' }
    const end = twapPart(schedule, signableParts - 1)?.validTo ?? start - 1
    return { type, partCount: parts, startsAt: start, endsAt: end, fault: null }
  }
  const hasEnd = decoded.type === 'StopLoss' || decoded.type === 'CirclesBackingOrder'
  if (hasEnd && decoded.input) return { type, ...open, partCount: 1, endsAt: decoded.input.validTo }
  return { type, ...open }
}

/** SQL condition: a row has the key of programmatic order `g`. */
export const isOf = (row: string) =>
  `${row}.chain_id = g.chain_id AND ${row}.owner = g.owner AND ${row}.hash = g.hash`

/** SQL for the orders `o` that are parts of programmatic order `g`, by their signatures. */
export const partsOfOrder = `programmatic_parts pp JOIN orders o ON o.id = pp.order_id WHERE ${isOf('pp')}`

/** SQL for the account behind the owner of programmatic order `g`. */
export const accountBehind = `coalesce((SELECT sh.account FROM sheds sh WHERE sh.chain_id = g.chain_id AND sh.shed = g.owner
  ORDER BY sh.block_number, sh.log_index LIMIT 1), g.owner)`

/** SQL for the sum of a column over the orders of programmatic order `g`. */
export const executedOf = (column: string) => `(SELECT coalesce(sum(o.${column}), 0) FROM ${partsOfOrder})`

/** SQL for the number of orders of programmatic order `g` that are filled. */
export const filledParts = `(SELECT count(*) FROM ${partsOfOrder} AND ${isFilled})`

/** The domain's names. */
export const generatorStatusNames = Object.fromEntries(
  generatorStatuses.map((status) => [status, status]),
) as Record<GeneratorStatus, GeneratorStatus>

/**
 * `generatorState` of the domain in SQL, over the columns of programmatic order `g`, with the caller's
 * `names`; a test holds the two equal. The arithmetic of a TWAP is stronger than its last poll.
 * @param now an expression for Unix seconds
 */
export function programmaticStatusSql(now: string, names: Record<GeneratorStatus, string>): string {
  return `(CASE
    WHEN g.removed_block IS NOT NULL THEN '${names.cancelled}'
    WHEN g.fault IS NOT NULL THEN '${names.invalid}'
    WHEN g.starts_at > ${now} THEN '${names.scheduled}'
    WHEN g.part_count <= ${filledParts} THEN '${names.filled}'
    WHEN g.ends_at < ${now} THEN CASE WHEN ${filledParts} > 0 THEN '${names.partlyFilled}' ELSE '${names.expired}' END
    WHEN g.poll_result = 'ended' AND g.type <> 'TWAP' THEN '${names.ended}'
    ELSE '${names.active}' END)`
}

/**
 * SQL condition over the columns of programmatic order `g` that holds for all with one of these statuses, so
 * that the orders of others are not read.
 * @param now an expression for Unix seconds
 */
export function mayHaveStatus(now: string, statuses: readonly GeneratorStatus[]): string {
  const isLive = 'g.removed_block IS NULL AND g.fault IS NULL'
  const conditions: Record<GeneratorStatus, string> = {
    cancelled: 'g.removed_block IS NOT NULL',
    invalid: 'g.removed_block IS NULL AND g.fault IS NOT NULL',
    scheduled: `${isLive} AND g.starts_at > ${now}`,
    filled: `${isLive} AND g.part_count IS NOT NULL`,
    partlyFilled: `${isLive} AND g.ends_at < ${now}`,
    expired: `${isLive} AND g.ends_at < ${now}`,
    ended: `${isLive} AND g.poll_result = 'ended' AND g.type <> 'TWAP'`,
    active: `${isLive} AND (g.ends_at IS NULL OR g.ends_at >= ${now})`,
  }
  return `(${[...new Set(statuses)].map((status) => `(${conditions[status]})`).join(' OR ') || 'false'})`
}
