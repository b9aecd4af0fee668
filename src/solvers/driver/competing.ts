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
import type { Assignment } from '../solver.ts'
import {
  type DriverFault,
  type DriverSolution,
  parseDriverFault,
  parseDriverSolutions,
  parseRevealed,
} from './solution.ts'

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

export interface Peers {
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
