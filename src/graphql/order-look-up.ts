import { ordersOfTransaction } from '../storage/orders.ts'
import { builder } from './builder.ts'
import { chainIdOf, checkNamed, deskOf } from './context.ts'
import { mostNamedOrders as mostNamed } from './inputs/order-uids.ts'
import { networkArgument } from './paging.ts'
import { OrderRef } from './refs.ts'

builder.queryField('ordersByUids', (t) =>
  t.field({
    type: [OrderRef],
    description: `Orders by their UIDs, at most ${mostNamed}, each once and as they were named; what is not known is left out.`,
    args: {
      network: networkArgument(t.arg, 'Narrows: an order of another network is not known.'),
      uids: t.arg({ type: ['OrderUid'], required: true, description: 'Their UIDs.' }),
    },
    extensions: { items: mostNamed },
    resolve: async (_root, { network, uids }, context) => {
      const chainId = chainIdOf(context, network)
      checkNamed(uids, 'uids', context)
      const orders = await Promise.all([...new Set(uids)].map((uid) => context.loaders.order.load(uid)))
      return context.spend(
        orders.flatMap((order) =>
          order && (chainId === undefined || order.chainId === chainId) ? [order] : [],
        ),
      )
    },
  }),
)

builder.queryField('transactionOrders', (t) =>
  t.field({
    type: [OrderRef],
    description: 'Orders that a settlement transaction traded; empty when it is not known.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction.' }),
    },
    resolve: async (_root, { network, hash }, context) => {
      const { chainId } = deskOf(context, network).network
      return context.spend(await ordersOfTransaction(context.db, chainId, hash))
    },
  }),
)
