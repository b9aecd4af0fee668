import { parseInput } from '../../../graphql/errors/input.ts'
import { maxNamedPools } from '../../../graphql/token/pool.ts'
import type { PostNetworkYieldPoolsResult } from '../../documents.generated.ts'
import { type Route, route } from '../../row/route.ts'
import { poolAddresses } from './schema.ts'

/** As on the routes of tokens: 404 is for what was asked about. */
const statuses: Route['statuses'] = { 'NotFound of network': 400 }

/** Five hundred addresses, with room for spaces. */
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

/** REST has JSON numbers: the nearest doubles, and 0 for what is not known. */
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
