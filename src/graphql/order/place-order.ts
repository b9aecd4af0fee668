import type { GraphQLResolveInfo } from 'graphql'
import type { OrderCreation } from '../../domain/order/creation.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import { orderByUid } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { type TradingServices, tradingOn } from '../context/networks.ts'
import { storing } from '../context/stored-bytes.ts'
import { inputArgument } from '../input/input-type.ts'
import { OrderRef, PlaceOrderPayloadRef } from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'
import { singleFieldObject } from '../token/known-token.ts'
import { placeOrderInput } from './creation-input.ts'

PlaceOrderPayloadRef.implement({
  description: 'What became of an order that was sent.',
  fields: (t) => ({
    order: t.field({
      type: OrderRef,
      description: 'The order as it is stored.',
      resolve: ({ uid }, _args, context, info) => storedOrder(uid, context, info),
    }),
  }),
})

builder.mutationField('placeOrder', (t) =>
  t.field({
    type: PlaceOrderPayloadRef,
    description: 'Checks and stores a signed order. What is answered is stored.',
    args: { input: inputArgument(t.arg, placeOrderInput, 'The order.') },
    resolve: async (_root, { input: { network, creation } }, context) => ({
      uid: await storing(
        context,
        'orders',
        () => placeOrderOnce(creation, tradingOn(context, network), context),
        () => textBytes(creation),
      ),
    }),
  }),
)

/** Bytes of an order that its client chooses the length of. */
function textBytes({ appData, signature }: OrderCreation): number {
  return Buffer.byteLength(appData.document ?? '') + signature.length / 2
}

/** A retry succeeds if an interrupted attempt placed the order, even if checks would refuse it by now. */
export async function placeOrderOnce(
  creation: OrderCreation,
  trading: TradingServices,
  { interruptedAt, ...meter }: Pick<Context, 'interruptedAt' | 'takeGas' | 'addGas'>,
): Promise<OrderUid> {
  try {
    return await trading.placeOrder(creation, meter)
  } catch (error) {
    const placed = interruptedAt && (await trading.placedSince(creation, interruptedAt))
    if (placed) return placed
    throw error
  }
}

/** An order that was just written. Does not read it back when only its UID is selected, as in REST. */
export async function storedOrder(
  uid: OrderUid,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<StoredValue> {
  const uidOnly = singleFieldObject('uid', uid, info)
  if (uidOnly) return uidOnly
  const order = await resolveKeyed(orderByUid, uid, context, info)
  if (!order) throw new Error(`order ${uid} was stored and is not there`)
  return order
}
