import { z } from 'zod'
import { orderEventLabels } from '../../../domain/event.ts'
import { order } from './order.ts'
import { address, amount, bytes32, count, orderUid, share, timestamp } from './primitives.ts'

export const orderEvent = z.object({
  label: z.enum(orderEventLabels),
  timestamp,
  reason: z.string().optional(),
})

export const proposedSolution = z.object({
  solutionUid: count,
  ranking: count,
  solver: address,
  isWinner: z.boolean(),
  filteredOut: z.boolean(),
  score: amount,
  executedSell: amount,
  executedBuy: amount,
})

export const execution = z.object({
  executedFee: amount,
  executedFeeToken: address,
  blockNumber: count,
  protocolFees: z.array(z.object({ token: address, amount })),
})

export const settlementAttempt = z.object({
  solver: address,
  solutionUid: count,
  startTimestamp: timestamp,
  startBlock: count,
  deadlineBlock: count,
  endTimestamp: timestamp.optional(),
  endBlock: count.optional(),
  outcome: z.string().optional(),
})

export const feePolicy = z.object({
  kind: z.enum(['surplus', 'volume', 'priceImprovement']),
  surplusFactor: share.optional(),
  surplusMaxVolumeFactor: share.optional(),
  volumeFactor: share.optional(),
  priceImprovementFactor: share.optional(),
  priceImprovementMaxVolumeFactor: share.optional(),
})

export const nativePrices = z.record(address, amount).meta({
  description: 'By token: native atoms for 10^18 atoms.',
})

export const auctionReport = z.object({
  id: count,
  block: count,
  deadline: count,
  nativePrices,
  proposedSolutions: z.array(proposedSolution),
  executions: z.array(execution),
  settlementAttempts: z.array(settlementAttempt),
  feePolicies: z.array(feePolicy),
})

export const reportedTrade = z.object({
  blockNumber: count,
  logIndex: count,
  buyAmount: amount,
  sellAmount: amount,
  sellAmountBeforeFees: amount,
  txHash: bytes32.optional(),
  auctionId: count.optional(),
})

export const debugReport = z.object({
  orderUid,
  order,
  events: z.array(orderEvent),
  auctions: z.array(auctionReport),
  trades: z.array(reportedTrade),
})
