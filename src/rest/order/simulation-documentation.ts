import { z } from 'zod'
import { simulationBody } from '../../graphql/order/simulation-input.ts'
import type { Operations, WrittenOperation } from '../openapi/operation.ts'
import { sample } from '../openapi/sample.ts'
import { orderSimulation } from './simulation-schema.ts'

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
  'On the network’s node, as one settlement of the order alone, sent by a made-up solver. Signature, funds and hooks are the order’s own; overrides let the solver settle and give the contract what the order buys. The setting `SIMULATION_ACCESS` says who may ask. `tenderlyUrl` is never there.'
const answers = { 200: { description: 'What became of it.', schema: orderSimulation } }
const codes = ['MethodNotAllowed', 'Unauthorized'] as const

const stored: Omit<WrittenOperation, 'id'> = {
  summary: 'Simulates what remains of an order at its limit price',
  description: `${description} Costs as much as some ten small reads.`,
  query: {
    block_number: {
      description: 'The block to simulate on; the newest when left out.',
      schema: z.int().min(0),
    },
  },
  answers,
  codes,
  examples: {
    settles: { summary: 'It would be settled', path: { uid: sample.settled }, answer: sampleSimulation },
    unknown: { summary: 'An unknown order', path: { uid: sample.unknownUid }, refused: 'missing' },
    malformed: {
      summary: 'No block',
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
      summary: 'Nothing to sell',
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
