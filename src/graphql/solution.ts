import { OrderRef, SolutionOrderRef, SolutionRef, TokenRef } from './refs.ts'

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
    txHash: t.field({
      type: 'Bytes32',
      nullable: true,
      description: 'The transaction that settled it; null when none did, or none is indexed yet.',
      resolve: async ({ auctionId, uid }, _args, { loaders }) =>
        (await loaders.settlements.load(auctionId)).find(({ solutionUid }) => solutionUid === uid)?.txHash,
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
    sellToken: t.field({
      type: TokenRef,
      description: 'What it sells.',
      resolve: ({ chainId, sellToken }) => ({ chainId, address: sellToken }),
    }),
    buyToken: t.field({
      type: TokenRef,
      description: 'What it buys.',
      resolve: ({ chainId, buyToken }) => ({ chainId, address: buyToken }),
    }),
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
