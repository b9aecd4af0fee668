import { z } from 'zod'
import { toAppDataInput } from '../../domain/app-data/document.ts'
import { simulatedSettlement } from '../../domain/evm/simulation.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import type { OrderToSimulate } from '../../orders/simulate.ts'
import { builder } from '../builder.ts'
import { requireAccess } from '../context/access.ts'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { describedRef } from '../described.ts'
import {
  addressField,
  amountField,
  hexField,
  networkField,
  objectExpected,
  safeIntField,
  textField,
} from '../input/fields.ts'
import { inputArgument, inputType } from '../input/input-type.ts'
import { orderFields } from '../input/order-fields.ts'
import { OrderRef } from '../refs.ts'
import { identityOf } from '../stored/resolve.ts'

export const blockText = 'The block to simulate on; the newest when left out.'

const members = {
  sellToken: orderFields.sellToken,
  buyToken: orderFields.buyToken,
  sellAmount: amountField('SellAmountOverflow')
    .refine((amount) => amount > 0n, 'must not be 0')
    .meta({ description: 'The sell amount, in atoms; not 0.' }),
  buyAmount: orderFields.buyAmount,
  kind: orderFields.kind,
  owner: addressField.meta({ description: 'The seller.' }),
  receiver: orderFields.receiver,
  sellTokenBalance: orderFields.sellTokenBalance,
  buyTokenBalance: orderFields.buyTokenBalance,
  appData: textField.meta({ description: 'The document, or the hash of one that is stored.' }),
  blockNumber: safeIntField.nullish().meta({ description: blockText }),
  signingScheme: orderFields.signingScheme,
  signature: hexField.meta({ description: 'The signature, as in an order.' }),
  feeAmount: amountField('SellAmountOverflow').meta({ description: 'Signed fee, in sell token atoms.' }),
  validTo: orderFields.validTo,
  partiallyFillable: orderFields.partiallyFillable,
}

/** An order as REST describes it. */
export const simulationBody = z.object(members, objectExpected)

const simulateOrderInput = inputType('SimulateOrderInput', {
  description: 'An order that need not be stored or acceptable.',
  schema: z
    .object({ network: networkField(), ...members }, objectExpected)
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

/** Simulations that one request may ask for. */
const maxSimulations = 4

/** @throws Refusal QueryTooComplex */
export function countSimulation(context: Context): void {
  context.countUse(
    'simulations',
    maxSimulations,
    `at most ${maxSimulations} orders are simulated in a request`,
  )
  context.takeGas?.(simulatedGas)
}

/** Half of what it may use: hardly a settlement of one order uses more. */
const simulatedGas = maxTransactionGas / 2n

/** Weight in objects: a simulation takes as long as some 5 small reads. */
const weight = 640

builder.objectField(OrderRef, 'simulation', (t) =>
  t.field({
    type: describedRef(simulatedSettlement),
    description: `Simulates a settlement of what remains of the order on the network's node. At most ${maxSimulations} in a request, for those whom the deployment lets do it.`,
    extensions: { weight },
    args: {
      blockNumber: t.arg({ type: 'SafeInt', required: false, description: blockText }),
    },
    resolve: (parent, { blockNumber }, context) => {
      requireAccess('simulation', context)
      countSimulation(context)
      const { chainId, uid } = identityOf<{ chainId: number; uid: OrderUid }>(parent)
      const trading = context.networks.byChainId(chainId)
      if (!trading) throw new Error(`chain ${chainId} is not served here`)
      return trading.simulateStored(uid, blockNumber ?? null)
    },
  }),
)

builder.queryField('simulateOrder', (t) =>
  t.field({
    type: describedRef(simulatedSettlement),
    description: 'Simulates a settlement of an order that need not be stored, like `Order.simulation`.',
    extensions: { limited: 'quotes' },
    args: { input: inputArgument(t.arg, simulateOrderInput) },
    resolve: (_root, { input }, context) => {
      requireAccess('simulation', context)
      countSimulation(context)
      return tradingOn(context, input.network).simulateOrder(input.order, input.blockNumber)
    },
  }),
)
