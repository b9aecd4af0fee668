import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { type OrderUid, orderTexts } from '../../domain/order/order.ts'
import type { EcdsaScheme } from '../../domain/signing/signing.ts'
import { findOrder } from '../../storage/order/orders.ts'
import { builder } from '../builder.ts'
import { requireOperator } from '../context/access.ts'
import { type Context, checkNamed } from '../context/context.ts'
import { type TradingServices, tradingOn } from '../context/networks.ts'
import { SigningScheme } from '../enums.ts'
import {
  enumField,
  hexField,
  maxNamedOrders,
  networkField,
  objectExpected,
  orderUidField,
  textField,
} from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'
import { OrderRef } from '../refs.ts'
import { orderPayloadRef, storedOrder } from './placement.ts'

const ecdsaSchemes: EcdsaScheme[] = ['eip712', 'ethsign']
const maxReason = 200

const orderUids = z
  .array(orderUidField, {
    error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of UIDs'),
  })
  .max(maxNamedOrders, `must name at most ${maxNamedOrders} orders`)

const signatureMembers = {
  signature: hexField.meta({ description: '65 bytes.' }),
  signingScheme: enumField(SigningScheme, ecdsaSchemes).meta({ description: orderTexts.signingScheme }),
}

const signedUids = orderUids.meta({ description: 'The UIDs as they are signed: order and repetition count.' })
const listedUids = orderUids.meta({ description: `UIDs of up to ${maxNamedOrders} orders of one network.` })
const networkOfOrders = networkField('The network of the orders if left out.')

/**
 * A signed cancellation in REST; other members pass through. An empty list is well-formed and cancels
 * nothing.
 */
export const cancellationBody = z.looseObject({ orderUids: signedUids, ...signatureMembers }, objectExpected)

/** A signed cancellation of the one order that the REST path names. */
export const singleCancellationBody = z.looseObject(signatureMembers, objectExpected)

const cancelOrdersInput = inputType('CancelOrdersInput', {
  description: 'Orders to be cancelled, all or none, with their owner’s signature over the list.',
  schema: z.object({ network: networkOfOrders, orderUids: signedUids, ...signatureMembers }, objectExpected),
})

export const cancelOrderInput = inputType('CancelOrderInput', {
  description: 'An order to be cancelled, with its owner’s signature.',
  schema: z.object(
    {
      network: networkField('The network of the order if left out.'),
      orderUid: orderUidField.meta({ description: 'The order to cancel.' }),
      ...signatureMembers,
    },
    objectExpected,
  ),
})

const cancelByPolicyInput = inputType('CancelOrdersByPolicyInput', {
  description: 'Orders that the operator cancels, all or none.',
  schema: z.object(
    {
      network: networkOfOrders,
      orderUids: listedUids,
      reason: textField
        .min(1, 'must not be empty')
        .max(maxReason, `must have at most ${maxReason} characters`)
        .regex(/^\P{Cc}*$/u, 'must be one line')
        .nullish()
        .meta({ description: 'One line, which readers of the order’s history see.' }),
    },
    objectExpected,
  ),
})

const ordersPayloadRef = (name: string) =>
  builder.objectRef<{ uids: OrderUid[] }>(name).implement({
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
    type: ordersPayloadRef('CancelOrdersPayload'),
    description:
      'Cancels every order named, or none: one signature covers the list as it is sent. What keeps it from being cancelled is named in extensions.data.items, each order with its code.',
    args: { input: inputArgument(t.arg, cancelOrdersInput) },
    async resolve(_root, { input: { network, ...cancellation } }, context) {
      checkNamed(cancellation.orderUids, 'orderUids', context)
      const trading = await tradingOfOrders(cancellation.orderUids, network, context)
      return { uids: await trading.cancelOrders(cancellation, context) }
    },
  }),
)

builder.mutationField('cancelOrder', (t) =>
  t.field({
    type: orderPayloadRef(
      'CancelOrderPayload',
      'An order that was cancelled.',
      'The order as it is now. Its pendingSettlements can still fill it: what is on chain counts, not the cancellation.',
    ),
    description: 'Cancels one order. The owner signs its UID by itself, or as a list of one.',
    args: { input: inputArgument(t.arg, cancelOrderInput) },
    async resolve(_root, { input: { network, ...cancellation } }, context) {
      const trading = await tradingOfOrders([cancellation.orderUid], network, context)
      return { uid: await trading.cancelOrder(cancellation, context) }
    },
  }),
)

builder.mutationField('cancelOrdersByPolicy', (t) =>
  t.field({
    type: ordersPayloadRef('CancelOrdersByPolicyPayload'),
    description:
      'Cancels every order named, or none, however it is signed. For the operator: needs the key of the deployment as a bearer token or X-API-Key.',
    args: { input: inputArgument(t.arg, cancelByPolicyInput) },
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
