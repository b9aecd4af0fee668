import type { Address } from '../../domain/evm/address.ts'
import { type OrderClass, type OrderKind, orderKinds } from '../../domain/order/order.ts'
import { type OrderStatus, orderStatuses } from '../../domain/order/status.ts'
import { bytea, raw } from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'
import type { PageSource } from '../query/page-source.ts'
import { hasStatusSql, recordedCodes, recordedStatus } from './status.ts'

/** Orders that meet every condition given. */
export interface OrderFilter {
  /** The networks to look on: every index of a list holds them apart. */
  chainIds: readonly number[]
  /** An address, or SQL for one. */
  owner?: Address | Prisma.Sql
  /** At least one. */
  statuses?: readonly OrderStatus[]
  pair?: { sellToken: Address; buyToken: Address }
  kind?: OrderKind
  class?: OrderClass
  appCode?: string
  createdFrom?: Date
  /** Not included. */
  createdUntil?: Date
}

/** Orders that are looked at, in one page, for what no index holds. */
export const lookLimit = 10_000

/** A block's time may be ahead of the clock: by less than these blocks take. */
const blocksAhead = 64

const isRare = (orderClass: OrderClass) => orderClass !== 'limit'

/**
 * Orders as ranges of indexes, `FROM … o WHERE …` each and no order in two of them, and what has to be asked of each order beside.
 * Where one index has all conditions, a page reads what it shows. Otherwise it looks at `lookLimit` orders at most, and may end
 * before it is full: the next one goes on from there.
 * @param now in Unix seconds
 */
export function orderRanges(filter: OrderFilter, now: number): PageSource {
  const { chainIds, owner, statuses, pair, kind, appCode } = filter
  const byOwner = owner && Prisma.sql`o.owner = ${typeof owner === 'string' ? bytea(owner) : owner}`
  const byPair =
    pair && Prisma.sql`o.sell_token = ${bytea(pair.sellToken)} AND o.buy_token = ${bytea(pair.buyToken)}`
  const byApp = appCode === undefined ? undefined : Prisma.sql`o.app_code = ${appCode}`
  const byClass = filter.class && Prisma.sql`o.class = ${filter.class}`
  const isRareClass = filter.class !== undefined && isRare(filter.class)
  const rareClass = isRareClass ? Prisma.sql`${byClass} AND o.class <> 'limit'` : undefined
  const lead = byOwner ?? byPair ?? byApp ?? rareClass
  const bounds = [lead, ...boundsOf(filter)].filter(isGiven)

  const others = [byPair, byApp, rareClass ?? byClass].filter(isGiven).filter((item) => item !== lead)
  const hasStatusIndex = lead === byOwner
  if (hasStatusIndex && (statuses || kind)) {
    return withLook(
      chainIds.flatMap((id) => statusRanges(filter, id, bounds, now)),
      others,
    )
  }
  const byKind = kind && Prisma.sql`o.kind = ${kind}`
  const byStatus = statuses && hasStatusSql(statuses, now)
  return withLook(
    chainIds.map((id) => orders([onChain(id), ...bounds])),
    [...others, byKind, byStatus].filter(isGiven),
  )
}

function withLook(ranges: readonly Prisma.Sql[], rest: readonly Prisma.Sql[]): PageSource {
  return rest.length === 0
    ? { ranges }
    : { ranges, look: { limit: lookLimit, rest: Prisma.join([...rest], ' AND ') } }
}

function boundsOf({ createdFrom, createdUntil }: OrderFilter): Prisma.Sql[] {
  return [
    createdFrom && Prisma.sql`o.created_at >= ${createdFrom}`,
    createdUntil && Prisma.sql`o.created_at < ${createdUntil}`,
  ].filter(isGiven)
}

/**
 * One range for each recorded status and kind. Where the clock and the last block see an order's time differently, the order is
 * found by that: those are few, as long as the indexer follows.
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
        ...(statuses ? stillStands(status, now) : []),
        ...bounds,
      ]),
    ),
  )
  if (!statuses) return recorded
  const wanted = [
    Prisma.sql`${raw(recordedStatus)} NOT IN ('f', 'c')`,
    ...isKind,
    hasStatusSql(statuses, now),
    ...bounds,
  ]
  const isLive = statuses.some((status) => status === 'open' || status === 'presignaturePending')
  return [
    ...recorded,
    ...(statuses.includes('expired') ? [among(lapsed(chainId, now), wanted)] : []),
    ...(isLive ? [among(early(chainId, now), wanted)] : []),
  ]
}

/** Expired by the clock, not by the last block. They have no block: it is there for the index that has this order. */
function lapsed(chainId: number, now: number): Prisma.Sql {
  return Prisma.sql`o.chain_id = ${chainId} AND o.expired_at_block IS NULL AND o.effective_valid_to < ${now}
    ORDER BY o.expired_at_block, o.effective_valid_to`
}

/** Expired by one of the last blocks, not by the clock. */
function early(chainId: number, now: number): Prisma.Sql {
  return Prisma.sql`o.chain_id = ${chainId} AND o.effective_valid_to >= ${now} AND o.expired_at_block >
      (SELECT c.block_number - ${blocksAhead} FROM checkpoints c WHERE c.chain_id = ${chainId})
    ORDER BY o.expired_at_block DESC, o.effective_valid_to DESC`
}

/**
 * What is inside is found first, in the order of its own index: the planner takes it for many, and would walk all orders for them.
 * The limit is never met while the indexer is less than so many expiries behind.
 */
function among(inside: Prisma.Sql, conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.sql`(SELECT o.* FROM orders o WHERE ${inside} LIMIT ${raw(String(lookLimit))}) o WHERE ${Prisma.join([...conditions], ' AND ')}`
}

/** Of orders recorded with a status, those that have it now. */
function stillStands(status: OrderStatus, now: number): Prisma.Sql[] {
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

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined
}
