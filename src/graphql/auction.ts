import type { StoredAuction } from '../domain/competition.ts'
import { auctionOfTransaction, findAuction, latestAuction, type Visible } from '../storage/auctions.ts'
import { builder } from './builder.ts'
import { type Context, deskOf } from './context.ts'
import { networkArgument } from './paging.ts'
import {
  AuctionRef,
  NativePriceRef,
  NetworkRef,
  NodeRef,
  OrderRef,
  SettlementAttemptRef,
  SolutionRef,
} from './refs.ts'

AuctionRef.implement({
  description:
    'A competition of solvers for a batch of orders. Stored when at least one valid solution came in.',
  interfaces: [NodeRef],
  fields: (t) => ({
    auctionId: t.expose('id', { type: 'SafeInt', description: 'Its number, unique across networks.' }),
    network: t.field({
      type: NetworkRef,
      nullable: true,
      description: 'Where it settles.',
      resolve: ({ chainId }, _args, { desks }) => desks.byChainId(chainId)?.network,
    }),
    block: t.expose('block', { type: 'SafeInt', description: 'The block it was built on.' }),
    deadline: t.expose('deadlineBlock', { type: 'SafeInt', description: 'The last block for a settlement.' }),
    nativePrices: t.field({
      type: [NativePriceRef],
      description: 'Prices that solutions are scored with.',
      resolve: async ({ id }, _args, { loaders, spend }) => spend(await loaders.prices.load(id)),
    }),
    solutions: t.field({
      type: [SolutionRef],
      description:
        'Valid solutions, best first; those filtered out for fairness come last. Empty while the competition is hidden.',
      extensions: { items: 3 },
      resolve: async (auction, _args, context) =>
        (await isHidden(auction, context))
          ? []
          : context.spend(await context.loaders.solutions.load(auction.id)),
    }),
    orders: t.field({
      type: [OrderRef],
      description: 'The orders that could be traded.',
      resolve: async ({ id }, _args, { loaders, spend }) => {
        const keys = spend(await loaders.ordersOfAuction.load(id))
        const orders = await Promise.all(keys.map(({ orderId }) => loaders.orderById.load(orderId)))
        return orders.filter((order) => order !== undefined)
      },
    }),
    orderUids: t.field({
      type: ['OrderUid'],
      description: 'UIDs of the orders that could be traded.',
      resolve: async ({ id }, _args, { loaders, spend }) =>
        spend(await loaders.ordersOfAuction.load(id)).map(({ orderUid }) => orderUid),
    }),
    transactionHashes: t.field({
      type: ['Bytes32'],
      description: 'Transactions on chain that settle it, in their order.',
      resolve: async ({ id }, _args, { loaders, spend }) =>
        spend(await loaders.settlements.load(id)).map(({ txHash }) => txHash),
    }),
    settlementAttempts: t.field({
      type: [SettlementAttemptRef],
      description: 'Tries to settle winning solutions, oldest first. Empty while the competition is hidden.',
      extensions: { items: 2 },
      resolve: async (auction, _args, context) =>
        (await isHidden(auction, context))
          ? []
          : context.spend(await context.loaders.attempts.load(auction.id)),
    }),
  }),
})

builder.queryField('auction', (t) =>
  t.field({
    type: AuctionRef,
    nullable: true,
    description: 'One auction; null when it is not known, or hidden until its deadline block has passed.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      id: t.arg({ type: 'SafeInt', required: true, description: 'Its id.' }),
    },
    resolve: (_root, { network, id }, context) =>
      findAuction(context.db, { chainId: chainOf(context, network), id: BigInt(id) }, visibleTo(context)),
  }),
)

builder.queryField('latestAuction', (t) =>
  t.field({
    type: AuctionRef,
    nullable: true,
    description: 'The newest auction that is not hidden; null before the first.',
    args: { network: networkArgument(t.arg, 'May be left out where there is only one.') },
    resolve: (_root, { network }, context) =>
      latestAuction(context.db, chainOf(context, network), visibleTo(context)),
  }),
)

builder.queryField('auctionOfTransaction', (t) =>
  t.field({
    type: AuctionRef,
    nullable: true,
    description: 'The auction that a transaction settled; null when it settled none of this service.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      hash: t.arg({ type: 'Bytes32', required: true, description: 'The transaction.' }),
    },
    resolve: (_root, { network, hash }, context) =>
      auctionOfTransaction(context.db, { chainId: chainOf(context, network), hash }, visibleTo(context)),
  }),
)

function chainOf(context: Context, network: string | null | undefined): number {
  return deskOf(context, network).network.chainId
}

function visibleTo({ hidesCompetitions, restricted }: Context): Visible {
  return hidesCompetitions && !restricted ? 'closed' : 'all'
}

/** An auction that is reached on another way, as from one of its orders, keeps its solutions for itself. */
export async function isHidden(
  { chainId, deadlineBlock }: StoredAuction,
  context: Context,
): Promise<boolean> {
  if (visibleTo(context) === 'all') return false
  return ((await context.loaders.indexedBlock.load(chainId)) ?? 0) <= deadlineBlock
}
