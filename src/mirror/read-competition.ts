import { z } from 'zod'
import type { MirroredCompetition } from '../domain/auction/competition.ts'
import { auctionKey } from '../domain/auction/key.ts'
import { toOrderUid } from '../domain/order/order.ts'
import { address, amount, hash, parsed } from './read-order.ts'

/** Limits of a competition: real ones have some hundred orders, and some dozen solutions. */
const maxOrders = 20_000
const maxPrices = 20_000
const maxSolutions = 1_000
const maxExecutions = 20_000

const orderUid = parsed(toOrderUid)
const block = z.int().min(0)

const prices = z.record(z.string(), amount).transform((record, context) => {
  const map = new Map<z.infer<typeof address>, bigint>()
  for (const [token, price] of Object.entries(record)) {
    const read = address.safeParse(token)
    if (!read.success) context.addIssue({ code: 'custom', message: 'has a malformed address' })
    else map.set(read.data, price)
  }
  return map
})

const executionShape = z.object({
  id: orderUid,
  sellAmount: amount,
  buyAmount: amount,
  sellToken: address,
  buyToken: address,
})

const solutionShape = z.object({
  solverAddress: address,
  score: amount,
  ranking: z.int().min(1).max(1_000_000),
  isWinner: z.boolean(),
  filteredOut: z.boolean().default(false),
  referenceScore: amount.nullish(),
  txHash: hash.nullish(),
  clearingPrices: prices.catch(new Map()),
  orders: z.array(executionShape).max(maxExecutions),
})

/** A competition as order books write it in the second version. Other members are left out. */
const competitionShape = z
  .object({
    auctionId: z.int().min(0),
    auctionStartBlock: block,
    auctionDeadlineBlock: block,
    referenceScores: prices.default(new Map()),
    auction: z.object({ orders: z.array(orderUid).max(maxOrders), prices }),
    solutions: z.array(solutionShape).max(maxSolutions),
  })
  .refine(({ auction }) => auction.prices.size <= maxPrices)
  .refine(({ solutions }) => sumOf(solutions, ({ clearingPrices }) => clearingPrices.size) <= maxPrices)
  .refine(({ solutions }) => solutions.every(({ orders }) => isDistinct(orders.map(({ id }) => id))))
  .refine(({ solutions }) => sumOf(solutions, ({ orders }) => orders.length) <= maxExecutions)

function sumOf<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}

const isDistinct = (values: readonly string[]) => new Set(values).size === values.length

/** Reads a competition; undefined if it is malformed. */
export function readCompetition(body: unknown, chainId: number): MirroredCompetition | undefined {
  const { data } = competitionShape.safeParse(body)
  if (!data) return undefined
  const number = BigInt(data.auctionId)
  if (auctionKey(chainId, number) === undefined) return undefined
  return {
    chainId,
    number,
    block: data.auctionStartBlock,
    deadlineBlock: data.auctionDeadlineBlock,
    orders: data.auction.orders,
    nativePrices: data.auction.prices,
    // The worst comes first, and a uid is the place from the best.
    solutions: data.solutions.toReversed().map(({ solverAddress: solver, orders, ...solution }, uid) => ({
      uid,
      solver,
      ranking: solution.ranking,
      isWinner: solution.isWinner,
      filteredOut: solution.filteredOut,
      score: solution.score,
      referenceScore:
        solution.referenceScore ?? (solution.isWinner ? (data.referenceScores.get(solver) ?? null) : null),
      txHash: solution.txHash ?? null,
      clearingPrices: solution.clearingPrices,
      executions: orders.map(({ id, sellAmount, buyAmount, ...tokens }) => ({
        ...tokens,
        orderUid: id,
        executedSell: sellAmount,
        executedBuy: buyAmount,
      })),
    })),
  }
}
