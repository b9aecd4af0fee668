import { Refusal } from '../../domain/errors/error.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { findOrder } from '../../storage/order/orders.ts'
import { builder } from '../builder.ts'
import { type Context, checkNamed } from '../context/context.ts'
import { type TradingServices, tradingOn } from '../context/networks.ts'
import { requireOperator } from '../context/operator.ts'
import { inputArgument } from '../input/input-type.ts'
import {
  CancelOrderPayloadRef,
  CancelOrdersByPolicyPayloadRef,
  CancelOrdersPayloadRef,
  OrderRef,
} from '../refs.ts'
import { cancelByPolicyInput, cancelOrderInput, cancelOrdersInput } from './cancellation-input.ts'
import { storedOrder } from './place-order.ts'
import { maxNamedOrders } from './uids-input.ts'

CancelOrderPayloadRef.implement({
  description: 'An order that was cancelled.',
  fields: (t) => ({
    order: t.field({
      type: OrderRef,
      description:
        'The order as it is now. Its pendingSettlements can still fill it: what is on chain counts, not the cancellation.',
      resolve: ({ uid }, _args, context, info) => storedOrder(uid, context, info),
    }),
  }),
})

for (const ref of [CancelOrdersPayloadRef, CancelOrdersByPolicyPayloadRef])
  ref.implement({
    description: 'Orders that were cancelled together.',
    fields: (t) => ({
      orders: t.field({
        type: [OrderRef],
        description:
          'The orders as they are now, each once, in the order of the input. Their pendingSettlements can still fill them.',
        extensions: { items: maxNamedOrders },
        resolve: ({ uids }, _args, context, info) =>
          Promise.all(context.countItems(uids).map((uid) => storedOrder(uid, context, info))),
      }),
    }),
  })

builder.mutationField('cancelOrders', (t) =>
  t.field({
    type: CancelOrdersPayloadRef,
    description:
      'Cancels every order named, or none: one signature covers the list as it is sent. What keeps it from being cancelled is named in extensions.data.items, each order with its code.',
    args: { input: inputArgument(t.arg, cancelOrdersInput, 'The orders, and the owner’s signature.') },
    async resolve(_root, { input: { network, ...cancellation } }, context) {
      checkNamed(cancellation.orderUids, 'orderUids', context)
      const trading = await tradingOfOrders(cancellation.orderUids, network, context)
      return { uids: await trading.cancelOrders(cancellation) }
    },
  }),
)

builder.mutationField('cancelOrder', (t) =>
  t.field({
    type: CancelOrderPayloadRef,
    description: 'Cancels one order. The owner signs its UID by itself, or as a list of one.',
    args: { input: inputArgument(t.arg, cancelOrderInput, 'The order, and its owner’s signature.') },
    async resolve(_root, { input: { network, ...cancellation } }, context) {
      const trading = await tradingOfOrders([cancellation.orderUid], network, context)
      return { uid: await trading.cancelOrder(cancellation) }
    },
  }),
)

builder.mutationField('cancelOrdersByPolicy', (t) =>
  t.field({
    type: CancelOrdersByPolicyPayloadRef,
    description:
      'Cancels every order named, or none, however it is signed. For the operator: needs the key of the deployment as a bearer token or X-API-Key.',
    args: { input: inputArgument(t.arg, cancelByPolicyInput, 'The orders, and why.') },
    extensions: { guard: requireOperator },
    async resolve(_root, { input: { network, orderUids, reason = null } }, context) {
      checkNamed(orderUids, 'orderUids', context)
      const trading = await tradingOfOrders(orderUids, network, context)
      return { uids: await trading.cancelByPolicy({ orderUids, reason }) }
    },
  }),
)

/** Services of the named network, else of the first order's: a signature is for one network. */
async function tradingOfOrders(
  [firstUid]: readonly OrderUid[],
  network: string | null | undefined,
  context: Context,
): Promise<TradingServices> {
  if (network != null || firstUid === undefined || context.networks.all.length === 1)
    return tradingOn(context, network)
  const order = await findOrder(context.db, firstUid)
  const trading = order && context.networks.byChainId(order.chainId)
  if (!trading) throw new Refusal('OrderNotFound', `no order ${firstUid}`, { field: 'orderUids' })
  return trading
}
