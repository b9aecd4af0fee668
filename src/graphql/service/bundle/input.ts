import { z } from 'zod'
import { bundleLimits } from '../../../domain/evm/bundle.ts'
import { hexSize } from '../../../domain/evm/hex.ts'
import { maxTransactionGas } from '../../../domain/settlement/gas.ts'
import {
  addressField,
  amountField,
  hexField,
  networkField,
  objectExpected,
  onlyNetwork,
  safeIntField,
} from '../../input/fields.ts'
import { inputType } from '../../input/input-type.ts'

const { transactions: maxTransactions, inputBytes, gas: maxGas } = bundleLimits
const mostGas = Number(maxTransactionGas - 1n)

const members = {
  from: addressField.meta({ description: 'Who sends it; no signature is needed.' }),
  to: addressField.meta({ description: 'The account that is called: a bundle cannot create contracts.' }),
  input: hexField.meta({ description: 'The call; 0x for a transfer of native coin.' }),
  value: amountField().nullish().meta({ description: 'Native atoms that go along; none when left out.' }),
  gas: safeIntField
    .refine((gas) => gas <= mostGas, `must be at most ${mostGas}`)
    .nullish()
    .meta({
      description: 'The most gas that it may use; when left out an equal share of what the bundle may.',
    }),
}

const transactionInput = inputType('BundleTransactionInput', {
  description: 'A transaction that is not sent.',
  schema: z.object(members, objectExpected),
})

/** As REST has it. */
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

export const simulateBundleInput = inputType('SimulateBundleInput', {
  description: 'Transactions that would be sent one after the other.',
  schema: z.object(
    {
      network: networkField(onlyNetwork),
      transactions: listOf(transactionInput.schema)
        .superRefine(checkSizes)
        .meta({
          description: `At most ${maxTransactions}, with ${inputBytes.toLocaleString('en')} bytes of input and ${maxGas.toLocaleString('en')} gas together.`,
        }),
    },
    objectExpected,
  ),
})
