import { Refusal } from '../domain/error.ts'
import type { Order } from '../domain/order.ts'
import type { Cancellation, OrderCreation } from '../domain/order-creation.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { builder, validatedBy } from './builder.ts'
import { type Context, deskOf, type TradingDesk } from './context.ts'
import { BuyTokenDestination, OrderKind, SellTokenSource, SigningScheme } from './enums.ts'
import { cancellationInput } from './inputs/cancellation.ts'
import { orderCreationInput } from './inputs/order-creation.ts'
import { networkArgument } from './paging.ts'
import { OrderRef } from './refs.ts'

const OrderInput = builder.inputType('OrderInput', {
  description: 'A signed order.',
  validate: validatedBy(orderCreationInput),
  fields: (t) => ({
    sellToken: t.field({ type: 'Address', required: true, description: 'What is sold.' }),
    buyToken: t.field({ type: 'Address', required: true, description: 'What is bought.' }),
    receiver: t.field({ type: 'Address', description: 'Who gets the buy tokens; null means the owner.' }),
    sellAmount: t.field({ type: 'Uint256', required: true, description: 'In sell token atoms.' }),
    buyAmount: t.field({ type: 'Uint256', required: true, description: 'In buy token atoms.' }),
    validTo: t.field({ type: 'Uint32', required: true, description: 'Unix seconds.' }),
    appData: t.string({ required: true, description: 'The document, or its hash.' }),
    appDataHash: t.string({ description: 'The document’s hash, to be checked.' }),
    feeAmount: t.field({ type: 'Uint256', required: true, description: 'Must be 0.' }),
    kind: t.field({ type: OrderKind, required: true, description: 'Which side is fixed.' }),
    partiallyFillable: t.boolean({ required: true, description: 'Whether a part may be traded.' }),
    sellTokenBalance: t.field({ type: SellTokenSource, description: 'ERC20 when left out.' }),
    buyTokenBalance: t.field({ type: BuyTokenDestination, description: 'ERC20 when left out.' }),
    signingScheme: t.field({ type: SigningScheme, required: true, description: 'How the owner signed.' }),
    signature: t.field({ type: 'Hex', required: true, description: '65 bytes for a key’s signature.' }),
    from: t.field({ type: 'Address', description: 'The owner; required for PRESIGN and EIP1271.' }),
    quoteId: t.field({ type: 'SafeInt', description: 'The quote the order was made from.' }),
    fullBalanceCheck: t.boolean({ description: 'Require the whole sell amount now.' }),
  }),
})

builder.mutationField('placeOrder', (t) =>
  t.field({
    type: OrderRef,
    description: 'Checks and stores a signed order. What is answered is stored.',
    args: {
      network: networkArgument(t.arg, 'May be left out where there is only one.'),
      order: t.arg({ type: OrderInput, required: true, description: 'The order.' }),
    },
    resolve: async (_root, { network, order }, context) => {
      // The input's schema has turned it into the domain's form; the builder knows only what went in.
      const uid = await deskOf(context, network).placeOrder(order as unknown as OrderCreation)
      return stored(uid, context)
    },
  }),
)

builder.mutationField('cancelOrders', (t) =>
  t.field({
    type: [OrderRef],
    description: 'Cancels every order named, or none. The owner signs the list of UIDs as it is sent.',
    args: {
      network: networkArgument(t.arg, 'That of the orders when left out.'),
      orderUids: t.arg({
        type: ['OrderUid'],
        required: true,
        description: 'At most 128, all of one network.',
      }),
      signature: t.arg({ type: 'Hex', required: true, description: '65 bytes.' }),
      signingScheme: t.arg({ type: SigningScheme, required: true, description: 'EIP712 or ETHSIGN.' }),
    },
    validate: validatedBy(cancellationInput),
    resolve: async (_root, { network, ...cancellation }, context) => {
      const desk = await cancellingDesk(cancellation.orderUids, network, context)
      const uids = await desk.cancelOrders(cancellation as Cancellation)
      return Promise.all(uids.map((uid) => stored(uid, context)))
    },
  }),
)

/** The desk that is named, or that of the first order: a signature is for one network. */
async function cancellingDesk(
  [first]: readonly OrderUid[],
  network: string | null | undefined,
  context: Context,
): Promise<TradingDesk> {
  if (network != null || first === undefined || context.desks.all.length === 1)
    return deskOf(context, network)
  const order = await context.loaders.order.load(first)
  const desk = order && context.desks.byChainId(order.chainId)
  if (!desk) throw new Refusal('OrderNotFound', `no order ${first}`, { field: 'orderUids' })
  context.loaders.order.clear(first)
  return desk
}

async function stored(uid: OrderUid, { loaders }: Context): Promise<Order> {
  const order = await loaders.order.load(uid)
  if (!order) throw new Error(`order ${uid} was stored and is not there`)
  return order
}
