import type { GraphQLResolveInfo } from 'graphql'
import type { Address } from '../../domain/evm/address.ts'
import { account, accountRelations } from '../../storage/models/account.ts'
import { accountByAddress } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/access.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { chainIdsOf, filterArguments, filterRowArguments, namedNetworks } from '../order/order.ts'
import { programmaticArguments, programmaticRowArguments } from '../order/programmatic.ts'
import { allNetworks, checkFirst, cursorArguments, networkArgument } from '../paging.ts'
import { AccountRef } from '../refs.ts'
import type { Environment } from '../stored/collect.ts'
import { exposeModel, type FindKeys, fieldWith, relationOptions } from '../stored/expose.ts'
import { identityOf, resolveKeyed, resolveKnown, resolveStored, type StoredValue } from '../stored/resolve.ts'
import { NotificationFilterInput, toNotificationFilter } from './notifications.ts'

const { orders, trades, programmaticOrders, affiliate } = accountRelations
const { totalSurplus, isTotalSurplusComplete } = accountRelations
const { notifications, notificationHistory, latestNotifications, unreadNotifications } = accountRelations

exposeModel(account, Object.keys(accountRelations))

const listedNetworks = ({ network }: Record<string, unknown>, environment: Environment) =>
  namedNetworks(typeof network === 'string' ? network : null, environment)

const requireCms = <Args>(args: Args, environment: Environment) => {
  requireFeature(environment, 'cms')
  return args
}

interface OfNetwork {
  network?: string | null
}

/** Reads the surplus from the followed order book, which counts all trades. */
function resolveTotalSurplus(
  parent: StoredValue,
  args: OfNetwork,
  context: Context,
  info: GraphQLResolveInfo,
): unknown {
  const { totalSurplus } = tradingOn(context, args.network)
  if (!totalSurplus) return resolveStored(parent, args, context, info)
  context.proceed()
  return totalSurplus(identityOf<{ address: Address }>(parent).address, context)
}

builder.objectFields(AccountRef, (t) => {
  const field = (options: object) => fieldWith(t, options)
  const ofNetwork = {
    args: { network: networkArgument(t.arg) },
    rowArguments: ({ network }: OfNetwork, environment: Environment) => {
      const { network: served, totalSurplus } = tradingOn(environment, network)
      return { ...served, isElsewhere: totalSurplus !== undefined }
    },
  }
  return {
    orders: field(
      relationOptions(orders, {
        args: filterArguments(t.arg),
        rowArguments: filterRowArguments,
        listsFrom: listedNetworks,
      }),
    ),
    trades: field(
      relationOptions(trades, {
        args: { network: networkArgument(t.arg, allNetworks) },
        rowArguments: ({ network, ...page }: { network?: string }, environment) => ({
          ...page,
          chainIds: chainIdsOf(environment, network),
        }),
        listsFrom: listedNetworks,
      }),
    ),
    programmaticOrders: field(
      relationOptions(programmaticOrders, {
        args: programmaticArguments(t.arg),
        rowArguments: programmaticRowArguments,
        listsFrom: listedNetworks,
      }),
    ),
    notifications: field(relationOptions(notifications, { rowArguments: requireCms })),
    notificationHistory: field(
      relationOptions(notificationHistory, {
        args: {
          filter: t.arg({
            type: NotificationFilterInput,
            required: false,
            description: 'Only notifications that meet it.',
          }),
        },
        rowArguments: (
          { filter, ...page }: { filter?: Parameters<typeof toNotificationFilter>[0] },
          environment,
        ) => requireCms({ ...page, filter: toNotificationFilter(filter) }, environment),
      }),
    ),
    latestNotifications: field(
      relationOptions(latestNotifications, {
        args: { first: cursorArguments(t.arg).first },
        rowArguments: ({ first }: { first: number }, environment) => {
          checkFirst(first)
          return requireCms({ first }, environment)
        },
      }),
    ),
    unreadNotifications: field(relationOptions(unreadNotifications, { rowArguments: requireCms })),
    affiliate: field(relationOptions(affiliate, { rowArguments: requireCms })),
    totalSurplus: field(
      relationOptions(
        totalSurplus,
        {
          ...ofNetwork,
          isElsewhere: ({ network }: OfNetwork, environment) =>
            tradingOn(environment, network).totalSurplus !== undefined,
        },
        resolveTotalSurplus,
      ),
    ),
    isTotalSurplusComplete: field(relationOptions(isTotalSurplusComplete, ofNetwork)),
  }
})

const findKeys: FindKeys = ({ address }: { address: string }) => ({
  keyed: accountByAddress,
  keys: [address],
  typeName: 'Account',
})

builder.queryField('account', (t) =>
  t.field({
    type: AccountRef,
    description: 'An account with its orders, trades and notifications.',
    args: {
      address: t.arg({ type: 'Address', required: true, description: 'The address, in any letter case.' }),
    },
    extensions: { findKeys },
    resolve: async (_root, { address }, context, info) =>
      (resolveKnown({ __typename: 'Account', address }, { address }, info) ??
        (await resolveKeyed(accountByAddress, address, context, info))) as StoredValue,
  }),
)
