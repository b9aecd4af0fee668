import { account, accountRelations } from '../../storage/models/account.ts'
import { accountByAddress } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import { requireFeature } from '../context/features.ts'
import { tradingOn } from '../context/networks.ts'
import { chainIdsOf, filterArguments, givenFilter } from '../order/order.ts'
import { AccountRef } from '../refs.ts'
import { checkFirst, cursorArguments, networkArgument } from '../relay/paging.ts'
import { exposeModel, relationOptions } from '../stored/expose.ts'
import { resolveKeyed } from '../stored/resolve.ts'
import type { Finds } from '../stored/root.ts'
import type { Environment } from '../stored/stored-field.ts'

const { orders, trades, notifications, latestNotifications, affiliate, totalSurplus } = accountRelations

exposeModel(account, Object.keys(accountRelations))

const withCms = <Args>(args: Args, environment: Environment) => {
  requireFeature(environment, 'cms')
  return args
}

builder.objectFields(AccountRef, (t) => {
  const field = (options: object) => (t as unknown as { field(options: object): never }).field(options)
  return {
    orders: field(relationOptions(orders, { args: filterArguments(t.arg), given: givenFilter })),
    trades: field(
      relationOptions(trades, {
        args: { network: networkArgument(t.arg, 'All networks without it.') },
        given: ({ network, ...page }: { network?: string }, environment) => ({
          ...page,
          chainIds: chainIdsOf(environment, network),
        }),
      }),
    ),
    notifications: field(relationOptions(notifications, { given: withCms })),
    latestNotifications: field(
      relationOptions(latestNotifications, {
        args: { first: cursorArguments(t.arg).first },
        given: ({ first }: { first: number }, environment) => {
          checkFirst(first)
          return withCms({ first }, environment)
        },
      }),
    ),
    affiliate: field(relationOptions(affiliate, { given: withCms })),
    totalSurplus: field(
      relationOptions(totalSurplus, {
        args: { network: networkArgument(t.arg, 'May be left out where there is only one.') },
        given: ({ network }: { network?: string }, environment) => tradingOn(environment, network).network,
      }),
    ),
  }
})

const finds: Finds = ({ address }: { address: string }) => ({
  keyed: accountByAddress as never,
  keys: [address],
  typeName: 'Account',
})

builder.queryField('account', (t) =>
  t.field({
    type: AccountRef,
    description: 'An account with its orders, trades and notifications.',
    args: { address: t.arg({ type: 'Address', required: true, description: 'Any letter case.' }) },
    extensions: { finds },
    resolve: async (_root, { address }, context, info) =>
      (await resolveKeyed(accountByAddress, address, context, info)) as never,
  }),
)
