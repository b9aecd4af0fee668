import { type OrderStatus, orderStatuses } from '../domain/order-status.ts'
import { Prisma } from './generated/client.ts'

const fulfilled = `(CASE o.kind WHEN 'buy' THEN o.executed_buy > 0 AND o.executed_buy = o.buy_amount
  ELSE o.executed_sell > 0 AND o.executed_sell - o.executed_signed_fee = o.sell_amount END)`

/** Order `o` is neither cancelled nor filled; whether its time has passed is another question. */
export const isUnfinished = `(o.cancelled_at IS NULL AND NOT o.invalidated AND CASE o.kind WHEN 'buy' THEN o.executed_buy < o.buy_amount
  ELSE o.executed_sell - o.executed_signed_fee < o.sell_amount END)`

/**
 * `orderStatus` of the domain in SQL, over the columns of order `o` and in the words of whoever asks; a test holds the two equal.
 * @param now an expression for Unix seconds
 */
export function statusCase(now: string, words: Record<OrderStatus, string>): string {
  return `(CASE
    WHEN ${fulfilled} THEN '${words.fulfilled}'
    WHEN o.cancelled_at IS NOT NULL OR o.invalidated THEN '${words.cancelled}'
    WHEN o.effective_valid_to < ${now} THEN '${words.expired}'
    WHEN o.signing_scheme = 'presign' AND NOT o.presigned THEN '${words.presignaturePending}'
    ELSE '${words.open}' END)`
}

/** The service's own words. */
export const statusWords = Object.fromEntries(orderStatuses.map((status) => [status, status])) as Record<
  OrderStatus,
  OrderStatus
>

/** The status at `now`, in Unix seconds. */
export function statusSql(now: number): Prisma.Sql {
  const [before = '', after = ''] = statusCase('?', statusWords).split('?')
  return Prisma.sql`${Prisma.raw(before)}${now}${Prisma.raw(after)}`
}

/** Condition for one status; those of live orders carry an index range on the expiry. */
export function hasStatusSql(status: OrderStatus, now: number): Prisma.Sql {
  const live = status === 'open' || status === 'presignaturePending'
  const range = live ? Prisma.sql`o.effective_valid_to >= ${now} AND` : Prisma.empty
  return Prisma.sql`(${range} ${statusSql(now)} = ${status})`
}
