import { z } from 'zod'
import { nativePrices } from './debug-report.ts'
import { address, amount, bytes32, count, orderUid } from './primitives.ts'

const auction = z
  .object({
    orders: z.array(orderUid).meta({ description: 'Orders that could be traded.' }),
    prices: nativePrices,
  })
  .meta({ description: 'What solvers were given.' })

const solution = z.object({
  solverAddress: address.meta({ description: 'Who proposed it.' }),
  score: amount,
  ranking: count,
  clearingPrices: z.record(address, amount).meta({ description: 'Always empty: they are not kept.' }),
  isWinner: z.boolean(),
  filteredOut: z.boolean(),
})

const solutionOrder = z.object({
  id: orderUid.meta({ description: 'The order.' }),
  sellAmount: amount.meta({ description: 'What it sells, all fees included.' }),
  buyAmount: amount.meta({ description: 'What it buys after all fees.' }),
})

const head = {
  auctionId: count,
  transactionHashes: z.array(bytes32),
  auctionStartBlock: count.meta({ description: 'The block it was built on.' }),
  auction,
}

export const competitionSolution = solution.extend({
  orders: z.array(solutionOrder.extend({ sellToken: address, buyToken: address })),
  txHash: bytes32.nullable(),
  referenceScore: amount.nullable(),
})

export const competition = z.object({
  ...head,
  auctionDeadlineBlock: count.meta({ description: 'The last block for a settlement.' }),
  referenceScores: z.record(address, amount).meta({ description: 'Of each winner, by solver.' }),
  solutions: z.array(competitionSolution).meta({ description: 'Worst first, the best last.' }),
})

export const competitionSolutionV1 = solution.extend({
  solver: address.meta({ description: 'Equal to solverAddress.' }),
  orders: z.array(solutionOrder),
})

export const competitionV1 = z.object({
  ...head,
  competitionSimulationBlock: count.meta({ description: 'Equal to auctionStartBlock.' }),
  solutions: z.array(competitionSolutionV1).meta({ description: 'Worst first, the best last.' }),
})
