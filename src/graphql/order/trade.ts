import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { listedTrades, trade } from '../../storage/models/trade.ts'
import { builder } from '../builder.ts'
import { allNetworks, changedAfterArgument, networkArgument, pageByChange } from '../paging.ts'
import { exposeModel, storedRoot } from '../stored/expose.ts'
import { chainIdsOf, namedNetworks, readingOwner, readOrders } from './order.ts'

exposeModel(trade)

export const tradesOfOrder = 'Trades of this order.'

builder.queryFields((t) => ({
  trades: storedRoot(t, listedTrades, {
    args: {
      network: networkArgument(t.arg, allNetworks),
      owner: t.arg({ type: 'Address', required: false, description: 'Trades of this owner’s orders.' }),
      orderUid: t.arg({ type: 'OrderUid', required: false, description: tradesOfOrder }),
      changedAfter: changedAfterArgument(t.arg),
    },
    rowArguments: ({ network, owner, orderUid, ...page }: TradeArguments, environment) => ({
      ...pageByChange(page, environment),
      filter: toFilter(owner, orderUid),
      chainIds: chainIdsOf(environment, network),
    }),
    mayLack(text, args, environment) {
      if (args.owner != null) return ofOwner.mayLack(text, args, environment)
      return args.orderUid != null && !/"(nodes|edges)":\[[^\]]/.test(text)
    },
    readMissing: async (args, context, result) =>
      args.orderUid == null
        ? ofOwner.readMissing(args, context, result)
        : readOrders([args.orderUid], args.network, context),
  }),
}))

const ofOwner = readingOwner(({ owner, network }: TradeArguments, environment) => ({
  owner,
  networks: namedNetworks(network, environment),
}))

interface TradeArguments {
  network?: string
  owner?: Address | null
  orderUid?: OrderUid | null
  after?: string | null
  changedAfter?: string | null
}

function toFilter(owner: Address | null | undefined, orderUid: OrderUid | null | undefined) {
  if (owner != null && orderUid == null) return { owner }
  if (orderUid != null && owner == null) return { orderUid }
  if (owner == null) return null
  throw new Refusal('InvalidTradeFilter', 'give owner or orderUid, not both')
}
