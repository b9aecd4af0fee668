import { type GraphQLResolveInfo, Kind } from 'graphql'
import type { Order } from '../domain/order.ts'
import type { OrderCreation } from '../domain/order-creation.ts'
import type { OrderUid } from '../domain/order-uid.ts'
import { builder, validatedBy } from './builder.ts'
import { type Context, deskOf, type TradingDesk } from './context.ts'
import { BuyTokenDestination, OrderKind, SellTokenSource, SigningScheme } from './enums.ts'
import { orderCreationInput } from './inputs/order-creation.ts'
import { networkArgument } from './paging.ts'
import { OrderRef } from './refs.ts'

export const OrderInput = builder.inputType('OrderInput', {
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
    signature: t.field({
      type: 'Hex',
      required: true,
      description: '65 bytes for a key’s signature, or 64 compact ones; at most 8192 for EIP1271.',
    }),
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
    resolve: async (_root, { network, order }, context, info) => {
      const uid = await place(creationOf(order), deskOf(context, network), context)
      return asksForUid(info) ? ({ uid } as Order) : stored(uid, context)
    },
  }),
)

/** The input's schema has turned it into the domain's form; the builder knows only what went in. */
export function creationOf(order: object): OrderCreation {
  return order as unknown as OrderCreation
}

/** What an earlier attempt of this request placed is placed, whatever could be said against it by now. */
async function place(
  creation: OrderCreation,
  desk: TradingDesk,
  { interruptedAt }: Context,
): Promise<OrderUid> {
  try {
    return await desk.placeOrder(creation)
  } catch (error) {
    const placed = interruptedAt && (await desk.placedSince(creation, interruptedAt))
    if (placed) return placed
    throw error
  }
}

/** Whether an answer needs nothing of the order but its UID, as REST's does: then it is not read back. */
function asksForUid({ fieldNodes }: GraphQLResolveInfo): boolean {
  return fieldNodes.every(({ selectionSet }) =>
    selectionSet?.selections.every(
      (selection) => selection.kind === Kind.FIELD && selection.name.value === 'uid',
    ),
  )
}

/** An order as it was just written. */
export async function stored(uid: OrderUid, { loaders }: Context): Promise<Order> {
  const order = await loaders.order.load(uid)
  if (!order) throw new Error(`order ${uid} was stored and is not there`)
  return order
}
