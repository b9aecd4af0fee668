import type { Address } from '../../domain/evm/address.ts'
import { type OrderClass, type OrderKind, orderKinds } from '../../domain/order/order.ts'
import { type OrderStatus, orderStatuses } from '../../domain/order/status.ts'
import { bytea, raw } from '../database/columns.ts'
import { feedScan, placeFaults, placeKey } from '../feeds/book.ts'
import { Prisma } from '../generated/client.ts'
import type { PageSource } from '../query/model.ts'
import type { PageKey } from '../query/page-key.ts'
import { hasStatusSql, recordedCodes, recordedStatus } from './status.ts'

/** Selects orders that meet every given condition. */
export interface OrderFilter {
  /** Each network is a range of its own: every index starts with the chain id. */
  chainIds: readonly number[]
  /** An address, or SQL for one. */
  owner?: Address | Prisma.Sql
  /** One or more. */
  statuses?: readonly OrderStatus[]
  pair?: { sellToken: Address; buyToken: Address }
  kind?: OrderKind
  class?: OrderClass
  appCode?: string
  createdFrom?: Date
  /** Not included. */
  createdUntil?: Date
}

/** Orders, newest first. */
export const ordersKey: PageKey = {
  letter: 'o',
  parts: [
    { sql: 'o.created_at', type: 'time' },
    { sql: 'o.id', type: 'number' },
  ],
  order: 'DESC',
}

/** Orders that one page scans for a condition that no index supports. */
export const scanLimit = 10_000

/** A block's time may be ahead of the clock, by less than the time of these many blocks. */
const blocksAhead = 64

const isRare = (orderClass: OrderClass) => orderClass !== 'limit'

/**
 * Orders as disjoint index ranges, `… o WHERE …` each, with the condition to check for each order. If one
 * index supports all conditions, a page reads only its rows. Otherwise it scans up to `scanLimit` orders, and
 * may end before it is full: the next page continues there.
 * @param now in Unix seconds
 */
export function orderRanges(filter: OrderFilter, now: number): PageSource {
  const source = ownedRanges(filter, now)
  return filter.owner
    ? { ...source, ranges: [...source.ranges, ...placedRanges(filter, filter.owner, now)] }
    : source
}

/** The feeds whose entries change an order. */
const changes = ['order_feed', 'trade_feed'] as const

/**
 * Orders after a place in the feeds, each once, in the order of their last changes.
 * @param filter without SQL for its owner
 */
export function changedOrders(filter: OrderFilter & { owner?: Address }, now: number): PageSource {
  const { chainIds, owner, statuses, pair, kind, appCode } = filter
  const conditions = [
    Prisma.sql`o.chain_id = ANY(${[...chainIds]}::int[])`,
    ...changes.map(
      (table) =>
        Prisma.sql`NOT EXISTS (SELECT FROM ${raw(table)} l WHERE l.order_id = o.id AND l.place > o.place)`,
    ),
    owner && Prisma.sql`(o.owner = ${bytea(owner)} OR o.onchain_user = ${bytea(owner)})`,
    pair && isPair(pair),
    appCode === undefined ? undefined : Prisma.sql`o.app_code = ${appCode}`,
    filter.class && Prisma.sql`o.class = ${filter.class}`,
    kind && Prisma.sql`o.kind = ${kind}`,
    statuses && hasStatusSql(statuses, now),
    ...boundsOf(filter),
  ].filter(isDefined)
  return {
    // The limit makes each a read by the primary key: the planner may join all orders instead.
    ranges: changes.map(
      (table) =>
        Prisma.sql`(SELECT co.*, f.place FROM ${raw(table)} f
          CROSS JOIN LATERAL (SELECT * FROM orders co WHERE co.id = f.order_id LIMIT 1) co) o WHERE true`,
    ),
    scan: { limit: feedScan, condition: Prisma.join(conditions, ' AND ') },
    ordered: { key: placeKey('o'), faults: placeFaults('book', 'trade') },
  }
}

const isPair = ({ sellToken, buyToken }: NonNullable<OrderFilter['pair']>) =>
  Prisma.sql`o.sell_token = ${bytea(sellToken)} AND o.buy_token = ${bytea(buyToken)}`

/** Orders that the owner of the filter placed for a contract to own: few, since each is a transaction. */
function placedRanges(filter: OrderFilter, user: Address | Prisma.Sql, now: number): Prisma.Sql[] {
  const { chainIds, statuses, kind } = filter
  const conditions = [
    Prisma.sql`o.onchain_user = ${typeof user === 'string' ? bytea(user) : user}`,
    ...boundsOf(filter),
    kind && Prisma.sql`o.kind = ${kind}`,
    statuses && hasStatusSql(statuses, now),
  ].filter(isDefined)
  return chainIds.map((id) => orders([onChain(id), ...conditions]))
}

function ownedRanges(filter: OrderFilter, now: number): PageSource {
  const { chainIds, owner, statuses, pair, kind, appCode } = filter
  const byOwner = owner && Prisma.sql`o.owner = ${typeof owner === 'string' ? bytea(owner) : owner}`
  const byPair = pair && isPair(pair)
  const byApp = appCode === undefined ? undefined : Prisma.sql`o.app_code = ${appCode}`
  const byClass = filter.class && Prisma.sql`o.class = ${filter.class}`
  const isRareClass = filter.class !== undefined && isRare(filter.class)
  const rareClass = isRareClass ? Prisma.sql`${byClass} AND o.class <> 'limit'` : undefined
  const leadCondition = byOwner ?? byPair ?? byApp ?? rareClass
  const bounds = [leadCondition, ...boundsOf(filter)].filter(isDefined)

  const otherConditions = [byPair, byApp, rareClass ?? byClass]
    .filter(isDefined)
    .filter((condition) => condition !== leadCondition)
  const hasStatusIndex = leadCondition === byOwner
  if (hasStatusIndex && (statuses || kind)) {
    return withScan(
      chainIds.flatMap((id) => statusRanges(filter, id, bounds, now)),
      otherConditions,
    )
  }
  const byKind = kind && Prisma.sql`o.kind = ${kind}`
  const byStatus = statuses && hasStatusSql(statuses, now)
  return withScan(
    chainIds.map((id) => orders([onChain(id), ...bounds])),
    [...otherConditions, byKind, byStatus].filter(isDefined),
  )
}

function withScan(ranges: readonly Prisma.Sql[], conditions: readonly Prisma.Sql[]): PageSource {
  return conditions.length === 0
    ? { ranges }
    : { ranges, scan: { limit: scanLimit, condition: Prisma.join([...conditions], ' AND ') } }
}

function boundsOf({ createdFrom, createdUntil }: OrderFilter): Prisma.Sql[] {
  return [
    createdFrom && Prisma.sql`o.created_at >= ${createdFrom}`,
    createdUntil && Prisma.sql`o.created_at < ${createdUntil}`,
  ].filter(isDefined)
}

/**
 * One range for each recorded status and kind. Orders that have expired by the clock but not by the last
 * block, or the reverse, have ranges of their own: they are few as long as the indexer follows the chain.
 */
function statusRanges(
  { statuses, kind }: OrderFilter,
  chainId: number,
  bounds: readonly Prisma.Sql[],
  now: number,
): Prisma.Sql[] {
  const kinds = kind ? [kind] : orderKinds
  const isKind = kind ? [Prisma.sql`o.kind = ${kind}`] : []
  const recorded = (statuses ?? orderStatuses).flatMap((status) =>
    kinds.map((each) =>
      orders([
        onChain(chainId),
        Prisma.sql`${raw(recordedStatus)} = ${recordedCodes[status]} AND o.kind = ${each}`,
        ...(statuses ? stillHas(status, now) : []),
        ...bounds,
      ]),
    ),
  )
  if (!statuses) return recorded
  const conditions = [
    Prisma.sql`${raw(recordedStatus)} NOT IN ('f', 'c')`,
    ...isKind,
    hasStatusSql(statuses, now),
    ...bounds,
  ]
  const isLive = statuses.some((status) => status === 'open' || status === 'presignaturePending')
  return [
    ...recorded,
    ...(statuses.includes('expired') ? [filterRange(expiredByClock(chainId, now), conditions)] : []),
    ...(isLive ? [filterRange(expiredByBlock(chainId, now), conditions)] : []),
  ]
}

/**
 * Expired by the clock, not by the last block. `expired_at_block` is null here; it is in ORDER BY to match
 * the index.
 */
function expiredByClock(chainId: number, now: number): Prisma.Sql {
  return Prisma.sql`o.chain_id = ${chainId} AND o.expired_at_block IS NULL AND o.effective_valid_to < ${now}
    ORDER BY o.expired_at_block, o.effective_valid_to`
}

/** Expired by one of the last blocks, not by the clock. */
function expiredByBlock(chainId: number, now: number): Prisma.Sql {
  return Prisma.sql`o.chain_id = ${chainId} AND o.effective_valid_to >= ${now} AND o.expired_at_block >
      (SELECT c.block_number - ${blocksAhead} FROM checkpoints c WHERE c.chain_id = ${chainId})
    ORDER BY o.expired_at_block DESC, o.effective_valid_to DESC`
}

/**
 * Reads `range` first, in the order of its index: the planner overestimates it, and would scan all orders
 * instead. The limit does not cut rows off as long as the indexer is fewer expiries behind.
 */
function filterRange(range: Prisma.Sql, conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.sql`(SELECT o.* FROM orders o WHERE ${range} LIMIT ${raw(String(scanLimit))}) o WHERE ${Prisma.join([...conditions], ' AND ')}`
}

/** Condition for orders with this recorded status to have it now too. */
function stillHas(status: OrderStatus, now: number): Prisma.Sql[] {
  if (status === 'fulfilled' || status === 'cancelled') return []
  return [
    status === 'expired'
      ? Prisma.sql`o.effective_valid_to < ${now}`
      : Prisma.sql`o.effective_valid_to >= ${now}`,
  ]
}

function onChain(chainId: number): Prisma.Sql {
  return Prisma.sql`o.chain_id = ${chainId}`
}

function orders(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.sql`orders o WHERE ${Prisma.join([...conditions], ' AND ')}`
}

function isDefined<T>(value: T | undefined): value is T {
  return value !== undefined
}
