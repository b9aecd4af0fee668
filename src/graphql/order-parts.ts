import { OrderEventLabel } from './enums.ts'
import {
  EthflowDataRef,
  InteractionRef,
  InteractionsRef,
  OnchainOrderDataRef,
  OrderEventRef,
  OrderQuoteRef,
} from './refs.ts'

OrderEventRef.implement({
  description: 'A step in an order’s story.',
  fields: (t) => ({
    label: t.expose('label', { type: OrderEventLabel, description: 'What happened.' }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'When.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, for FILTERED and INVALID.' }),
  }),
})

OrderQuoteRef.implement({
  description: 'The quote that an order was stored with.',
  fields: (t) => ({
    gasAmount: t.expose('gasAmount', { type: 'Uint256', description: 'Gas units of the estimate.' }),
    gasPrice: t.expose('gasPrice', { type: 'Uint256', description: 'Wei for one unit of gas.' }),
    sellTokenPrice: t.expose('sellTokenPrice', {
      type: 'Decimal',
      description: 'Native atoms for one sell token atom.',
    }),
    sellAmount: t.expose('sellAmount', { type: 'Uint256', description: 'Quoted sell amount, without fee.' }),
    buyAmount: t.expose('buyAmount', { type: 'Uint256', description: 'Quoted buy amount.' }),
    feeAmount: t.expose('feeAmount', { type: 'Uint256', description: 'Quoted fee in sell token atoms.' }),
    solver: t.expose('solver', { type: 'Address', description: 'Who estimated it.' }),
    verified: t.exposeBoolean('verified', { description: 'Whether a simulation confirmed it.' }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'What a settlement at the quoted price would have called: version, interactions, preInteractions, jitOrders. Null until the order has ended, so that nobody runs ahead of it, and where the quote did not say.',
      resolve: ({ endedOrder }, _args, { loaders }) =>
        endedOrder === null ? null : loaders.quoteCalls.load(endedOrder),
    }),
  }),
})

InteractionsRef.implement({
  description: 'Calls that a settlement makes for an order.',
  fields: (t) => ({
    pre: t.expose('pre', {
      type: [InteractionRef],
      description: 'Before the trade.',
      extensions: { items: 2 },
    }),
    post: t.expose('post', {
      type: [InteractionRef],
      description: 'After the trade.',
      extensions: { items: 2 },
    }),
  }),
})

InteractionRef.implement({
  description: 'One call.',
  fields: (t) => ({
    target: t.expose('target', { type: 'Address', description: 'The contract called.' }),
    value: t.expose('value', { type: 'Uint256', description: 'Native atoms sent along.' }),
    callData: t.expose('callData', { type: 'Hex', description: 'The call.' }),
  }),
})

OnchainOrderDataRef.implement({
  description: 'About the placement of an order on chain.',
  fields: (t) => ({
    sender: t.expose('sender', { type: 'Address', description: 'Who placed it.' }),
    placementError: t.exposeString('placementError', {
      nullable: true,
      description: 'Why it can never be traded; null when it can.',
    }),
  }),
})

EthflowDataRef.implement({
  description: 'About an order that sells the native coin through a contract.',
  fields: (t) => ({
    refundTxHash: t.expose('refundTxHash', {
      type: 'Bytes32',
      nullable: true,
      description: 'The transaction that gave the coins back.',
    }),
    userValidTo: t.expose('userValidTo', {
      type: 'Uint32',
      description: 'The user’s expiry in Unix seconds.',
    }),
  }),
})
