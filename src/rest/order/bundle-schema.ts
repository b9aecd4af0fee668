import { z } from 'zod'
import { address, amount, bytes32, count, hex } from '../openapi/schemas/primitives.ts'

const stateSlot = z.object({
  address: address.describe('Whose storage.'),
  key: bytes32.describe('The slot.'),
  original: bytes32.describe('Its value before the bundle.'),
  dirty: bytes32.describe('Its value after the transaction.'),
})

export const stateChange = z.object({
  address: address.describe('Whose storage.'),
  soltype: z.null().describe('Always null: types of variables are not known.'),
  original: z.null().describe('Always null.'),
  dirty: z.null().describe('Always null.'),
  raw: z.array(stateSlot).describe('Slots that are not as before the bundle.'),
})

export const simulatedLog = z.object({
  address: address.describe('The contract that writes it.'),
  topics: z.array(bytes32).describe('At most four.'),
  data: hex.describe('What is not indexed.'),
  event: z
    .object({
      name: z.string(),
      arguments: z.array(z.object({ name: z.string(), type: z.string(), value: z.string() })),
    })
    .nullable()
    .describe('What it says, where the event is a known one.'),
})

export const simulatedTransaction = z.object({
  status: z.boolean().describe('Whether it would succeed.'),
  id: z.string().describe('The block that it runs on, and its place in the bundle.'),
  error: z.string().optional().describe('Why it would fail; left out if it would not.'),
  gasUsed: amount.describe('Gas, that of the transaction included.'),
  cumulativeBalancesDiff: z
    .record(z.string(), z.record(z.string(), z.string().regex(/^-?[0-9]{1,78}$/)))
    .describe(
      'By holder and token: atoms more or less than before the bundle. 0xeeee… is the chain’s own coin.',
    ),
  stateDiff: z
    .array(stateChange)
    .optional()
    .describe('By account; left out where the node does not trace the bundle.'),
  logs: z.array(simulatedLog).describe('In their order; of a bundle at most 500.'),
  hasAllLogs: z.boolean().describe('Whether `logs` has all of them.'),
  hasAllBalanceChanges: z
    .boolean()
    .describe(
      'Whether those of all accounts that logs and transfers name were read: at most 64 for a bundle.',
    ),
  blockNumber: count.describe('The block on whose state it runs.'),
})

export const simulatedBundle = z.array(simulatedTransaction)
