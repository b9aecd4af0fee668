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
  SETTLEMENT_MAX_GAS: integer(100_000, Number(maxTransactionGas))
    .default(Number(maxTransactionGas))
    .describe('Most gas of a settlement: a solution that uses more does not win.'),
}
