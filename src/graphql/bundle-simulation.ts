import { z } from 'zod'
import { maxOf } from '../domain/amount.ts'
import { Refusal } from '../domain/errors/error.ts'
import { hexSize } from '../domain/evm/hex.ts'
import { bundleLimits, bundleSimulation } from '../domain/evm/simulation.ts'
import { maxTransactionGas } from '../domain/settlement/gas.ts'
import { builder } from './builder.ts'
import { requireAccess } from './context/access.ts'
import type { Context } from './context/context.ts'
import { tradingOn } from './context/networks.ts'
import { describedRef } from './described.ts'
import {
  addressField,
  amountField,
  hexField,
  networkField,
  objectExpected,
  safeIntField,
} from './input/fields.ts'
import { inputArgument, inputType } from './input/input-type.ts'

const { transactions: maxTransactions, inputBytes, gas: maxGas } = bundleLimits
const maxGasOfOne = Number(maxTransactionGas - 1n)

const members = {
  from: addressField.meta({ description: 'The sender; no signature is needed.' }),
  to: addressField.meta({ description: 'The account that is called: a bundle cannot create contracts.' }),
  input: hexField.meta({ description: 'The call; 0x for a transfer of native coin.' }),
  value: amountField().nullish().meta({ description: 'Native atoms that go along; none when left out.' }),
  gas: safeIntField
    .refine((gas) => gas <= maxGasOfOne, `must be at most ${maxGasOfOne}`)
    .nullish()
    .meta({ description: 'The maximum gas; an equal share of the bundle’s if left out.' }),
}

const transactionInput = inputType('BundleTransactionInput', {
  description: 'A transaction that is not sent.',
  schema: z.object(members, objectExpected),
})

/** A transaction as REST takes it. */
export const bundleTransaction = z.object(
  {
    ...members,
    gas_price: z.unknown().optional().meta({ description: 'Has no effect: gas costs nothing here.' }),
  },
  objectExpected,
)

interface Sized {
  input: `0x${string}`
  gas?: number | null | undefined
}

function checkSizes(transactions: readonly Sized[], context: z.RefinementCtx): void {
  const bytes = transactions.reduce((sum, { input }) => sum + hexSize(input), 0)
  const gas = transactions.reduce((sum, transaction) => sum + (transaction.gas ?? 0), 0)
  const message =
    bytes > inputBytes
      ? `must have at most ${inputBytes} bytes of input together`
      : `must use at most ${maxGas} gas together`
  if (bytes > inputBytes || gas > maxGas) context.addIssue({ code: 'custom', message })
}

const listOf = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .array(schema, {
      error: ({ input }) => (input === undefined ? 'is required' : 'must be a list of transactions'),
    })
    .min(1, 'must have a transaction')
    .max(maxTransactions, `must have at most ${maxTransactions} transactions`)

export const bundleBody = listOf(bundleTransaction).superRefine(checkSizes)

const simulateBundleInput = inputType('SimulateBundleInput', {
  description: 'Transactions that would be sent one after the other.',
  schema: z.object(
    {
      network: networkField(),
      transactions: listOf(transactionInput.schema)
        .superRefine(checkSizes)
        .meta({
          description: `At most ${maxTransactions}, with ${inputBytes.toLocaleString('en')} bytes of input and ${maxGas.toLocaleString('en')} gas together.`,
        }),
    },
    objectExpected,
  ),
})

/** Cost units of a transaction at least: as many as so much gas. */
const unitsPerTransaction = 8
const gasPerTransaction = 4_000_000n
/** Runs of a bundle on the node: one each for its results, its storage and its balances. */
const runs = 3n

/**
 * The gas that the node may have to run beyond the units of the transactions. Transactions without a limit
 * share the gas of the bundle.
 */
function gasBeyond(transactions: readonly { gas?: number | null | undefined }[]): bigint {
  const share = Math.min(bundleLimits.gas / transactions.length, Number(maxTransactionGas - 1n))
  const gas = BigInt(Math.ceil(transactions.reduce((sum, { gas }) => sum + (gas ?? share), 0)))
  return maxOf(0n, runs * gas - gasPerTransaction * BigInt(transactions.length))
}

/** One bundle a request: it takes as long as a whole request may cost. */
const requests = new WeakSet<Context>()

builder.queryField('simulateBundle', (t) =>
  t.field({
    type: describedRef(bundleSimulation),
    description:
      'Runs transactions on the network’s node without sending them, each on the state that the one before leaves. One bundle in a request, for those whom the deployment lets do it. It costs 6 units for each million gas that it may use, and 8 for each transaction at least, but no more than a client has at once.',
    extensions: { chargedFor: 'transactions', units: unitsPerTransaction },
    args: { input: inputArgument(t.arg, simulateBundleInput) },
    resolve: async (_root, { input: { network, transactions } }, context) => {
      requireAccess('simulation', context)
      if (requests.has(context)) throw new Refusal('QueryTooComplex', 'one bundle is simulated in a request')
      requests.add(context)
      context.takeGas?.(gasBeyond(transactions))
      const trading = tradingOn(context, network)
      const given = transactions.map(({ value, gas, ...call }) => ({
        ...call,
        value: value ?? 0n,
        gas: gas ?? null,
      }))
      const simulation = await trading.simulateBundle(given, context.client)
      return { ...simulation, chainId: trading.network.chainId }
    },
  }),
)
