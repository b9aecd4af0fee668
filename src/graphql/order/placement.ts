import type { GraphQLResolveInfo } from 'graphql'
import { z } from 'zod'
import { toAppDataInput } from '../../domain/app-data/document.ts'
import { described, flag, json, objectOf, text, uint32, type ValueOf } from '../../domain/described.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { errorMessageText } from '../../domain/errors/refusal-codes.ts'
import type { OrderCreation } from '../../domain/order/creation.ts'
import { type OrderUid, orderTexts } from '../../domain/order/order.ts'
import { orderByUid } from '../../storage/models/keyed.ts'
import { builder } from '../builder.ts'
import type { Context } from '../context/context.ts'
import { type TradingServices, tradingOn } from '../context/networks.ts'
import { storing } from '../context/stored-bytes.ts'
import { describedRef } from '../described.ts'
import { isFinalStatus, maskError, requestStatus } from '../errors.ts'
import {
  addressField,
  amountField,
  flagField,
  graphqlTypes,
  hexField,
  networkField,
  objectExpected,
  safeIntField,
} from '../input/fields.ts'
import { type Input, inputArgument, inputType } from '../input/input-type.ts'
import { orderFields } from '../input/order-fields.ts'
import { parseInput } from '../input/parse.ts'
import { OrderRef } from '../refs.ts'
import { resolveKeyed, type StoredValue } from '../stored/resolve.ts'
import { singleFieldObject } from '../token/token.ts'

/** Orders that one request may place: the burst of the default rate limit. */
const maxPlacedOrders = 10

const members = {
  sellToken: orderFields.sellToken,
  buyToken: orderFields.buyToken,
  receiver: orderFields.receiver,
  sellAmount: amountField('SellAmountOverflow').meta({ description: 'The sell amount, in atoms.' }),
  buyAmount: orderFields.buyAmount,
  validTo: orderFields.validTo,
  appData: orderFields.appData,
  appDataHash: orderFields.appDataHash,
  feeAmount: amountField('SellAmountOverflow').meta({ description: 'Must be 0.' }),
  kind: orderFields.kind,
  partiallyFillable: orderFields.partiallyFillable,
  sellTokenBalance: orderFields.sellTokenBalance,
  buyTokenBalance: orderFields.buyTokenBalance,
  signingScheme: orderFields.signingScheme,
  signature: hexField.meta({
    description: '65 bytes for a key’s signature, or 64 compact ones; at most 8192 for EIP1271.',
  }),
  from: addressField.nullish().meta({ description: 'The owner; required for PRESIGN and EIP1271.' }),
  quoteId: safeIntField.nullish().meta({ description: orderTexts.quoteId }),
  fullBalanceCheck: flagField.nullish().meta({ description: 'Require the whole sell amount now.' }),
}

/**
 * A signed order as a client sends it. Malformed input is InvalidParameter; `src/orders/checks` decide
 * whether a well-formed order is acceptable. The length and v of a signature are a part of that: a wrong one
 * is InvalidSignature.
 */
export const orderInput = inputType('OrderInput', {
  description: 'A signed order.',
  schema: z.object(members, objectExpected).transform(toCreation),
})

export const placeOrderInput = inputType('PlaceOrderInput', {
  description: 'A signed order, and the network it is for.',
  schema: z
    .object({ network: networkField(), ...members }, objectExpected)
    .transform(({ network, ...order }) => ({ network, creation: toCreation(order) })),
})

const explanationMembers = {
  ...members,
  signature: members.signature.nullish().meta({
    description:
      'The signature, as in an order that is placed. Left out if the order is not signed yet: then `from` is required.',
  }),
}

/** An order to explain as REST describes it. */
export const explanationBody = z.object(explanationMembers, objectExpected)

export const explainOrderInput = inputType('ExplainOrderInput', {
  description: 'An order that is not placed, and maybe not signed, and the network it is for.',
  schema: z
    .object({ network: networkField(), ...explanationMembers }, objectExpected)
    .transform(({ network, signature = null, ...order }) => ({
      network,
      order: { ...toCreation({ ...order, signature: '0x' }), signature },
    })),
})

const placeOrdersInput = inputType('PlaceOrdersInput', {
  description: 'Signed orders of one network.',
  schema: z.object(
    {
      network: networkField(),
      orders: z
        .array(parsedOrRefused(orderInput))
        .min(1, 'must name an order')
        .max(maxPlacedOrders, `must name at most ${maxPlacedOrders} orders`)
        .meta({ description: `The orders, at most ${maxPlacedOrders}; each counts as a submission.` }),
    },
    objectExpected,
  ),
})

/** Parses each order on its own: an invalid order does not reject the other orders. */
function parsedOrRefused<Schema extends z.ZodType>({ schema, type }: Input<Schema>) {
  const each = z.unknown().transform((value): { creation: z.output<Schema> } | { refusal: Refusal } => {
    try {
      return { creation: parseInput(schema, value) }
    } catch (refusal) {
      if (refusal instanceof Refusal) return { refusal }
      throw refusal
    }
  })
  graphqlTypes.add(each, { type })
  return each
}

function toCreation({ appDataHash, ...order }: z.output<z.ZodObject<typeof members>>): OrderCreation {
  return {
    ...order,
    receiver: order.receiver ?? null,
    appData: toAppDataInput(order.appData, appDataHash),
    sellTokenBalance: order.sellTokenBalance ?? 'erc20',
    buyTokenBalance: order.buyTokenBalance ?? 'erc20',
    from: order.from ?? null,
    quoteId: order.quoteId == null ? null : BigInt(order.quoteId),
    fullBalanceCheck: order.fullBalanceCheck ?? false,
  }
}

/** Returns the type of a result with an order. */
export function orderPayloadRef(name: string, description: string, orderText: string) {
  return builder.objectRef<{ uid: OrderUid }>(name).implement({
    description,
    fields: (t) => ({
      order: t.field({
        type: OrderRef,
        description: orderText,
        resolve: ({ uid }, _args, context, info) => storedOrder(uid, context, info),
      }),
    }),
  })
}

builder.mutationField('placeOrder', (t) =>
  t.field({
    type: orderPayloadRef(
      'PlaceOrderPayload',
      'The result of an order that was sent.',
      'The order as it is stored.',
    ),
    description: 'Checks and stores a signed order. What is answered is stored.',
    args: { input: inputArgument(t.arg, placeOrderInput) },
    resolve: async (_root, { input: { network, creation } }, context) => ({
      uid: await placeOrderOnce(creation, tradingOn(context, network), context),
    }),
  }),
)

/** Bytes of an order that its client chooses the length of. */
function textBytes({ appData, signature }: OrderCreation): number {
  return Buffer.byteLength(appData.document ?? '') + signature.length / 2
}

/**
 * Places an order within the bytes that its client may store. A retry succeeds if an interrupted attempt
 * placed the order, even if checks would refuse it by now.
 */
function placeOrderOnce(
  creation: OrderCreation,
  trading: TradingServices,
  context: Context,
): Promise<OrderUid> {
  const place = () => placeOrRecall(creation, trading, context)
  return storing(context, 'orders', place, () => textBytes(creation))
}

async function placeOrRecall(
  creation: OrderCreation,
  trading: TradingServices,
  context: Pick<Context, 'interruptedAt' | 'takeGas' | 'addGas'>,
): Promise<OrderUid> {
  try {
    return await trading.placeOrder(creation, context)
  } catch (error) {
    const { interruptedAt } = context
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
  if (!order)
    throw new Refusal(
      'Unavailable',
      `order ${uid} is accepted and cannot be read for the moment: request it by its UID, do not send it again`,
      { data: { uid } },
    )
  return order
}

const placeOrderError = described(
  'PlaceOrderError',
  'The error of one of several orders, as placeOrder would have refused it.',
  {
    code: text('One of the closed list that extensions.code is of.'),
    message: text(errorMessageText),
    field: text.orNull('The field of the order that is at fault; null when it is none of them.'),
    retryable: flag('True if the same order can be accepted later.'),
    index: uint32('The order’s place in the input, from 0.'),
    data: json.orNull('Details of some codes, as in extensions.data.'),
  },
)

const placeOrderResult = described(
  'PlaceOrderResult',
  'The result of one of several orders: either the order or an error.',
  {
    index: uint32('Its place in the input, from 0.'),
    error: objectOf(placeOrderError).orNull('The reason why it was refused; null if it is stored.'),
  },
)
type PlaceOrderResult = ValueOf<typeof placeOrderResult> & { uid?: OrderUid }

const PlaceOrdersPayloadRef = describedRef(
  described('PlaceOrdersPayload', 'The results of orders that were sent together.', {
    results: objectOf<typeof placeOrderResult, PlaceOrderResult>(placeOrderResult).list(
      'One for each order, in the order of the input.',
      maxPlacedOrders,
    ),
  }),
)

builder.objectField(describedRef<typeof placeOrderResult, PlaceOrderResult>(placeOrderResult), 'order', (t) =>
  t.field({
    type: OrderRef,
    nullable: true,
    description: 'The order as it is stored; null when it was refused.',
    resolve: ({ uid }, _args, context, info) => (uid ? storedOrder(uid, context, info) : null),
  }),
)

builder.mutationField('placeOrders', (t) =>
  t.field({
    type: PlaceOrdersPayloadRef,
    description:
      'Checks and stores signed orders, each by itself: one that is refused does not keep others from being stored.',
    extensions: { chargedFor: 'orders' },
    args: { input: inputArgument(t.arg, placeOrdersInput) },
    async resolve(_root, { input: { network, orders } }, context) {
      const trading = tradingOn(context, network)
      const results = orders.map(async (order, index) => {
        try {
          if ('refusal' in order) throw order.refusal
          return { index, error: null, uid: await placeOrderOnce(order.creation, trading, context) }
        } catch (error) {
          const masked = maskError(error, context.log, context.requestId)
          if (!isFinalStatus(requestStatus(masked))) context.markIncomplete?.()
          const { code, field = null, retryable, data = null } = masked.extensions
          return {
            index,
            error: {
              code: String(code),
              message: masked.message,
              field: field as string | null,
              retryable: retryable === true,
              index,
              data,
            },
          }
        }
      })
      return { results: await Promise.all(results) }
    },
  }),
)
