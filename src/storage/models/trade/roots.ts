import type { Address } from '../../../domain/evm/address.ts'
import type { OrderUid } from '../../../domain/order/uid.ts'
import { bytea } from '../../database/columns.ts'
import { Prisma } from '../../generated/client.ts'
import type { Relation } from '../../query/model.ts'
import type { PageSource } from '../../query/page-source.ts'
import { trade, tradesKey } from './trade.ts'

export type TradeFilter = { owner: Address } | { orderUid: OrderUid }

/** Trades of orders that the service stores, one index range for each network. */
export function tradeRanges(
  filters: (chainId: number) => readonly Prisma.Sql[],
  chainIds: readonly number[],
): PageSource {
  return {
    ranges: chainIds.flatMap((chainId) => filters(chainId).map((filter) => tradesWhere(filter, chainId))),
  }
}

const tradesWhere = (filter: Prisma.Sql, chainId: number) =>
  Prisma.sql`trades tr WHERE ${filter} AND tr.chain_id = ${chainId} AND tr.order_id IS NOT NULL`

/** Trades of orders that the account owns, and of those that it placed for a contract to own. */
export const tradesOfAccount =
  (account: Prisma.Sql) =>
  (chainId: number): Prisma.Sql[] => [
    Prisma.sql`tr.owner = ${account}`,
    Prisma.sql`tr.order_id IN (SELECT po.id FROM orders po WHERE po.onchain_user = ${account} AND po.chain_id = ${chainId})`,
  ]

const conditionsOf = (filter: TradeFilter) =>
  'owner' in filter
    ? tradesOfAccount(Prisma.sql`${bytea(filter.owner)}`)
    : () => [Prisma.sql`tr.order_uid = ${bytea(filter.orderUid)}`]

interface TradePage {
  filter: TradeFilter
  chainId: number
  offset: number
  limit: number
}

/** Newest first. The REST contract pages by offset. */
export const pageOfTrades = ({ filter, chainId, offset, limit }: TradePage): Prisma.Sql =>
  Prisma.sql`(${Prisma.join(
    conditionsOf(filter)(chainId).map(
      (condition) => Prisma.sql`(SELECT tr.* FROM ${tradesWhere(condition, chainId)}
        ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${offset + limit})`,
    ),
    ' UNION ALL ',
  )}) tr ORDER BY tr.block_number DESC, tr.log_index DESC LIMIT ${limit} OFFSET ${offset}`

export const listedTrades: Relation = {
  kind: 'page',
  model: () => trade,
  rows: ({ filter, chainIds }: { filter: TradeFilter; chainIds: readonly number[] }) =>
    tradeRanges(conditionsOf(filter), chainIds),
  key: tradesKey,
  description: 'Trades of an owner or of an order, newest first. Give exactly one of the two.',
}
