import type { Operations, WrittenExample } from '../../openapi/operation.ts'
import { sample } from '../../openapi/sample.ts'
import { averageAprs, poolAddresses, poolList } from './schema.ts'

const elsewhere: WrittenExample = {
  summary: 'A chain that is not served',
  path: { network: 'atlantis' },
  refused: ['InvalidParameter', 'there is no network atlantis, but sepolia'],
}

const deepest = {
  contract_address: sample.pool,
  chain_id: 11155111,
  project: 'uniswap_v2',
  apr: 1.095,
  fee: 0.3,
  tvl: 60000000,
  volume: 600000,
}

export const poolOperations: Operations = {
  'POST /:network/yield/pools': {
    id: 'pools',
    summary: 'Value, volume and yield of pools',
    description:
      'Of the pools that the service follows: those between the network’s base tokens, and those that quotes and auctions used within a week. The greatest value first, at most 500. Reserves, prices, the age of the figures and what is not known are at `/graphql`, in `Network.pools`.',
    body: poolAddresses,
    answers: {
      200: { description: 'Those that are followed; the others are left out.', schema: poolList },
    },
    examples: {
      all: { summary: 'All', body: [], answer: [deepest] },
      two: {
        summary: 'One that is followed, and one that is not',
        body: [sample.pool, sample.newcomer],
        answer: [deepest],
      },
      none: { summary: 'None that is followed', body: [sample.newcomer], answer: [] },
      malformed: {
        summary: 'No address',
        body: ['0x12'],
        refused: ['InvalidParameter', '[0] must be an address: 20 bytes of hex with 0x in front'],
      },
      noList: {
        summary: 'No list',
        body: {},
        refused: ['InvalidParameter', 'a JSON list of addresses is expected'],
      },
      elsewhere: { ...elsewhere, body: [] },
    },
  },
  'GET /:network/yield/pools-average-apr': {
    id: 'averageApr',
    summary: 'The yield of all pools together',
    answers: {
      200: {
        description:
          'Per cent a year by project: the fees of all pools that are followed over their value, so that a pool counts by what is locked in it. Rounded to 6 decimals; empty while none is known.',
        schema: averageAprs,
        headers: ['Cache-Control', 'ETag', 'Age', 'Warning'],
      },
    },
    examples: {
      average: { summary: 'One project', answer: { uniswap_v2: 1.095 } },
      elsewhere,
    },
  },
}
