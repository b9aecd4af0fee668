import { bundleBody } from '../../graphql/service/bundle/input.ts'
import type { Operations } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { simulatedBundle } from './bundle-schema.ts'

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

/** What the node says of it. */
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
    summary: 'Simulates transactions that are sent one after the other',
    description:
      'On the network’s node, on the state of the newest block; nothing is sent or kept. At most 10 transactions with 49,152 bytes of input and 30,000,000 gas together; each counts as eight small reads. Gas costs nothing, and nonces are not checked. The setting `SIMULATION_ACCESS` says who may ask. There are no links to pages of a provider.',
    body: bundleBody,
    answers: {
      200: { description: 'What would become of each, in their order.', schema: simulatedBundle },
    },
    codes: ['MethodNotAllowed', 'Unauthorized', 'FeatureDisabled'],
    examples: {
      transfer: { summary: 'A transfer of one USDC', body: [transaction], answer: sampleBundle },
      empty: {
        summary: 'No transaction',
        body: [],
        refused: ['InvalidParameter', 'must have a transaction'],
      },
      malformed: {
        summary: 'A malformed call',
        body: [{ ...transaction, input: 'transfer' }],
        refused: ['InvalidParameter', '[0].input must be bytes of hex with 0x in front'],
      },
      creation: {
        summary: 'A contract that would be created',
        body: [{ from: sample.trader, input: '0x6001600055' }],
        refused: [
          'InvalidParameter',
          '[0].to is required: a bundle cannot create contracts, simulate a call of the contract’s deployer instead',
        ],
      },
    },
  },
}
