import { hasEnded, type OrderStatus, orderStatuses } from '../../domain/order/status.ts'
import { Prisma } from '../generated/client.ts'

/** SQL condition: order `o` is filled. */
export const isFilled = `(CASE o.kind WHEN 'buy' THEN o.executed_buy > 0 AND o.executed_buy = o.buy_amount
  ELSE o.executed_sell > 0 AND o.executed_sell - o.executed_signed_fee = o.sell_amount END)`

/** SQL condition: order `o` is neither cancelled nor filled. It may have expired. */
export const isUnfinished = `(o.cancelled_at IS NULL AND NOT o.invalidated AND CASE o.kind WHEN 'buy' THEN o.executed_buy < o.buy_amount
  ELSE o.executed_sell - o.executed_signed_fee < o.sell_amount END)`

/**
 * `orderStatus` of the domain in SQL, over the columns of order `o`, with the caller's `names`; a test holds
 * the two equal.
 * @param now an expression for Unix seconds
 */
export function statusCase(now: string, names: Record<OrderStatus, string>): string {
  return caseOf(`o.effective_valid_to < ${now}`, names)
}

function caseOf(isExpired: string, names: Record<OrderStatus, string>): string {
  return `(CASE
    WHEN ${isFilled} THEN '${names.fulfilled}'
    WHEN o.cancelled_at IS NOT NULL OR o.invalidated THEN '${names.cancelled}'
    WHEN ${isExpired} THEN '${names.expired}'
    WHEN o.signing_scheme = 'presign' AND NOT o.presigned THEN '${names.presignaturePending}'
    ELSE '${names.open}' END)`
}

/** SQL condition: order `o` can't be traded any more. @param now an expression for Unix seconds */
export function orderHasEnded(now: string): string {
  const endedByStatus = Object.fromEntries(orderStatuses.map((status) => [status, `${hasEnded(status)}`]))
  return `${statusCase(now, endedByStatus as Record<OrderStatus, string>)}::bool`
}

/** One letter each, since every index entry contains one. */
export const recordedCodes: Record<OrderStatus, string> = {
  fulfilled: 'f',
  cancelled: 'c',
  expired: 'x',
  presignaturePending: 'p',
  open: 'o',
}

/**
 * The status as of the last applied block. It depends on columns only, so that an index can contain it. It
 * differs from the current status for orders that expired since, or whose block time is ahead of the clock.
 * Must equal the expression of two indexes literally.
 */
export const recordedStatus = caseOf('o.expired_at_block IS NOT NULL', recordedCodes)

/** The domain's names. */
export const statusNames = Object.fromEntries(orderStatuses.map((status) => [status, status])) as Record<
  OrderStatus,
  OrderStatus
>

/** The status at `now`, in Unix seconds. */
export function statusSql(now: number): Prisma.Sql {
  const [before = '', after = ''] = statusCase('?', statusNames).split('?')
  return Prisma.sql`${Prisma.raw(before)}${now}${Prisma.raw(after)}`
}

export function hasStatusSql(statuses: readonly OrderStatus[], now: number): Prisma.Sql {
  return Prisma.sql`${statusSql(now)} = ANY(${statuses})`
}
