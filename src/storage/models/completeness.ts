import type { Address } from '../../domain/evm/address.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { bytea, raw } from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'
import { isBehind } from '../order/mirror.ts'
import { now } from '../query/selection.ts'

/** The age, in seconds, from which the newest orders of an account have to be read again. */
const freshSeconds = 90

/** The user has a coin order of which a trade is missing: the contract owns it, so that no history has it. */
const lacksPlaced = (account: string) =>
  `EXISTS (SELECT FROM orders o JOIN mirrored_orders m ON m.order_id = o.id
    WHERE o.onchain_user = ${account} AND o.chain_id = ob.chain_id AND ${isBehind})`

/** A trade names an order that is still to be read. */
const lacksTraded = (account: string) =>
  `EXISTS (SELECT FROM trades lt WHERE lt.chain_id = ob.chain_id AND lt.owner = ${account} AND lt.order_id IS NULL
    AND NOT EXISTS (SELECT FROM missing_orders lm WHERE lm.chain_id = lt.chain_id AND lm.uid = lt.order_uid))`

/** Conditions in SQL: an account's list lacks rows, by its row `h` for order book `ob`. */
const lacks = {
  orders: (account: string) => `h.listed_to IS NULL OR h.list_offset IS NOT NULL OR h.read_at IS NULL
    OR h.read_at < to_timestamp(${now} - ${freshSeconds}) OR ${lacksTraded(account)}`,
  trades: (account: string) => `h.unread_to >= 0 OR h.listed_to IS NULL OR ${lacksPlaced(account)}`,
}

/**
 * SQL condition: the list of an account has all of its items, on networks that follow an order book too.
 * @param account an address, or SQL for one
 */
export function isListComplete(
  list: keyof typeof lacks,
  account: Address | string,
  chainIds: readonly number[] | string,
): Prisma.Sql {
  const isSql = !/^0x[0-9a-f]{40}$/.test(account)
  const chains =
    typeof chainIds === 'string' ? raw(`= ${chainIds}`) : Prisma.sql`= ANY(${[...chainIds]}::int[])`
  return Prisma.sql`NOT EXISTS (SELECT FROM order_books ob
    CROSS JOIN LATERAL (SELECT ${isSql ? raw(account) : Prisma.sql`${bytea(account as Address)}::bytea`} AS account) la
    LEFT JOIN account_histories h ON h.chain_id = ob.chain_id AND h.account = la.account
    WHERE ob.chain_id ${chains} AND (h.account IS NULL OR ${raw(lacks[list]('la.account'))}))`
}

/** SQL for the seconds since the newest orders of an account were read, as text; null if they never were. */
export const listAge = (account: Address, chainId: number): Prisma.Sql =>
  Prisma.sql`(SELECT greatest(0, ${raw(now)} - ceil(extract(epoch FROM h.read_at))::bigint)::text
    FROM account_histories h WHERE h.chain_id = ${chainId} AND h.account = ${bytea(account)})`

/** SQL condition: the trades of order `o` are all that its order book reports. */
export const areTradesComplete = `NOT EXISTS (SELECT FROM mirrored_orders m WHERE m.order_id = o.id AND ${isBehind})`

/** The same for an order by its UID. */
export const areTradesOfComplete = (uid: OrderUid): Prisma.Sql =>
  Prisma.sql`NOT EXISTS (SELECT FROM orders o WHERE o.uid = ${bytea(uid)} AND NOT ${raw(areTradesComplete)})`

/** SQL condition: there is a row. No EXISTS: the planner may hash the whole table for one. */
export const isAny = (rows: string) => `((SELECT true FROM ${rows} LIMIT 1) IS NOT NULL)`

/** SQL condition: the network of a row follows an order book. */
export const isFollowed = (chainId: string) =>
  `EXISTS (SELECT FROM order_books fb WHERE fb.chain_id = ${chainId})`

/** SQL condition: no auction that may have held order `o` was removed by its age, or was held elsewhere. */
export const areAuctionsComplete = `NOT ${isFollowed('o.chain_id')} AND NOT EXISTS (SELECT FROM retention_marks rm
  WHERE rm.name = 'competitions:' || o.chain_id AND o.created_at < coalesce((SELECT na.created_at FROM auctions na
    WHERE na.chain_id = o.chain_id AND na.id > rm.place ORDER BY na.id LIMIT 1), 'infinity'))`

/** Rows that are removed by their age, or their number, alone. */
export type AgedRows = 'refused_solutions' | 'market_prices'

/** SQL that leaves the time of the newest of the rows `removed`: lists from before it are not complete. */
export const leaveTime = (rows: AgedRows) => `INSERT INTO retention_marks (name, place)
  SELECT '${rows}', ceil(extract(epoch FROM max(at)) * 1000)::bigint FROM removed HAVING count(*) > 0
  ON CONFLICT (name) DO UPDATE SET place = greatest(retention_marks.place, excluded.place)`

/** SQL condition: no such row of this time or later was removed by its age. */
export const isNoneRemoved = (rows: AgedRows, time: string) =>
  `NOT EXISTS (SELECT FROM retention_marks rm WHERE rm.name = '${rows}' AND to_timestamp(rm.place / 1000.0) >= ${time})`

/** SQL for the members whose conditions hold, as text; null for none. */
export const membersWhere = (conditions: Readonly<Record<string, string>>) =>
  `nullif(concat_ws(', ', ${Object.entries(conditions)
    .map(([member, condition]) => `CASE WHEN ${condition} THEN '${member}' END`)
    .join(', ')}), '')`

/** SQL condition: these networks follow no order book, and none of their auctions was removed by its age. */
export const areAllAuctionsKept = (chainIds: readonly number[]): Prisma.Sql =>
  Prisma.sql`${isOwnBook(chainIds)} AND NOT EXISTS (SELECT FROM retention_marks rm
    WHERE rm.name = ANY(${chainIds.map((id) => `competitions:${id}`)}::text[]))`

/** SQL condition: no block before the indexed ones is still to be read for programmatic orders. */
export const areProgrammaticOrdersComplete = (chainIds: readonly number[] | string): Prisma.Sql =>
  Prisma.sql`NOT EXISTS (SELECT FROM programmatic_histories ph WHERE ph.next_block <= ph.last_block
    AND ph.chain_id ${typeof chainIds === 'string' ? raw(`= ${chainIds}`) : Prisma.sql`= ANY(${[...chainIds]}::int[])`})`

/** SQL condition: none of these networks follows an order book, of which only a part is here. */
export const isOwnBook = (chainIds: readonly number[]): Prisma.Sql =>
  Prisma.sql`NOT EXISTS (SELECT FROM order_books ob WHERE ob.chain_id = ANY(${[...chainIds]}::int[]))`
