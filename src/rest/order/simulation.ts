import { Refusal } from '../../domain/errors/error.ts'
import type { StateOverride } from '../../domain/order/simulation.ts'
import { parseInput } from '../../graphql/errors/input.ts'
import { simulationBody } from '../../graphql/order/simulation-input.ts'
import type { RestRequest } from '../row/route.ts'
import { type Route, route } from '../row/route.ts'

const access = { to: 'simulation', whenOff: 'MethodNotAllowed' } as const

interface Simulated {
  error: string | null
  block: number | null
  from: string
  to: string
  input: string
  gas: number
  stateOverrides: unknown
}

/** Simulations of orders. The restricted paths are those of the operator. */
export const simulationRoutes: Route[] = ['', '/restricted'].flatMap((prefix) => [
  route({
    on: `GET ${prefix}/api/v1/debug/simulation/:uid`,
    run: `query ($network: NetworkName!, $uid: OrderUid!, $blockNumber: SafeInt) {
      network(name: $network) { chainId }
      order(uid: $uid, network: $network) {
        simulation(blockNumber: $blockNumber) { error block from to input gas stateOverrides }
      }
    }`,
    variables: ({ network, path, query }) => ({
      network,
      uid: path.uid ?? '',
      blockNumber: readBlock(query.get('block_number')),
    }),
    answer: ({ network, order }) => order && toAnswer(network.chainId, order.simulation),
    missing: 'Order was not found',
    access,
    restricted: prefix !== '',
  }),
  route({
    on: `POST ${prefix}/api/v1/debug/simulation`,
    run: `query ($network: NetworkName!, $input: SimulateOrderInput!) {
      network(name: $network) { chainId }
      simulateOrder(input: $input) { error block from to input gas stateOverrides }
    }`,
    variables: ({ network, body }: RestRequest) => {
      parseInput(simulationBody, body)
      return { network, input: { ...(body as object), network } as never }
    },
    answer: ({ network, simulateOrder }) => toAnswer(network.chainId, simulateOrder),
    access,
    restricted: prefix !== '',
  }),
])

function toAnswer(chainId: number, { error, block, from, to, input, gas, stateOverrides }: Simulated) {
  const overrides = Object.entries(stateOverrides as Record<string, StateOverride>)
  return {
    tenderlyRequest: {
      network_id: String(chainId),
      ...(block !== null && { block_number: block }),
      from,
      to,
      input,
      gas,
      simulation_type: 'full',
      state_objects: Object.fromEntries(
        overrides.map(([account, { stateDiff, ...state }]) => [
          account,
          { ...state, ...(stateDiff && { storage: stateDiff }) },
        ]),
      ),
    },
    error,
  }
}

/** @throws Refusal InvalidParameter */
function readBlock(text: string | null): number | null {
  if (text === null) return null
  if (/^[0-9]{1,15}$/.test(text)) return Number(text)
  throw new Refusal('InvalidParameter', 'block_number must be the number of a block', {
    field: 'block_number',
  })
}
