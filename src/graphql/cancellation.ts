import { Refusal } from '../domain/error.ts'
import type { Cancellation } from '../domain/order-creation.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { builder, validatedBy } from './builder.ts'
import { type Context, checkNamed, deskOf, type TradingDesk } from './context.ts'
import { SigningScheme } from './enums.ts'
import { cancellationInput, policyInput, singleCancellationInput } from './inputs/cancellation.ts'
import { mostNamedOrders } from './inputs/order-uids.ts'
import { requireOperator } from './operator.ts'
import { stored } from './order-input.ts'
import { networkArgument } from './paging.ts'
import { OrderRef } from './refs.ts'

const named = `At most ${mostNamedOrders}, all of one network.`

builder.mutationField('cancelOrders', (t) =>
  t.field({
    type: [OrderRef],
    description: 'Cancels every order named, or none. The owner signs the list of UIDs as it is sent.',
    args: {
      network: networkArgument(t.arg, 'That of the orders when left out.'),
      orderUids: t.arg({ type: ['OrderUid'], required: true, description: named }),
      signature: t.arg({ type: 'Hex', required: true, description: '65 bytes.' }),
      signingScheme: t.arg({ type: SigningScheme, required: true, description: 'EIP712 or ETHSIGN.' }),
    },
    validate: validatedBy(cancellationInput),
    resolve: async (_root, { network, ...cancellation }, context) => {
      checkNamed(cancellation.orderUids, 'orderUids', context)
      const desk = await cancellingDesk(cancellation.orderUids, network, context)
      return storedAll(await desk.cancelOrders(cancellation as Cancellation), context)
    },
  }),
)

builder.mutationField('cancelOrder', (t) =>
  t.field({
    type: OrderRef,
    description: 'Cancels one order. The owner signs its UID by itself, or as a list of one.',
    args: {
      network: networkArgument(t.arg, 'That of the order when left out.'),
      orderUid: t.arg({ type: 'OrderUid', required: true, description: 'The order.' }),
      signature: t.arg({ type: 'Hex', required: true, description: '65 bytes.' }),
      signingScheme: t.arg({ type: SigningScheme, required: true, description: 'EIP712 or ETHSIGN.' }),
    },
    validate: validatedBy(singleCancellationInput),
    resolve: async (_root, { network, ...cancellation }, context) => {
      const desk = await cancellingDesk([cancellation.orderUid], network, context)
      const single = cancellation as Parameters<TradingDesk['cancelOrder']>[0]
      return stored(await desk.cancelOrder(single), context)
    },
  }),
)

builder.mutationField('cancelOrdersByPolicy', (t) =>
  t.field({
    type: [OrderRef],
    description:
      'Cancels every order named, or none, however it is signed. For the operator: needs the key of the deployment as a bearer token or X-API-Key.',
    args: {
      network: networkArgument(t.arg, 'That of the orders when left out.'),
      orderUids: t.arg({ type: ['OrderUid'], required: true, description: named }),
      reason: t.arg.string({ description: 'Told to everybody who reads the order’s story.' }),
    },
    validate: validatedBy(policyInput),
    resolve: async (_root, { network, orderUids, reason = null }, context) => {
      requireOperator(context)
      checkNamed(orderUids, 'orderUids', context)
      const desk = await cancellingDesk(orderUids, network, context)
      return storedAll(await desk.cancelByPolicy({ orderUids, reason }), context)
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

function storedAll(uids: readonly OrderUid[], context: Context) {
  return Promise.all(uids.map((uid) => stored(uid, context)))
}
