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

/** Limited, because parsing blocks the event loop. */
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
  /** uint64; larger ones than 2^53 would be rounded, and name another solution. */
  solutionId: z.int().min(0),
  /** The driver's own. It counts only among the solutions of one answer. */
  score: outsideAmount,
  submissionAddress: outsideAddress,
  orders: outsideMap(outsideUid, claim, maxOrders),
  gas: outsideGas.nullish(),
})

/** A solution of a driver: what would be executed, without the calls that do it. */
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

/** Where the body has no form of the protocol, `fault` says in which member. */
export function parseDriverSolutions(body: unknown): { solutions: DriverSolution[] } | { fault: string } {
  const answer = solved.safeParse(body)
  return answer.data ?? { fault: formFault(answer.error) }
}

/** What it would submit, or `undefined`. */
export function parseRevealed(body: unknown): z.infer<typeof revealed>['calldata'] | undefined {
  return revealed.safeParse(body).data?.calldata
}

export function parseDriverFault(body: unknown): DriverFault | undefined {
  return fault.safeParse(body).data
}
