import type { Address } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import { raw } from '../database/columns.ts'
import { Prisma } from '../generated/client.ts'
import { changedOrders, type OrderFilter, orderRanges, ordersKey } from '../order/ranges.ts'
import { address, amount, boolean, hexText } from '../query/codec.ts'
import { derived, type Model, type PageSource, type Relation } from '../query/model.ts'
import { nodeId } from '../query/node-id.ts'
import { affiliate } from './affiliate.ts'
import { isListComplete, isOwnBook } from './completeness.ts'
import { feedOfAccount } from './notification/feed.ts'
import { notificationHistory, unreadNotifications } from './notification/history.ts'
import { notification } from './notification/notification.ts'
import { order } from './order/order.ts'
import { isSurplusCompleteSql, surplusSql } from './order/value.ts'
import { programmaticOrdersOfAccount } from './programmatic.ts'
import { trade, tradeRanges, tradesKey, tradesOfAccount } from './trade.ts'

/** Orders that meet a filter, newest first. */
export const filteredOrders: Relation = {
  kind: 'page',
  model: () => order,
  rows: ({ filter, now, isByChange }: FilteredOrders): PageSource => {
    const { owner, chainIds } = filter
    return {
      ...(isByChange ? changedOrders(filter, now) : orderRanges(filter, now)),
      isComplete: owner ? isListComplete('orders', owner, chainIds) : isOwnBook(chainIds),
      mayBeEmpty: isByChange || !owner,
    }
  },
  key: ordersKey,
  description:
    'Orders, newest first; with changedAfter those that have changed, in the order of their last changes.',
}

interface FilteredOrders {
  filter: OrderFilter & { owner?: Address }
  now: number
  isByChange: boolean
}

const ordersOfAccount: Relation = {
  ...filteredOrders,
  rows: ({ filter, now }: { filter: OrderFilter; now: number }): PageSource => ({
    ...orderRanges({ ...filter, owner: raw('ac.address') }, now),
    isComplete: isListComplete('orders', 'ac.address', filter.chainIds),
  }),
  description: 'Orders of the account, newest first.',
}

/** @param isElsewhere true for a sum that another service counts: then its rows are not read */
type SurplusNetwork = Pick<Network, 'chainId' | 'wrappedNative'> & { isElsewhere: boolean }

/** Relations of account `ac`; most take arguments. */
export const accountRelations = {
  orders: ordersOfAccount,
  trades: {
    kind: 'page',
    model: () => trade,
    rows: ({ chainIds }: { chainIds: readonly number[] }) =>
      tradeRanges(
        tradesOfAccount(raw('ac.address')),
        chainIds,
        isListComplete('trades', 'ac.address', chainIds),
      ),
    key: tradesKey,
    description: 'Trades of the account’s orders, newest first.',
  },
  programmaticOrders: programmaticOrdersOfAccount,
  notifications: feedOfAccount,
  notificationHistory,
  latestNotifications: {
    kind: 'many',
    model: () => notification,
    rows: ({ first }: { first: number }) =>
      Prisma.sql`notifications n WHERE n.account = ac.address ORDER BY n.id DESC LIMIT ${first}`,
    description: 'The latest notifications, newest first, each once.',
  },
  unreadNotifications,
  affiliate: {
    kind: 'one',
    model: () => affiliate,
    nullable: true,
    rows: 'affiliates af WHERE af.wallet = ac.address',
    description: 'The affiliate that the account is; null when it is none.',
  },
  totalSurplus: {
    kind: 'value',
    // It reads all trades of the account.
    field: { ...derived(amount, 'ts.total', ''), weight: 100 },
    rows: ({ isElsewhere, ...network }: SurplusNetwork) =>
      isElsewhere ? Prisma.sql`(SELECT 0 AS total) ts` : surplusSql(network),
    description:
      'Surplus of the account’s trades over their signed prices, in native atoms: each trade at its auction’s prices, rounded down. On a network that follows an order book, as that says.',
  },
  isTotalSurplusComplete: {
    kind: 'value',
    field: { ...derived(boolean, 'ts.is_complete', ''), weight: 100 },
    rows: ({ isElsewhere, ...network }: SurplusNetwork) =>
      isElsewhere ? Prisma.sql`(SELECT true AS is_complete) ts` : isSurplusCompleteSql(network),
    description:
      'True if totalSurplus counts each trade of the account. False if one is no execution of an auction of this service, or a token had no price in it: such trades count 0. Always true on a network that follows an order book, which counts them itself.',
  },
} satisfies Record<string, Relation>

/** Account `ac`: any address, with or without stored rows. */
export const account: Model = {
  name: 'Account',
  description: 'An address that trades. Every address is an account; one that never traded has empty lists.',
  fields: {
    id: nodeId('Account', hexText('ac.address')),
    address: derived(address, 'ac.address', 'The address.'),
  },
  relations: accountRelations,
  identity: { address: derived(address, 'ac.address', '') },
}
