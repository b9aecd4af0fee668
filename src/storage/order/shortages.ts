import { sql, type Tx } from '../database/database.ts'

/** Whether the funds of an order are missing, as an auction found. */
export interface ShortageState {
  orderId: bigint
  isShort: boolean
}

export interface MovedShortages {
  /** Row keys of orders whose owners are to be notified: an episode begins. */
  begun: Set<bigint>
  /** Row keys of orders whose funds are missing although the last notification is too recent for another one. */
  waiting: Set<bigint>
}

/**
 * Begins and ends episodes of missing funds, of orders that have a standing. An episode begins when `pauseMs` have passed since the last
 * one of the order began. The caller holds the orders' locks. In SQL: rows are compared and written at once.
 */
export async function moveShortages(
  tx: Tx,
  states: readonly ShortageState[],
  at: Date,
  pauseMs: number,
): Promise<MovedShortages> {
  const rows = await sql(tx).$queryRaw<{ id: bigint; begun: boolean }[]>`
    WITH given AS (
      SELECT s.order_id, n.is_short, n.is_short AND (s.short_at IS NULL OR s.short_at <= ${new Date(at.getTime() - pauseMs)}) AS begins
      FROM unnest(${states.map(({ orderId }) => orderId)}::bigint[], ${states.map(({ isShort }) => isShort)}::bool[])
        AS n(order_id, is_short) JOIN order_standings s ON s.order_id = n.order_id AND s.is_short <> n.is_short
    ), moved AS (
      UPDATE order_standings s SET is_short = g.is_short, short_at = CASE WHEN g.begins THEN ${at} ELSE s.short_at END
      FROM given g WHERE s.order_id = g.order_id AND (g.begins OR NOT g.is_short)
    )
    SELECT order_id AS id, begins AS begun FROM given WHERE is_short`
  const ids = (begun: boolean) => new Set(rows.filter((row) => row.begun === begun).map(({ id }) => id))
  return { begun: ids(true), waiting: ids(false) }
}
