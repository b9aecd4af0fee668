import { Refusal } from '../../domain/errors/error.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { bundleBody } from '../../graphql/service/bundle/input.ts'
import type { PostNetworkSimulationSimulateBundleResult } from '../documents.generated.ts'
import { type Route, route } from '../row/route.ts'

/** Inputs of a bundle in hex, and what is around them. */
const maxBytes = 131_072

type Bundle = PostNetworkSimulationSimulateBundleResult['simulateBundle']
type Transaction = Bundle['transactions'][number]

export const bundleRoute: Route = route({
  on: 'POST /:network/simulation/simulateBundle',
  run: `query ($input: SimulateBundleInput!) {
    simulateBundle(input: $input) {
      block
      transactions {
        succeeds error gasUsed hasAllLogs hasAllBalanceChanges logs { address topics data event { name arguments { name type value } } }
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
    const transactions = (body as Record<string, unknown>[]).map(({ from, to, input, value, gas }) => ({
      ...{ from, to, input, value, gas },
    }))
    return { input: { network, transactions } as never }
  },
  answer: ({ simulateBundle: { block, transactions } }) =>
    transactions.map((transaction, index) => write(transaction, block, index)),
  statuses: { 'NotFound of network': 400 },
  access: { to: 'simulation', whenOff: 'MethodNotAllowed' },
  headers: { 'Cache-Control': 'no-store' },
  maxBytes,
})

/** Says of a transaction that creates a contract, which has no `to` or an empty one, what to do. */
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
