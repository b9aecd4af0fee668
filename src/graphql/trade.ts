import type { Address } from '../domain/address.ts'
import type { AuctionStory, TradeWithFees } from '../domain/competition.ts'
import { Refusal } from '../domain/error.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import type { Trade } from '../domain/trade.ts'
import { listTrades, type TradeFilter } from '../storage/trades.ts'
import { builder } from './builder.ts'
import { type Context, deskOf } from './context.ts'
import { checkLimit, networkArgument, offsetArguments } from './paging.ts'
import {
  AccountRef,
  ExecutedProtocolFeeRef,
  FeePolicyRef,
  NodeRef,
  OrderRef,
  TokenRef,
  TradeRef,
} from './refs.ts'

TradeRef.implement({
  description: 'A trade that the settlement contract logged.',
  interfaces: [NodeRef],
  fields: (t) => ({
    blockNumber: t.expose('blockNumber', { type: 'SafeInt', description: 'Block of the log.' }),
    logIndex: t.expose('logIndex', { type: 'SafeInt', description: 'Index of the log in its block.' }),
    orderUid: t.expose('orderUid', { type: 'OrderUid', description: 'The order traded.' }),
    owner: t.expose('owner', { type: 'Address', description: 'The order’s owner.' }),
    sellToken: t.field({
      type: TokenRef,
      description: 'What was sold.',
      resolve: ({ chainId, sellToken }) => ({ chainId, address: sellToken }),
    }),
    buyToken: t.field({
      type: TokenRef,
      description: 'What was bought.',
      resolve: ({ chainId, buyToken }) => ({ chainId, address: buyToken }),
    }),
    sellAmount: t.expose('sellAmount', {
      type: 'Uint256',
      description: 'Taken from the owner, signed fee included.',
    }),
    sellAmountBeforeFees: t.field({
      type: 'Uint256',
      description: 'sellAmount without the signed fee.',
      resolve: ({ sellAmount, feeAmount }) => sellAmount - feeAmount,
    }),
    buyAmount: t.expose('buyAmount', { type: 'Uint256', description: 'Paid to the receiver.' }),
    txHash: t.expose('txHash', {
      type: 'Bytes32',
      nullable: true,
      description: 'The settlement’s transaction.',
    }),
    auctionId: t.expose('auctionId', {
      type: 'SafeInt',
      nullable: true,
      description: 'The auction it settles; null when it is not one of this service.',
    }),
    executedProtocolFees: t.field({
      type: [ExecutedProtocolFeeRef],
      description: 'What the protocol took, by policy.',
      extensions: { items: 2 },
      resolve: async (trade, _args, context) => trade.protocolFees ?? (await feesOf(trade, context)),
    }),
    order: t.field({
      type: OrderRef,
      nullable: true,
      description: 'The order traded.',
      resolve: ({ orderUid }, _args, { loaders }) => loaders.order.load(orderUid),
    }),
  }),
})

ExecutedProtocolFeeRef.implement({
  description: 'What one fee policy took from a trade.',
  fields: (t) => ({
    policy: t.expose('policy', { type: FeePolicyRef, description: 'The policy.' }),
    token: t.expose('token', { type: 'Address', description: 'The token of amount.' }),
    amount: t.expose('amount', { type: 'Uint256', description: 'What was taken.' }),
  }),
})

builder.queryField('trades', (t) =>
  t.field({
    type: [TradeRef],
    description: 'Trades of an owner or of an order, newest first. Give exactly one of the two.',
    args: {
      network: networkArgument(t.arg, 'All networks without it.'),
      owner: t.arg({ type: 'Address', required: false, description: 'Trades of this owner’s orders.' }),
      orderUid: t.arg({ type: 'OrderUid', required: false, description: 'Trades of this order.' }),
      ...offsetArguments(t.arg),
    },
    resolve: (_root, { network, owner, orderUid, offset, limit }, context) =>
      readTrades(context, network, toFilter(owner, orderUid), { offset, limit }),
  }),
)

builder.objectField(AccountRef, 'trades', (t) =>
  t.field({
    type: [TradeRef],
    description: 'Trades of the account’s orders, newest first.',
    args: { network: networkArgument(t.arg, 'All networks without it.'), ...offsetArguments(t.arg) },
    resolve: ({ address }, { network, offset, limit }, context) =>
      readTrades(context, network, { owner: address }, { offset, limit }),
  }),
)

async function readTrades(
  context: Context,
  network: string | null | undefined,
  filter: TradeFilter,
  page: { offset: number; limit: number },
): Promise<TradeWithFees[]> {
  checkLimit(page.limit, 'InvalidLimit')
  // Also the only network there is: the index of an owner's trades holds them by network.
  const isOpen = network == null && context.desks.all.length > 1
  const chainId = isOpen ? undefined : deskOf(context, network).network.chainId
  return context.spend(await listTrades(context.db, chainId, filter, page))
}

function toFilter(owner: Address | null | undefined, orderUid: OrderUid | null | undefined): TradeFilter {
  if (owner != null && orderUid == null) return { owner }
  if (orderUid != null && owner == null) return { orderUid }
  throw new Refusal('InvalidTradeFilter', 'give exactly one of owner and orderUid')
}

/** Fees of a trade that was read without them: those of the order's execution in the trade's auction. */
async function feesOf(trade: Trade, { loaders }: Context): Promise<TradeWithFees['protocolFees']> {
  const order = await loaders.order.load(trade.orderUid)
  const story = order && (await loaders.story.load(order.id))
  const auction = story?.auctions.find(({ id }) => id === trade.auctionId)
  return auction ? alignFees(auction) : []
}

function alignFees({ executions, feePolicies }: AuctionStory): TradeWithFees['protocolFees'] {
  const taken = executions[0]?.protocolFees ?? []
  return feePolicies.flatMap((policy, index) => {
    const fee = taken[index]
    return fee ? [{ ...fee, policy }] : []
  })
}
