import { z } from 'zod'
import { Refusal } from '../../domain/errors/error.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import { invalidResponse, OutsideFault, printable } from '../../outside/fault.ts'
import {
  exchangeJson,
  isObject,
  type JsonPeer,
  type JsonResponse,
  type JsonText,
} from '../../outside/http-json.ts'
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
import type { Assignment } from '../solver.ts'

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

type DriverFault = z.infer<typeof fault>

/** Parses solutions. If the body has no form of the protocol, `fault` names the member. */
function parseDriverSolutions(body: unknown): { solutions: DriverSolution[] } | { fault: string } {
  const answer = solved.safeParse(body)
  return answer.data ?? { fault: formFault(answer.error) }
}

/** Parses revealed calldata; undefined if invalid. */
function parseRevealed(body: unknown): z.infer<typeof revealed>['calldata'] | undefined {
  return revealed.safeParse(body).data?.calldata
}

function parseDriverFault(body: unknown): DriverFault | undefined {
  return fault.safeParse(body).data
}

/**
 * A driver that takes part in auctions, behind HTTP. Each call throws an OutsideFault if it is down, slow or
 * sends invalid data.
 */
export interface CompetingDriver {
  /** Requests solutions. @throws Refusal with the driver's own reason */
  solve(auctionId: bigint, request: JsonText, signal: AbortSignal): Promise<DriverSolution[]>
  /** Returns the calldata that it would submit. @throws Refusal with the driver's own reason */
  reveal(solution: Omit<Assignment, 'deadlineBlock'>, signal: AbortSignal): Promise<Hex>
  /**
   * Requests the settlement. Resolves as soon as the driver answers: at once, or when it is done.
   * @returns the reason why it does not settle
   */
  settle(assignment: Assignment, signal: AbortSignal): Promise<string | undefined>
}

interface Peers {
  solve: JsonPeer
  reveal: JsonPeer
  settle: JsonPeer
}

export function createCompetingDriver(peers: Peers): CompetingDriver {
  return {
    async solve(auctionId, body, signal) {
      const { name } = peers.solve
      const headers = { 'x-auction-id': auctionId.toString() }
      const answer = await exchangeJson(peers.solve, { path: '/solve', body, headers }, signal)
      const solved = parseDriverSolutions(accepted(answer, name))
      if ('fault' in solved) throw invalidResponse(name, duplicateFault(answer.body) ?? solved.fault)
      return solved.solutions
    },
    async reveal({ auctionId, solutionId }, signal) {
      const { name } = peers.reveal
      const body = { solutionId, auctionId: auctionId.toString() }
      const answer = await exchangeJson(peers.reveal, { path: '/reveal', body }, signal)
      const calldata = parseRevealed(accepted(answer, name))
      if (!calldata) throw invalidResponse(name, 'what it reveals does not match the protocol')
      // The other form is the calldata without payments from the contract's balances.
      return calldata.internalized
    },
    async settle({ auctionId, solutionId, deadlineBlock }, signal) {
      const body = {
        solutionId,
        submissionDeadlineLatestBlock: deadlineBlock,
        auctionId: auctionId.toString(),
      }
      const { status, body: said } = await exchangeJson(
        peers.settle,
        { path: '/settle', body, mayBeEmpty: true },
        signal,
      )
      const fault = parseDriverFault(said)
      if (fault) return textOf(fault)
      return status < 400 ? undefined : `status ${status}`
    },
  }
}

/** The body of an answer that is not an error. */
function accepted({ status, body }: JsonResponse, name: string): unknown {
  const fault = parseDriverFault(body)
  if (fault) throw new Refusal('CustomSolverError', textOf(fault))
  if (status >= 400) throw new OutsideFault(name, `status ${status}`)
  return body
}

function textOf({ kind, description }: DriverFault): string {
  return printable(`${kind}: ${description ?? ''}`.replace(/: $/, '')) ?? 'it gives no reason'
}

/** Describes duplicate ids, a common mistake. */
function duplicateFault(body: unknown): string | undefined {
  const solutions = isObject(body) && Array.isArray(body.solutions) ? body.solutions : []
  const ids = solutions.map((solution) => isObject(solution) && solution.solutionId)
  return new Set(ids).size < ids.length ? 'two solutions have one id' : undefined
}
