import { z } from 'zod'
import { addressField } from '../../graphql/input/fields.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import { maxNamedPools } from '../../graphql/token/pool.ts'
import type { PostNetworkYieldPoolsResult } from '../documents.generated.ts'
import type { Operations, WrittenExample } from '../openapi/operation.ts'
import { count } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { fieldSchema } from '../openapi/selected.ts'
import { type Route, route } from '../routing/route.ts'

export const poolAddresses = z
  .array(addressField, { error: 'a JSON list of addresses is expected' })
  .max(maxNamedPools, `at most ${maxNamedPools} pools may be named`)
  .meta({ description: 'Contracts of pools. An empty list stands for all.' })

const percent = z.number().min(0)
const dollars = z.number().min(0)

export const poolFigures = z.object({
  contract_address: fieldSchema('Pool.address'),
  chain_id: count.meta({ description: 'The chain of the pool.' }),
  project: fieldSchema('Pool.project'),
  apr: percent.meta({
    description: 'Fees of the last day over a year, in per cent of the value; 0 if unknown.',
  }),
  fee: percent.meta({ description: 'The fee in per cent of the input.' }),
  tvl: dollars.meta({ description: 'US dollars locked in it; 0 if unknown.' }),
  volume: dollars.meta({
    description: 'US dollars of input within 24 hours; 0 if unknown.',
  }),
})

export const poolList = z.array(poolFigures)

export const averageAprs = z.record(z.string(), percent)

/** Like the routes of tokens: 404 is for the requested item. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

/** Five hundred addresses and the spaces between. */
const maxBytes = 32_768

/** Figures of pools, below the segment of the network. */
export const poolRoutes: Route[] = [
  route({
    on: 'POST /:network/yield/pools',
    run: `query ($network: NetworkName!, $addresses: [Address!]) {
      network(name: $network) { chainId pools(first: ${maxNamedPools}, addresses: $addresses) {
        nodes { address project apr feeBps valueUsd volumeUsd }
      } }
    }`,
    variables: ({ network, body }) => {
      const addresses = parseInput(poolAddresses, body)
      return { network, addresses: addresses.length > 0 ? addresses : null }
    },
    answer: ({ network: { chainId, pools } }) => (pools?.nodes ?? []).map((pool) => writePool(pool, chainId)),
    statuses,
    headers: { 'Cache-Control': 'no-store' },
    maxBytes,
  }),
  route({
    on: 'GET /:network/yield/pools-average-apr',
    run: `query ($network: NetworkName!) {
      network(name: $network) { poolProject pools(first: 1) { averageApr age maxAge isStale } }
    }`,
    variables: ({ network }) => ({ network }),
    answer: ({ network: { poolProject, pools } }) =>
      pools?.averageApr == null ? {} : { [poolProject]: Number(Number(pools.averageApr).toFixed(6)) },
    statuses,
    freshness: ({ network: { pools } }) => pools,
  }),
]

type ListedPool = NonNullable<PostNetworkYieldPoolsResult['network']['pools']>['nodes'][number]

/** Writes JSON numbers: the nearest doubles, and 0 for unknown values. */
function writePool({ address, project, apr, feeBps, valueUsd, volumeUsd }: ListedPool, chainId: number) {
  return {
    contract_address: address,
    chain_id: chainId,
    project,
    apr: Number(apr ?? 0),
    fee: feeBps / 100,
    tvl: Number(valueUsd ?? 0),
    volume: Number(volumeUsd ?? 0),
  }
}

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
      'Figures of the pools that the service follows: those between the network’s base tokens, and those that quotes and auctions used within a week. At most 500, largest value first. Reserves, prices, the age of the figures and unknown values are at `/graphql`, in `Network.pools`.',
    body: poolAddresses,
    answers: {
      200: { description: 'The pools that the service follows; others are left out.', schema: poolList },
    },
    examples: {
      all: { summary: 'All', body: [], answer: [deepest] },
      two: {
        summary: 'A pool that is followed, and one that is not',
        body: [sample.pool, sample.newcomer],
        answer: [deepest],
      },
      none: { summary: 'No followed pool', body: [sample.newcomer], answer: [] },
      malformed: {
        summary: 'A malformed address',
        body: ['0x12'],
        refused: ['InvalidParameter', '[0] must be an address: 20 bytes of hex with 0x in front'],
      },
      noList: {
        summary: 'A body that is not a list',
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
          'Per cent a year by project: the fees of all followed pools over their value, so that a pool counts by its locked value. Rounded to 6 decimals; empty while none is known.',
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
