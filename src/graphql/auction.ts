import { findAuction } from '../storage/auctions.ts'
import { builder } from './builder.ts'
import { deskOf } from './context.ts'
import { networkArgument } from './paging.ts'
import {
  AuctionRef,
  NativePriceRef,
  NetworkRef,
  OrderRef,
  SettlementAttemptRef,
  SolutionOrderRef,
  SolutionRef,
} from './refs.ts'

AuctionRef.implement({
  description:
    'A competition of solvers for a batch of orders. Stored when at least one valid solution came in.',
  fields: (t) => ({
    id: t.expose('id', { type: 'SafeInt', description: 'Unique across networks.' }),
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
      description: 'Valid solutions, best first; those filtered out for fairness come last.',
      extensions: { items: 3 },
      resolve: async ({ id }, _args, { loaders, spend }) => spend(await loaders.solutions.load(id)),
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
    settlementAttempts: t.field({
      type: [SettlementAttemptRef],
      description: 'Tries to settle winning solutions, oldest first.',
      extensions: { items: 2 },
      resolve: async ({ id }, _args, { loaders, spend }) => spend(await loaders.attempts.load(id)),
    }),
  }),
})

SolutionRef.implement({
  description: 'What a solver proposed for an auction.',
  fields: (t) => ({
    solutionUid: t.expose('uid', { type: 'SafeInt', description: 'Its index in the stored ranking.' }),
    ranking: t.expose('ranking', { type: 'SafeInt', description: 'Its place, from 1.' }),
    solver: t.expose('solver', { type: 'Address', description: 'Who proposed it.' }),
    isWinner: t.exposeBoolean('isWinner', { description: 'Whether it won.' }),
    filteredOut: t.exposeBoolean('filteredOut', {
      description: 'Left out because it was unfair to an order.',
    }),
    score: t.expose('score', { type: 'Uint256', description: 'What it is worth, in native atoms.' }),
    referenceScore: t.expose('referenceScore', {
      type: 'Uint256',
      nullable: true,
      description: 'For winners: what the others could have reached without this solver.',
    }),
    orders: t.field({
      type: [SolutionOrderRef],
      description: 'The orders it trades, with the amounts it proposes.',
      extensions: { items: 2 },
      resolve: async ({ auctionId, uid }, _args, { loaders, spend }) =>
        spend((await loaders.executions.load(auctionId)).filter(({ solutionUid }) => solutionUid === uid)),
    }),
  }),
})

SolutionOrderRef.implement({
  description: 'An order in a solution.',
  fields: (t) => ({
    orderUid: t.expose('orderUid', { type: 'OrderUid', description: 'The order’s UID.' }),
    executedSell: t.expose('executedSell', {
      type: 'Uint256',
      description: 'What it sells, all fees included.',
    }),
    executedBuy: t.expose('executedBuy', { type: 'Uint256', description: 'What it buys after all fees.' }),
    order: t.field({
      type: OrderRef,
      nullable: true,
      description: 'The order.',
      resolve: ({ orderId }, _args, { loaders }) => loaders.orderById.load(orderId),
    }),
  }),
})

builder.queryField('auction', (t) =>
  t.field({
    type: AuctionRef,
    nullable: true,
    description: 'One auction; null when it is not known.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      id: t.arg({ type: 'SafeInt', required: true, description: 'Its id.' }),
    },
    resolve: (_root, { network, id }, context) =>
      findAuction(context.db, deskOf(context, network).network.chainId, BigInt(id)),
  }),
)
