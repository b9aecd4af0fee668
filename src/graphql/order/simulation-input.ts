import { z } from 'zod'
import { toAppDataInput } from '../../domain/app-data/document.ts'
import {
  buyTokenDestinations,
  orderKinds,
  sellTokenSources,
  signingSchemes,
} from '../../domain/order/order.ts'
import type { OrderToSimulate } from '../../orders/simulate.ts'
import { BuyTokenDestination, OrderKind, SellTokenSource, SigningScheme } from '../enums.ts'
import {
  addressField,
  amountField,
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
import { inputType } from '../input/input-type.ts'

const members = {
  sellToken: addressField.meta({ description: 'What is sold.' }),
  buyToken: addressField.meta({ description: 'What is bought.' }),
  sellAmount: amountField('SellAmountOverflow')
    .refine((amount) => amount > 0n, 'must not be 0')
    .meta({ description: 'In sell token atoms; not 0.' }),
  buyAmount: amountField('BuyAmountOverflow').meta({ description: 'In buy token atoms.' }),
  kind: enumField(OrderKind, orderKinds).meta({ description: 'Which side is fixed.' }),
  owner: addressField.meta({ description: 'Who sells.' }),
  receiver: addressField.nullish().meta({ description: 'Who gets the buy tokens; null means the owner.' }),
  sellTokenBalance: enumField(SellTokenSource, sellTokenSources)
    .nullish()
    .meta({ description: 'ERC20 when left out.' }),
  buyTokenBalance: enumField(BuyTokenDestination, buyTokenDestinations)
    .nullish()
    .meta({ description: 'ERC20 when left out.' }),
  appData: textField.meta({ description: 'The document, or the hash of one that is stored.' }),
  blockNumber: safeIntField
    .nullish()
    .meta({ description: 'The block to simulate on; the newest when left out.' }),
  signingScheme: enumField(SigningScheme, signingSchemes).meta({ description: 'How the owner signed.' }),
  signature: hexField.meta({ description: 'As in an order.' }),
  feeAmount: amountField('SellAmountOverflow').meta({ description: 'Signed fee, in sell token atoms.' }),
  validTo: uint32Field.meta({ description: 'Unix seconds.' }),
  partiallyFillable: flagField.meta({ description: 'Whether a part may be traded.' }),
}

/** An order as REST describes it. */
export const simulationBody = z.object(members, objectExpected)

export const simulateOrderInput = inputType('SimulateOrderInput', {
  description: 'An order that need not be stored, nor be acceptable.',
  schema: z
    .object({ network: networkField(onlyNetwork), ...members }, objectExpected)
    .transform(({ network, blockNumber, ...order }) => ({
      network,
      blockNumber: blockNumber ?? null,
      order: toOrder(order),
    })),
})

type Members = Omit<z.output<z.ZodObject<typeof members>>, 'blockNumber'>

function toOrder(order: Members): OrderToSimulate {
  return {
    ...order,
    receiver: order.receiver ?? null,
    appData: toAppDataInput(order.appData),
    sellTokenBalance: order.sellTokenBalance ?? 'erc20',
    buyTokenBalance: order.buyTokenBalance ?? 'erc20',
  }
}
