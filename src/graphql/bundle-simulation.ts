import { z } from 'zod'
import { maxOf } from '../domain/amount.ts'
import { Refusal } from '../domain/errors/error.ts'
import { hexSize } from '../domain/evm/hex.ts'
import { bundleLimits } from '../domain/evm/simulation.ts'
import { maxTransactionGas } from '../domain/settlement/gas.ts'
import { builder } from './builder.ts'
import { requireAccess } from './context/access.ts'
import type { Context } from './context/context.ts'
import { tradingOn } from './context/networks.ts'
import {
  addressField,
  amountField,
  hexField,
  networkField,
  objectExpected,
  safeIntField,
} from './input/fields.ts'
import { inputArgument, inputType } from './input/input-type.ts'
import {
  BalanceChangeRef,
  BundleSimulationRef,
  DecodedArgumentRef,
  DecodedEventRef,
  SimulatedLogRef,
  SimulatedTransactionRef,
  StorageChangeRef,
  TokenRef,
} from './refs.ts'
import { tokenOfAddress } from './token/token.ts'

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

DecodedArgumentRef.implement({
  description: 'An argument of an event.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in the event.' }),
    type: t.exposeString('type', { description: 'The type in Solidity.' }),
    value: t.exposeString('value', { description: 'Numbers as decimals, addresses and bytes as hex.' }),
  }),
})

DecodedEventRef.implement({
  description: 'The event that a log stands for.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, such as Transfer.' }),
    arguments: t.expose('arguments', { type: [DecodedArgumentRef], description: 'Its arguments in order.' }),
  }),
})

SimulatedLogRef.implement({
  description: 'A log that a transaction would write.',
  fields: (t) => ({
    address: t.expose('address', { type: 'Address', description: 'The contract that writes it.' }),
    topics: t.expose('topics', { type: ['Bytes32'], description: 'The event and its indexed arguments.' }),
    data: t.expose('data', { type: 'Hex', description: 'The arguments that are not indexed.' }),
    event: t.expose('event', {
      type: DecodedEventRef,
      nullable: true,
      description:
        'The decoded event, if it is one of tokens, wrapped coins, pools or the settlement contract; else null. Any contract can write such a log.',
    }),
  }),
})

BalanceChangeRef.implement({
  description: 'The change of an account’s balance of a token since the start of the bundle.',
  fields: (t) => ({
    account: t.expose('account', { type: 'Address', description: 'The account of the balance.' }),
    token: t.field({
      type: TokenRef,
      description: 'The token; 0xEeee… is the chain’s own coin, without what gas costs.',
      resolve: ({ chainId, token }, _args, context, info) => tokenOfAddress(chainId, token, context, info),
    }),
    change: t.string({
      description: 'Atoms as digits, with a minus sign for less. By `balanceOf` of the token.',
      resolve: ({ change }) => String(change),
    }),
  }),
})

StorageChangeRef.implement({
  description: 'A slot that would not be as before the bundle.',
  fields: (t) => ({
    account: t.expose('account', { type: 'Address', description: 'The account of the storage.' }),
    slot: t.expose('slot', { type: 'Bytes32', description: 'Its key.' }),
    before: t.expose('before', { type: 'Bytes32', description: 'Its value before the bundle.' }),
    after: t.expose('after', { type: 'Bytes32', description: 'Its value after the transaction.' }),
  }),
})

SimulatedTransactionRef.implement({
  description:
    'The result of a simulated transaction. Changes are those of the bundle up to and including it.',
  fields: (t) => ({
    succeeds: t.exposeBoolean('succeeds', { description: 'True if it would succeed.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'The contract’s reason for a failure; null if it would succeed.',
    }),
    gasUsed: t.expose('gasUsed', { type: 'SafeInt', description: 'Gas, with the transaction’s own.' }),
    logs: t.field({
      type: [SimulatedLogRef],
      description: 'The logs, in their order: up to 500 of a bundle, with 128 KiB of data.',
      resolve: ({ logs }, _args, { countItems }) => countItems(logs),
    }),
    hasAllLogs: t.exposeBoolean('hasAllLogs', { description: 'True if `logs` has all logs.' }),
    balanceChanges: t.field({
      type: [BalanceChangeRef],
      description: 'Changes of the accounts that logs and transfers of native coin name.',
      resolve: ({ balances, chainId }, _args, { countItems }) =>
        countItems(balances.map((balance) => ({ ...balance, chainId }))),
    }),
    hasAllBalanceChanges: t.exposeBoolean('hasAllBalances', {
      description:
        'True if the balances of all accounts in logs and transfers were read: up to 64 for a bundle.',
    }),
    storageChanges: t.field({
      type: [StorageChangeRef],
      nullable: true,
      description: 'Null where the node does not trace, not in time, or too many slots change.',
      resolve: ({ storage }, _args, { countItems }) => storage && countItems(storage),
    }),
  }),
})

BundleSimulationRef.implement({
  description: 'The results of transactions that are sent one after the other.',
  fields: (t) => ({
    block: t.expose('block', { type: 'SafeInt', description: 'The block on whose state they run.' }),
    transactions: t.field({
      type: [SimulatedTransactionRef],
      description: 'The results, in the order of the input.',
      resolve: ({ transactions, chainId }) =>
        transactions.map((transaction) => ({ ...transaction, chainId })),
    }),
  }),
})

/** One bundle a request: it takes as long as a whole request may cost. */
const requests = new WeakSet<Context>()

builder.queryField('simulateBundle', (t) =>
  t.field({
    type: BundleSimulationRef,
    description:
      'Runs transactions on the network’s node without sending them, each on the state that the one before leaves. One bundle in a request, for those whom the deployment lets do it. It costs 6 units for each million gas that it may use, and 8 for each transaction at least, but no more than a client has at once.',
    extensions: { chargedFor: 'transactions', units: unitsPerTransaction },
    args: { input: inputArgument(t.arg, simulateBundleInput, 'The transactions.') },
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
