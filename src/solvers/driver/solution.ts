import { z } from 'zod'
import {
  formFault,
  outsideAddress,
  outsideAmount,
  outsideBytes,
  outsideGas,
  outsideList,
  outsideMap,
  outsideUid,
} from '../outside/fields.ts'

/** The limits of an answer, because parsing blocks the event loop. */
const maxSolutions = 20
const maxOrders = 100

const claim = z
  .object({
    side: z.enum(['sell', 'buy']),
    sellToken: outsideAddress,
    buyToken: outsideAddress,
    limitSell: outsideAmount,
    limitBuy: outsideAmount,
    executedSell: outsideAmount,
    executedBuy: outsideAmount,
  })
  .transform(({ side: kind, limitSell, limitBuy, executedSell, executedBuy, ...tokens }) => ({
    ...tokens,
    kind,
    sellAmount: limitSell,
    buyAmount: limitBuy,
    executed: { sell: executedSell, buy: executedBuy },
  }))

const solution = z.object({
  /** The id, a uint64. Values above 2^53 would be rounded, and name another solution. */
  solutionId: z.int().min(0),
  /** The driver's own score. It counts only among the solutions of one answer. */
  score: outsideAmount,
  submissionAddress: outsideAddress,
  orders: outsideMap(outsideUid, claim, maxOrders),
  gas: outsideGas.nullish(),
})

/** A solution of a driver: its executions, without the calls that make them. */
export type DriverSolution = z.infer<typeof solution>

const solved = z.object({
  solutions: outsideList(solution, maxSolutions).refine(
    (solutions) => new Set(solutions.map(({ solutionId }) => solutionId)).size === solutions.length,
  ),
})

const revealed = z.object({
  calldata: z.object({ internalized: outsideBytes, uninternalized: outsideBytes }),
})

const fault = z.object({ kind: z.string().max(100), description: z.string().nullish() })

export type DriverFault = z.infer<typeof fault>

/** Parses solutions. If the body has no form of the protocol, `fault` names the member. */
export function parseDriverSolutions(body: unknown): { solutions: DriverSolution[] } | { fault: string } {
  const answer = solved.safeParse(body)
  return answer.data ?? { fault: formFault(answer.error) }
}

/** Parses revealed calldata; undefined if invalid. */
export function parseRevealed(body: unknown): z.infer<typeof revealed>['calldata'] | undefined {
  return revealed.safeParse(body).data?.calldata
}

export function parseDriverFault(body: unknown): DriverFault | undefined {
  return fault.safeParse(body).data
}
