import { z } from 'zod'
import { orderStages } from '../../../domain/order-stage.ts'
import { address, amount } from './primitives.ts'

export const executedAmounts = z.object({ sell: amount, buy: amount })

export const solverProposal = z.object({ solver: address, executedAmounts: executedAmounts.nullable() })

export const orderProgress = z.object({
  type: z.enum(orderStages).meta({ description: 'By its trades, and without one by its newest event.' }),
  value: z.array(solverProposal).optional().meta({
    description: 'For solved, executing and traded: the solutions of that competition, worst first.',
  }),
})
