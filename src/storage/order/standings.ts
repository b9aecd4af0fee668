import type { Address } from '../../domain/evm/address.ts'
import { type Failing, type StandingReason, standingReasons } from '../../domain/order/event.ts'
import type { Order } from '../../domain/order/order.ts'
import { nullableBytea, numeric, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { isUnfinished } from './status.ts'

/** The place of an order in its network's auctions. */
export interface OrderStanding {
  orderId: bigint
  /** Null while auctions hold the order. */
  reason: string | null
  /** Parts per million; see the columns. */
  marketGap: bigint | null
  feeShare: bigint | null
  /** Sell atoms. */
  missing: bigint | null
  /** Row key of an order. */
  fundsTakenBy: bigint | null
  policyShare: bigint | null
  /** Funds of the account, in sell atoms. */
  held: { balance: bigint; allowance: bigint } | null
  revert: string | null
  failing: Failing | null
  unpriced: readonly Address[]
  /** Result of the router in sell and buy atoms, and its block. */
  routed: { block: number; price: { sell: bigint; buy: bigint } | null } | null
  /** The best price that this process found; a better stored one stays. */
  best: { sell: bigint; buy: bigint; block: number; at: number } | null
}

/** Why no auction held these orders when one was built last; without those that auctions held. */
export async function standingReasonsOf(
  db: Db,
  ids: readonly bigint[],
): Promise<Map<bigint, StandingReason>> {
  if (ids.length === 0) return new Map()
  const rows = await sql(db).orderStanding.findMany({
    where: { orderId: { in: [...ids] } },
    select: { orderId: true, reason: true },
  })
  const known = (reason: string | null) => standingReasons.find((each) => each === reason)
  return new Map(
    rows.flatMap(({ orderId, reason }) => {
      const found = known(reason)
      return found ? [[orderId, found]] : []
    }),
  )
}

/** An order as an auction read it; without amounts if it was not read. */
export type OrderAsRead = Pick<Order, 'id'> & Partial<Pick<Order, 'executedSellAmount' | 'executedBuyAmount'>>

/**
 * Orders that have not ended and were not traded since an auction read them: its findings about others are
 * out of date. The caller holds the orders' locks. In SQL: whether an order is unfinished is computed.
 * @param now Unix seconds
 * @returns row keys
 */
export async function unmovedOrders(
  tx: Tx,
  orders: readonly OrderAsRead[],
  now: number,
): Promise<Set<bigint>> {
  const amounts = (key: 'executedSellAmount' | 'executedBuyAmount') =>
    orders.map(({ [key]: amount }) => (amount === undefined ? null : numeric(amount)))
  const rows = await sql(tx).$queryRaw<{ id: bigint }[]>`
    SELECT o.id FROM unnest(${orders.map(({ id }) => id)}::bigint[], ${amounts('executedSellAmount')}::numeric[],
      ${amounts('executedBuyAmount')}::numeric[]) AS n(id, sell, buy) JOIN orders o USING (id)
    WHERE o.executed_sell = coalesce(n.sell, o.executed_sell) AND o.executed_buy = coalesce(n.buy, o.executed_buy)
      AND o.effective_valid_to >= ${now} AND o.expired_at_block IS NULL AND ${raw(isUnfinished)}`
  return new Set(rows.map(({ id }) => id))
}

/**
 * `since` moves when the reason changes. The orders are `unmovedOrders`. In SQL: one statement that compares
 * and writes.
 */
export async function writeStandings(
  tx: Tx,
  chainId: number,
  standings: readonly OrderStanding[],
  at: Date,
): Promise<void> {
  await sql(tx).$executeRaw`
    INSERT INTO order_standings AS s (order_id, chain_id, reason, since, updated_at, market_gap, fee_share, policy_share, missing,
      funds_taken_by, balance, allowance, revert, unpriced, routed_sell, routed_buy, routed_block, best_sell, best_buy, best_block, best_at,
      failing_token, failing_pool)
    SELECT n.order_id, ${chainId}::int, n.reason, ${at}::timestamptz, ${at}::timestamptz, n.market_gap, n.fee_share, n.policy_share,
      n.missing, n.taken_by, n.balance, n.allowance, n.revert,
      ARRAY(SELECT decode(substr(u, 3), 'hex') FROM unnest(string_to_array(n.unpriced, ',')) AS u),
      n.routed_sell, n.routed_buy, n.routed_block, n.best_sell, n.best_buy, n.best_block, to_timestamp(n.best_at),
      n.failing_token, n.failing_pool
    FROM unnest(${standings.map(({ orderId }) => orderId)}::bigint[], ${standings.map(({ reason }) => reason)}::text[],
      ${standings.map(({ marketGap }) => marketGap)}::bigint[], ${standings.map(({ feeShare }) => feeShare)}::bigint[],
      ${standings.map(({ missing }) => missing && numeric(missing))}::numeric[],
      ${standings.map(({ fundsTakenBy }) => fundsTakenBy)}::bigint[],
      ${standings.map(({ routed }) => routed?.price && numeric(routed.price.sell))}::numeric[],
      ${standings.map(({ routed }) => routed?.price && numeric(routed.price.buy))}::numeric[],
      ${standings.map(({ routed }) => routed && BigInt(routed.block))}::bigint[],
      ${standings.map(({ policyShare }) => policyShare)}::bigint[],
      ${standings.map(({ held }) => held && numeric(held.balance))}::numeric[],
      ${standings.map(({ held }) => held && numeric(held.allowance))}::numeric[],
      ${standings.map(({ revert }) => revert)}::text[], ${standings.map(({ unpriced }) => unpriced.join())}::text[],
      ${standings.map(({ best }) => best && numeric(best.sell))}::numeric[],
      ${standings.map(({ best }) => best && numeric(best.buy))}::numeric[],
      ${standings.map(({ best }) => best && BigInt(best.block))}::bigint[],
      ${standings.map(({ best }) => best && best.at / 1_000)}::float8[],
      ${standings.map(({ failing }) => addressOf(failing, 'token'))}::bytea[],
      ${standings.map(({ failing }) => addressOf(failing, 'pool'))}::bytea[])
      AS n(order_id, reason, market_gap, fee_share, missing, taken_by, routed_sell, routed_buy, routed_block, policy_share, balance,
        allowance, revert, unpriced, best_sell, best_buy, best_block, best_at, failing_token, failing_pool)
    ON CONFLICT (order_id) DO UPDATE SET reason = EXCLUDED.reason, updated_at = EXCLUDED.updated_at,
      since = CASE WHEN s.reason IS DISTINCT FROM EXCLUDED.reason THEN EXCLUDED.since ELSE s.since END,
      (market_gap, fee_share, policy_share, missing, funds_taken_by, balance, allowance, revert, unpriced, routed_sell, routed_buy,
        routed_block, failing_token, failing_pool) = (EXCLUDED.market_gap, EXCLUDED.fee_share, EXCLUDED.policy_share, EXCLUDED.missing, EXCLUDED.funds_taken_by,
        EXCLUDED.balance, EXCLUDED.allowance, EXCLUDED.revert, EXCLUDED.unpriced, EXCLUDED.routed_sell, EXCLUDED.routed_buy,
        EXCLUDED.routed_block, EXCLUDED.failing_token, EXCLUDED.failing_pool),
      (best_sell, best_buy, best_block, best_at) = (SELECT b.sell, b.buy, b.block, b.at FROM (VALUES
        (EXCLUDED.best_sell, EXCLUDED.best_buy, EXCLUDED.best_block, EXCLUDED.best_at), (s.best_sell, s.best_buy, s.best_block, s.best_at))
        AS b(sell, buy, block, at) ORDER BY b.buy / nullif(b.sell, 0) DESC NULLS LAST, b.at LIMIT 1)`
}

function addressOf(failing: Failing | null, kind: Failing['kind']) {
  return nullableBytea(failing?.kind === kind ? failing.address : null)
}

export async function deleteStandings(db: Db, orderIds: readonly bigint[]): Promise<void> {
  if (orderIds.length > 0)
    await sql(db).orderStanding.deleteMany({ where: { orderId: { in: [...orderIds] } } })
}

/**
 * Deletes standings of orders that were filled or cancelled while no process ran auctions. In SQL: whether an
 * order is unfinished is computed.
 */
export async function deleteEndedStandings(db: Db, chainId: number): Promise<void> {
  await sql(db).$executeRaw`
    DELETE FROM order_standings s USING orders o
    WHERE s.chain_id = ${chainId} AND o.id = s.order_id AND NOT ${raw(isUnfinished)}`
}

/** The finding of an auction about an order's missing funds. */
interface ShortageState {
  orderId: bigint
  isShort: boolean
}

export interface MovedShortages {
  /** The number of the episode that begins, by the row keys of orders whose owners are to be notified. */
  begun: Map<bigint, number>
  /**
   * Row keys of orders whose funds are missing, and whose last notification is too recent for a further one.
   */
  waiting: Set<bigint>
}

const maxShortagePauseMs = 7 * 24 * 3_600_000

/**
 * Begins and ends episodes of missing funds, of orders that have a standing. An episode begins when
 * `pauseMs`, doubled by each earlier episode up to a week, have passed since the last one of the order began:
 * an owner whose funds come and go stores few notifications. The caller holds the orders' locks. In SQL: rows
 * are compared and written at once.
 */
export async function moveShortages(
  tx: Tx,
  states: readonly ShortageState[],
  at: Date,
  pauseMs: number,
): Promise<MovedShortages> {
  const rows = await sql(tx).$queryRaw<{ id: bigint; episode: number | null }[]>`
    WITH given AS (
      SELECT s.order_id, n.is_short, s.shortages + 1 AS episode, n.is_short AND (s.short_at IS NULL OR s.short_at <= ${at}::timestamptz
        - least(${pauseMs}::float8 * 2 ^ least(greatest(s.shortages, 1) - 1, 20), ${maxShortagePauseMs}) * interval '1 ms') AS begins
      FROM unnest(${states.map(({ orderId }) => orderId)}::bigint[], ${states.map(({ isShort }) => isShort)}::bool[])
        AS n(order_id, is_short) JOIN order_standings s ON s.order_id = n.order_id AND s.is_short <> n.is_short
    ), moved AS (
      UPDATE order_standings s SET is_short = g.is_short, short_at = CASE WHEN g.begins THEN ${at} ELSE s.short_at END,
        shortages = s.shortages + g.begins::int
      FROM given g WHERE s.order_id = g.order_id AND (g.begins OR NOT g.is_short)
    )
    SELECT order_id AS id, CASE WHEN begins THEN episode END AS episode FROM given WHERE is_short`
  return {
    begun: new Map(rows.flatMap(({ id, episode }) => (episode === null ? [] : [[id, episode] as const]))),
    waiting: new Set(rows.flatMap(({ id, episode }) => (episode === null ? [id] : []))),
  }
}
