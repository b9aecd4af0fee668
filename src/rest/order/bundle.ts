import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import { bundleBody } from '../../graphql/bundle-simulation.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import type {
  BundleTransactionInput,
  PostNetworkSimulationSimulateBundleResult,
} from '../documents.generated.ts'
import type { Operations } from '../openapi/operation.ts'
import { amount } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { fieldSchema, selected } from '../openapi/selected.ts'
import { type Route, route } from '../routing/route.ts'

/** The bundle's inputs in hex, and the JSON around them. */
const maxBytes = 131_072

type Bundle = PostNetworkSimulationSimulateBundleResult['simulateBundle']
type Transaction = Bundle['transactions'][number]

const logFields = 'address topics data event { name arguments { name type value } }'
const completeFields = 'hasAllLogs hasAllBalanceChanges'

export const bundleRoute: Route = route({
  on: 'POST /:network/simulation/simulateBundle',
  run: `query ($input: SimulateBundleInput!) {
    simulateBundle(input: $input) {
      block
      transactions {
        succeeds error gasUsed logs { ${logFields} } ${completeFields}
        balanceChanges { account token { address } change } storageChanges { account slot before after }
      }
    }
  }`,
  variables: ({ network, body }) => {
    try {
      parseInput(bundleBody, body)
    } catch (refusal) {
      throw refusalOfCreation(refusal, body) ?? refusal
    }
    const transactions = (body as BundleTransactionInput[]).map(({ from, to, input, value, gas }) => ({
      from,
      to,
      input,
      value,
      gas,
    }))
    return { input: { network, transactions } }
  },
  answer: ({ simulateBundle: { block, transactions } }) =>
    transactions.map((transaction, index) => write(transaction, block, index)),
  statuses: { 'NotFound of network': 400 },
  access: { to: 'simulation', whenOff: 'MethodNotAllowed' },
  headers: { 'Cache-Control': 'no-store' },
  maxBytes,
})

/** Advises on a transaction that creates a contract: its `to` is missing or empty. */
function refusalOfCreation(refusal: unknown, body: unknown): Refusal | undefined {
  const field = (refusal instanceof Refusal && refusal.field) || ''
  const index = /^\[(\d+)\]\.to$/.exec(field)?.[1]
  if (index === undefined || !Array.isArray(body)) return undefined
  if (![undefined, null, '', '0x'].includes(body[Number(index)].to)) return undefined
  return new Refusal(
    'InvalidParameter',
    `${field} is required: a bundle cannot create contracts, simulate a call of the contract’s deployer instead`,
    { field },
  )
}

function write(transaction: Transaction, blockNumber: number, index: number) {
  const { succeeds, error, gasUsed, logs, balanceChanges, storageChanges, ...complete } = transaction
  return {
    status: succeeds,
    id: `${blockNumber}-${index}`,
    ...(error !== null && { error }),
    gasUsed: String(gasUsed),
    cumulativeBalancesDiff: writeBalances(balanceChanges),
    ...(storageChanges && { stateDiff: writeState(storageChanges) }),
    logs,
    ...complete,
    blockNumber,
  }
}

function writeBalances(changes: Transaction['balanceChanges']) {
  const holders: Record<string, Record<string, string>> = {}
  for (const { account, token, change } of changes)
    holders[account] = { ...holders[account], [token.address]: change }
  return holders
}

function writeState(changes: NonNullable<Transaction['storageChanges']>) {
  const accounts = [...new Set(changes.map(({ account }) => account))]
  return accounts.map((account) => ({
    address: account,
    soltype: null,
    original: null,
    dirty: null,
    raw: changes
      .filter((change) => change.account === account)
      .map(({ slot, before, after }) => ({ address: account, key: slot, original: before, dirty: after })),
  }))
}

const stateSlot = z.object({
  address: fieldSchema('StorageChange.account'),
  key: fieldSchema('StorageChange.slot'),
  original: fieldSchema('StorageChange.before'),
  dirty: fieldSchema('StorageChange.after'),
})

const alwaysNull = z.null().describe('Always null.')

export const stateChange = z.object({
  address: fieldSchema('StorageChange.account'),
  soltype: z.null().describe('Always null: types of variables are unknown.'),
  original: alwaysNull,
  dirty: alwaysNull,
  raw: z.array(stateSlot).describe('Slots that differ from before the bundle.'),
})

export const simulatedLog = selected('SimulatedLog', logFields)

export const simulatedTransaction = selected('SimulatedTransaction', completeFields, {
  status: fieldSchema('SimulatedTransaction.succeeds'),
  id: z.string().describe('Its block, and its position in the bundle.'),
  error: z.string().optional().describe('The reason of a failure; left out on success.'),
  gasUsed: amount,
  cumulativeBalancesDiff: z
    .record(z.string(), z.record(z.string(), z.string().regex(/^-?[0-9]{1,78}$/)))
    .describe(
      'Changes in atoms since before the bundle, by holder and token. 0xeeee… is the chain’s own coin.',
    ),
  stateDiff: z
    .array(stateChange)
    .optional()
    .describe('Changes by account; left out if the node does not trace the bundle.'),
  logs: z.array(simulatedLog),
  blockNumber: fieldSchema('BundleSimulation.block'),
})

export const simulatedBundle = z.array(simulatedTransaction)

const word = (text: string) => `0x${text.padStart(64, '0')}`
const [from, to] = [sample.trader, sample.otherTrader]
const slot = `0x${'5c'.repeat(32)}`

/** A transfer of one USDC. */
const transaction = {
  from,
  to: sample.usdc,
  input: `0xa9059cbb${to.slice(2).padStart(64, '0')}${word('f4240').slice(2)}`,
  value: '0',
  gas: 100_000,
}

/** The node's result. */
export const sampleBundle = [
  {
    status: true,
    id: '7-0',
    gasUsed: '51534',
    cumulativeBalancesDiff: { [from]: { [sample.usdc]: '-1000000' }, [to]: { [sample.usdc]: '1000000' } },
    stateDiff: [
      {
        address: sample.usdc,
        soltype: null,
        original: null,
        dirty: null,
        raw: [{ address: sample.usdc, key: slot, original: word('0'), dirty: word('f4240') }],
      },
    ],
    logs: [
      {
        address: sample.usdc,
        topics: [
          '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
          word(from.slice(2)),
          word(to.slice(2)),
        ],
        data: word('f4240'),
        event: {
          name: 'Transfer',
          arguments: [
            { name: 'from', type: 'address', value: from },
            { name: 'to', type: 'address', value: to },
            { name: 'value', type: 'uint256', value: '1000000' },
          ],
        },
      },
    ],
    hasAllLogs: true,
    hasAllBalanceChanges: true,
    blockNumber: 7,
  },
]

export const bundleOperations: Operations = {
  'POST /:network/simulation/simulateBundle': {
    id: 'simulateBundle',
    summary: 'Simulates transactions in sequence',
    description:
      'Runs on the network’s node, on the state of the newest block; nothing is sent or kept. At most 10 transactions with 49,152 bytes of input and 30,000,000 gas together; each counts as eight small reads. Gas costs nothing, and nonces are not checked. The setting `SIMULATION_ACCESS` decides who may use it. There are no links to pages of a provider.',
    body: bundleBody,
    answers: {
      200: { description: 'The result of each transaction, in order.', schema: simulatedBundle },
    },
    codes: ['MethodNotAllowed', 'Unauthorized', 'FeatureDisabled'],
    examples: {
      transfer: { summary: 'A transfer of one USDC', body: [transaction], answer: sampleBundle },
      empty: {
        summary: 'No transactions',
        body: [],
        refused: ['InvalidParameter', 'must have a transaction'],
      },
      malformed: {
        summary: 'A malformed call',
        body: [{ ...transaction, input: 'transfer' }],
        refused: ['InvalidParameter', '[0].input must be bytes of hex with 0x in front'],
      },
      creation: {
        summary: 'A transaction that creates a contract',
        body: [{ from: sample.trader, input: '0x6001600055' }],
        refused: [
          'InvalidParameter',
          '[0].to is required: a bundle cannot create contracts, simulate a call of the contract’s deployer instead',
        ],
      },
    },
  },
}
