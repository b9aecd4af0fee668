import { unixSeconds } from '../domain/log.ts'
import { executedSellBeforeFees, isInvalidated } from '../domain/order.ts'
import { hasEnded, orderStatus } from '../domain/order-status.ts'
import { accountOrders } from '../storage/orders.ts'
import { builder } from './builder.ts'
import { chainIdOf, deskOf } from './context.ts'
import {
  BuyTokenDestination,
  OrderClass,
  OrderKind,
  OrderStatus,
  SellTokenSource,
  SigningScheme,
} from './enums.ts'
import { checkLimit, networkArgument, offsetArguments } from './paging.ts'
import {
  AuctionRef,
  EthflowDataRef,
  InteractionsRef,
  NetworkRef,
  NodeRef,
  OnchainOrderDataRef,
  OrderEventRef,
  OrderQuoteRef,
  OrderRef,
  TokenRef,
  TradeRef,
} from './refs.ts'

OrderRef.implement({
  description: 'A signed intent to trade one token for another.',
  interfaces: [NodeRef],
})

builder.objectFields(OrderRef, (t) => ({
  uid: t.expose('uid', { type: 'OrderUid', description: 'Order digest, owner and validTo in one.' }),
  network: t.field({
    type: NetworkRef,
    description: 'Where the order trades.',
    resolve: ({ chainId }, _args, { desks }) => {
      const desk = desks.byChainId(chainId)
      if (!desk) throw new Error(`no desk for chain ${chainId}`)
      return desk.network
    },
  }),
  sellToken: t.field({
    type: TokenRef,
    description: 'What is sold.',
    resolve: ({ chainId, sellToken }) => ({ chainId, address: sellToken }),
  }),
  buyToken: t.field({
    type: TokenRef,
    description: 'What is bought.',
    resolve: ({ chainId, buyToken }) => ({ chainId, address: buyToken }),
  }),
  receiver: t.expose('receiver', {
    type: 'Address',
    nullable: true,
    description: 'Who gets the buy tokens; null means the owner.',
  }),
  sellAmount: t.expose('sellAmount', { type: 'Uint256', description: 'As signed, in sell token atoms.' }),
  buyAmount: t.expose('buyAmount', { type: 'Uint256', description: 'As signed, in buy token atoms.' }),
  feeAmount: t.expose('feeAmount', {
    type: 'Uint256',
    description: 'Signed fee, in sell token atoms; 0 for new orders.',
  }),
  validTo: t.expose('validTo', {
    type: 'Uint32',
    description: 'Unix seconds; at this second the order is still open.',
  }),
  validFrom: t.expose('validFrom', {
    type: 'Uint32',
    nullable: true,
    description: 'Unix seconds from appData: in no auction before.',
  }),
  kind: t.expose('kind', { type: OrderKind, description: 'Which side is fixed.' }),
  partiallyFillable: t.exposeBoolean('partiallyFillable', { description: 'Whether a part may be traded.' }),
  sellTokenBalance: t.expose('sellTokenBalance', {
    type: SellTokenSource,
    description: 'Where sell tokens come from.',
  }),
  buyTokenBalance: t.expose('buyTokenBalance', {
    type: BuyTokenDestination,
    description: 'Where buy tokens go.',
  }),
  signingScheme: t.expose('signingScheme', { type: SigningScheme, description: 'How the owner signed.' }),
  signature: t.expose('signature', { type: 'Hex', description: 'The signature; empty for presign.' }),
  appData: t.expose('appData', { type: 'Bytes32', description: 'The signed hash of the appData document.' }),
  appDataHash: t.expose('appData', { type: 'Bytes32', description: 'Equal to appData.' }),
  fullAppData: t.exposeString('fullAppData', {
    nullable: true,
    description: 'The appData document, when it is known.',
    extensions: { weight: 8 },
  }),
  owner: t.expose('owner', { type: 'Address', description: 'Who signed.' }),
  from: t.expose('owner', { type: 'Address', description: 'Equal to owner.' }),
  settlementContract: t.expose('settlementContract', {
    type: 'Address',
    description: 'The contract the order is signed for.',
  }),
  creationDate: t.expose('creationDate', { type: 'DateTime', description: 'When the order was stored.' }),
  class: t.expose('class', { type: OrderClass, description: 'What the order counts as.' }),
  isLiquidityOrder: t.boolean({
    description: 'Whether class is LIQUIDITY.',
    resolve: (order) => order.class === 'liquidity',
  }),
  status: t.field({
    type: OrderStatus,
    description: 'Derived from trades, invalidation and validTo; never stored.',
    resolve: (order, _args, { now }) => orderStatus(order, unixSeconds(now())),
  }),
  invalidated: t.boolean({
    description: 'Cancelled through the service or invalidated on chain.',
    resolve: (order) => isInvalidated(order),
  }),
  executedSellAmount: t.expose('executedSellAmount', {
    type: 'Uint256',
    description: 'Sold so far, signed fee included.',
  }),
  executedSellAmountBeforeFees: t.field({
    type: 'Uint256',
    description: 'Sold so far without the signed fee.',
    resolve: (order) => executedSellBeforeFees(order),
  }),
  executedBuyAmount: t.expose('executedBuyAmount', { type: 'Uint256', description: 'Bought so far.' }),
  executedFeeAmount: t.expose('executedFeeAmount', {
    type: 'Uint256',
    description: 'Signed fee taken so far.',
  }),
  executedFee: t.expose('executedFee', {
    type: 'Uint256',
    description: 'Every fee really taken so far, network and protocol, in executedFeeToken.',
  }),
  executedFeeToken: t.expose('executedFeeToken', {
    type: 'Address',
    description: 'The token of executedFee.',
  }),
  availableBalance: t.field({
    type: 'Uint256',
    nullable: true,
    description: 'Always null: balances are checked when an auction is built.',
    resolve: () => null,
  }),
  quoteId: t.expose('quoteId', {
    type: 'SafeInt',
    nullable: true,
    description: 'The quote the order was made from.',
  }),
  fullBalanceCheck: t.exposeBoolean('fullBalanceCheck', {
    description: 'As sent: the whole balance is needed at once.',
  }),
  onchainUser: t.field({
    type: 'Address',
    nullable: true,
    description: 'Who placed the order on chain; null for orders placed through the service.',
    resolve: () => null,
  }),
  onchainOrderData: t.field({
    type: OnchainOrderDataRef,
    nullable: true,
    description: 'About the placement on chain; null for orders placed through the service.',
    resolve: () => null,
  }),
  ethflowData: t.field({
    type: EthflowDataRef,
    nullable: true,
    description: 'About an order that sells the native coin; null for all others.',
    resolve: () => null,
  }),
  quote: t.field({
    type: OrderQuoteRef,
    nullable: true,
    description: 'The quote the order was stored with.',
    resolve: (order, _args, { now }) => {
      const ended = hasEnded(orderStatus(order, unixSeconds(now())))
      return order.quote && { ...order.quote, endedOrder: ended ? order.id : null }
    },
  }),
  interactions: t.expose('interactions', {
    type: InteractionsRef,
    description: 'Calls before and after the trade.',
  }),
  events: t.field({
    type: [OrderEventRef],
    description: 'The order’s story, oldest first.',
    extensions: { items: 5 },
    resolve: async ({ id }, _args, { loaders, spend }) => spend(await loaders.events.load(id)),
  }),
  trades: t.field({
    type: [TradeRef],
    description: 'Trades of this order, newest first.',
    extensions: { items: 3 },
    resolve: async ({ id }, _args, { loaders, spend }) => spend(await loaders.trades.load(id)),
  }),
  auctions: t.field({
    type: [AuctionRef],
    description: 'Auctions that held this order, oldest first.',
    extensions: { items: 3 },
    resolve: async ({ id }, _args, { loaders, spend }) => spend(await loaders.auctionsOfOrder.load(id)),
  }),
}))

builder.queryField('order', (t) =>
  t.field({
    type: OrderRef,
    nullable: true,
    description: 'One order; null when it is not known.',
    args: {
      uid: t.arg({ type: 'OrderUid', required: true, description: 'Its UID.' }),
      network: networkArgument(t.arg, 'Narrows: an order of another network is not known.'),
    },
    resolve: async (_root, { uid, network }, context) => {
      const chainId = chainIdOf(context, network)
      const order = await context.loaders.order.load(uid)
      return order && (chainId === undefined || order.chainId === chainId) ? order : null
    },
  }),
)

builder.queryField('accountOrders', (t) =>
  t.field({
    type: [OrderRef],
    description:
      'Orders of an owner on one network, newest first, by offset: the page of the REST contract. Prefer orders.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      owner: t.arg({ type: 'Address', required: true, description: 'Who signed.' }),
      ...offsetArguments(t.arg),
    },
    resolve: async (_root, { network, owner, offset, limit }, context) => {
      checkLimit(limit, 'LIMIT_OUT_OF_BOUNDS')
      const { chainId } = deskOf(context, network).network
      return context.spend(await accountOrders(context.db, { chainId, owner, offset, limit }))
    },
  }),
)
