import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { StateOverride } from '../../domain/evm/simulation.ts'
import { parseInput } from '../../graphql/input/parse.ts'
import { blockText, simulationBody } from '../../graphql/order/simulation.ts'
import type { PostApiV1DebugSimulationResult, SimulateOrderInput } from '../documents.generated.ts'
import type { Operations, WrittenOperation } from '../openapi/operation.ts'
import { count, hex } from '../openapi/primitives.ts'
import { sample } from '../openapi/sample.ts'
import { selected } from '../openapi/selected.ts'
import { type RestRequest, type Route, route } from '../routing/route.ts'

const access = { to: 'simulation', whenOff: 'MethodNotAllowed' } as const

const callFields = 'from to input gas'
const fields = `error block ${callFields} stateOverrides`

type Simulated = PostApiV1DebugSimulationResult['simulateOrder']

/** Simulations of orders. The restricted paths are the operator's. */
export const simulationRoutes: Route[] = ['', '/restricted'].flatMap((prefix) => [
  route({
    on: `GET ${prefix}/api/v1/debug/simulation/:uid`,
    run: `query ($network: NetworkName!, $uid: OrderUid!, $blockNumber: SafeInt) {
      network(name: $network) { chainId }
      order(uid: $uid, network: $network) {
        simulation(blockNumber: $blockNumber) { ${fields} }
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
      simulateOrder(input: $input) { ${fields} }
    }`,
    variables: ({ network, body }: RestRequest) => {
      parseInput(simulationBody, body)
      return { network, input: { ...(body as SimulateOrderInput), network } }
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

const stateObject = z.object({
  balance: hex.optional().describe('Native atoms, in hex.'),
  code: hex.optional().describe('Its code.'),
  storage: z.record(z.string(), hex).optional().describe('Values by slot.'),
})

export const tenderlyRequest = selected('OrderSimulation', callFields, {
  network_id: z.string().describe('The chain id.'),
  block_number: count.optional().describe('The requested block; left out for the newest.'),
  simulation_type: z.literal('full').describe('Always full.'),
  state_objects: z
    .record(z.string(), stateObject)
    .describe(
      'Overrides of the accounts’ own state: the solver is allowed, and the contract has the bought tokens.',
    ),
})

export const orderSimulation = selected('OrderSimulation', 'error', { tenderlyRequest })

export const sampleSimulation = {
  tenderlyRequest: {
    network_id: '11155111',
    from: '0x501e501e501e501e501e501e501e501e501e501e',
    to: '0x9008d19f58aabd9ed0d60971565aa8510560ab41',
    input: '0x13d79a0b',
    gas: 16_777_215,
    simulation_type: 'full',
    state_objects: {
      '0x2c4c28ddbdac9c5e7055b4c863b72ea0149d8afe': { code: '0x600160005260206000f3' },
    },
  },
  error: null,
}

const description =
  'Runs on the network’s node, as a settlement of the order alone by a made-up solver. Signature, funds and hooks are the order’s own; overrides let the solver settle and give the contract the bought tokens. The setting `SIMULATION_ACCESS` decides who may use it. `tenderlyUrl` is never present.'
const answers = { 200: { description: 'The result of the simulation.', schema: orderSimulation } }
const codes = ['MethodNotAllowed', 'Unauthorized'] as const

const stored: Omit<WrittenOperation, 'id'> = {
  summary: 'Simulates what remains of an order at its limit price',
  description: `${description} Costs about ten small reads.`,
  query: {
    block_number: {
      description: blockText,
      schema: z.int().min(0),
    },
  },
  answers,
  codes,
  examples: {
    settles: { summary: 'It would be settled', path: { uid: sample.settled }, answer: sampleSimulation },
    unknown: { summary: 'An unknown order', path: { uid: sample.unknownUid }, refused: 'missing' },
    malformed: {
      summary: 'A malformed block number',
      path: { uid: sample.settled },
      query: { block_number: 'latest' },
      refused: ['InvalidParameter', 'block_number must be the number of a block'],
    },
  },
}

const order = {
  sellToken: '0xfff9976782d46cc05630d1f6ebab18b2324d6b14',
  buyToken: sample.usdc,
  sellAmount: '1000000000000000000',
  buyAmount: '2900000000',
  kind: 'sell',
  owner: sample.trader,
  appData: '{}',
  signingScheme: 'presign',
  signature: '0x',
  feeAmount: '0',
  validTo: 1_800_001_201,
  partiallyFillable: false,
}

const given: Omit<WrittenOperation, 'id'> = {
  summary: 'Simulates an order that need not be stored',
  description: `${description} Counts as a quote.`,
  body: simulationBody,
  answers,
  codes: [...codes, 'InvalidSignature', 'BadRequest', 'SellAmountOverflow', 'BuyAmountOverflow'],
  examples: {
    settles: { summary: 'It would be settled', body: order, answer: sampleSimulation },
    document: {
      summary: 'A malformed document',
      body: { ...order, appData: '{' },
      refused: ['BadRequest', 'appData is not JSON'],
    },
    nothing: {
      summary: 'A sell amount of 0',
      body: { ...order, sellAmount: '0' },
      refused: ['InvalidParameter', 'sellAmount must not be 0'],
    },
  },
}

export const simulationOperations: Operations = {
  'GET /api/v1/debug/simulation/:uid': { id: 'simulation', ...stored },
  'POST /api/v1/debug/simulation': { id: 'simulateOrder', ...given },
  'GET /restricted/api/v1/debug/simulation/:uid': { id: 'restrictedSimulation', ...stored },
  'POST /restricted/api/v1/debug/simulation': { id: 'restrictedSimulateOrder', ...given },
}
