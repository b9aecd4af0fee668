import { parseEther } from 'ethers'
import { z } from 'zod'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { integer } from '../settings/setting-readers.ts'

/** Which node is used, and what a settlement may cost. */
export const submissionSettings = {
  RPC_MAX_LAG_BLOCKS: integer(1, 10_000)
    .default(5)
    .describe('Blocks that a node may be behind another one of its network before that one is used instead.'),
  SETTLEMENT_MAX_GAS_PRICE: integer(1, 1_000_000)
    .default(500)
    .describe(
      'Most gwei that a settlement offers for a unit of gas; it is raised to that while it is pending.',
    ),
  GUARD_MIN_VALUE: z
    .string()
    .regex(/^[0-9]{1,9}(\.[0-9]{1,18})?$/, 'must be an amount of the native coin, such as 0.01')
    .default('0.01')
    .transform((coins) => parseEther(coins))
    .describe(
      'Tokens of which the settlement contract holds more than this, in native coins, are compared by every settlement of an outside solver, and called only in known ways.',
    ),
  SETTLEMENT_MAX_GAS: integer(100_000, Number(maxTransactionGas))
    .default(Number(maxTransactionGas))
    .describe('Most gas of a settlement: a solution that uses more does not win.'),
}
