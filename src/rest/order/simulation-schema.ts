import { z } from 'zod'
import { address, count, hex } from '../openapi/schemas/primitives.ts'

const stateObject = z.object({
  balance: hex.optional().describe('Native atoms, in hex.'),
  code: hex.optional().describe('Its code.'),
  storage: z.record(z.string(), hex).optional().describe('Values by slot.'),
})

export const tenderlyRequest = z.object({
  network_id: z.string().describe('The chain id.'),
  block_number: count.optional().describe('The block that was named; left out for the newest.'),
  from: address.describe('The made-up solver that sends it.'),
  to: address.describe('The settlement contract.'),
  input: hex.describe('The call.'),
  gas: count.describe('The most gas that it may use.'),
  simulation_type: z.literal('full').describe('Always full.'),
  state_objects: z
    .record(z.string(), stateObject)
    .describe(
      'What the call finds in place of an account’s own state: the solver is allowed, and the contract has what the order buys.',
    ),
})

export const orderSimulation = z.object({
  tenderlyRequest: tenderlyRequest,
  error: z.string().nullable().describe('Why it fails, in the contract’s words; null if it would succeed.'),
})
