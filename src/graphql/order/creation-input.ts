import { z } from 'zod'
import { toAppDataInput } from '../../domain/app-data/document.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { OrderCreation } from '../../domain/order/creation.ts'
import {
  buyTokenDestinations,
  orderKinds,
  sellTokenSources,
  signingSchemes,
} from '../../domain/order/order.ts'
import { BuyTokenDestination, OrderKind, SellTokenSource, SigningScheme } from '../enums.ts'
import { parseInput } from '../errors/input.ts'
import {
  addressField,
  amountField,
  appDataHashField,
  enumField,
  flagField,
  hexField,
  networkField,
  objectExpected,
  onlyNetwork,
  safeIntField,
  textField,
  uint32Field,
} from '../input/fields.ts'
import { graphqlTypes } from '../input/graph-types.ts'
import { type Input, inputType } from '../input/input-type.ts'

/** Orders that one request may place: the burst of the default rate limit. */
export const maxPlacedOrders = 10

const members = {
  sellToken: addressField.meta({ description: 'What is sold.' }),
  buyToken: addressField.meta({ description: 'What is bought.' }),
  receiver: addressField.nullish().meta({ description: 'Who gets the buy tokens; null means the owner.' }),
  sellAmount: amountField('SellAmountOverflow').meta({ description: 'In sell token atoms.' }),
  buyAmount: amountField('BuyAmountOverflow').meta({ description: 'In buy token atoms.' }),
  validTo: uint32Field.meta({ description: 'Unix seconds.' }),
  appData: textField.meta({ description: 'The document, or its hash.' }),
  appDataHash: appDataHashField.nullish().meta({ description: 'The document’s hash, to be checked.' }),
  feeAmount: amountField('SellAmountOverflow').meta({ description: 'Must be 0.' }),
  kind: enumField(OrderKind, orderKinds).meta({ description: 'Which side is fixed.' }),
  partiallyFillable: flagField.meta({ description: 'Whether a part may be traded.' }),
  sellTokenBalance: enumField(SellTokenSource, sellTokenSources)
    .nullish()
    .meta({ description: 'ERC20 when left out.' }),
  buyTokenBalance: enumField(BuyTokenDestination, buyTokenDestinations)
    .nullish()
    .meta({ description: 'ERC20 when left out.' }),
  signingScheme: enumField(SigningScheme, signingSchemes).meta({ description: 'How the owner signed.' }),
  signature: hexField.meta({
    description: '65 bytes for a key’s signature, or 64 compact ones; at most 8192 for EIP1271.',
  }),
  from: addressField.nullish().meta({ description: 'The owner; required for PRESIGN and EIP1271.' }),
  quoteId: safeIntField.nullish().meta({ description: 'The quote the order was made from.' }),
  fullBalanceCheck: flagField.nullish().meta({ description: 'Require the whole sell amount now.' }),
}

/**
 * A signed order as a client sends it. Malformed input is InvalidParameter; `src/orders/checks` decide whether a
 * well-formed order is acceptable. The length and v of a signature are a part of that: a wrong one is InvalidSignature.
 */
export const orderInput = inputType('OrderInput', {
  description: 'A signed order.',
  schema: z.object(members, objectExpected).transform(toCreation),
})

export const placeOrderInput = inputType('PlaceOrderInput', {
  description: 'A signed order, and the network it is for.',
  schema: z
    .object({ network: networkField(onlyNetwork), ...members }, objectExpected)
    .transform(({ network, ...order }) => ({ network, creation: toCreation(order) })),
})

const explanationMembers = {
  ...members,
  signature: members.signature.nullish().meta({
    description:
      'As in an order that is placed; left out where it is not signed yet: then `from` is required.',
  }),
}

/** An order to explain as REST describes it. */
export const explanationBody = z.object(explanationMembers, objectExpected)

export const explainOrderInput = inputType('ExplainOrderInput', {
  description: 'An order that is not placed, and maybe not signed, and the network it is for.',
  schema: z
    .object({ network: networkField(onlyNetwork), ...explanationMembers }, objectExpected)
    .transform(({ network, signature = null, ...order }) => ({
      network,
      order: { ...toCreation({ ...order, signature: '0x' }), signature },
    })),
})

export const placeOrdersInput = inputType('PlaceOrdersInput', {
  description: 'Signed orders of one network.',
  schema: z.object(
    {
      network: networkField(onlyNetwork),
      orders: z
        .array(parsedOrRefused(orderInput))
        .min(1, 'must name an order')
        .max(maxPlacedOrders, `must name at most ${maxPlacedOrders} orders`)
        .meta({ description: `The orders, at most ${maxPlacedOrders}; each counts as a submission.` }),
    },
    objectExpected,
  ),
})

/** Parses each order on its own: an invalid one does not reject the others. */
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
