import { invalidResponse, OutsideFault } from '../../outside/fault.ts'
import { exchangeJson, isObject, type JsonPeer, JsonText } from '../../outside/http-json.ts'
import { refusalOf } from '../outside/quote.ts'
import { type EngineSolution, parseEngineAnswer } from './answer.ts'
import { type EngineAuction, writeAuction } from './request.ts'

/** A solver engine behind HTTP. */
export interface SolverEngine {
  /**
   * Returns the engine's solutions, possibly none.
   * @throws Refusal with the engine's own reason; OutsideFault if it is down, slow or sends invalid data
   */
  solve(auction: EngineAuction | JsonText, signal: AbortSignal): Promise<EngineSolution[]>
}

/**
 * Creates an engine that is asked by `POST {url}/solve`: `/solve` is always appended to the configured URL.
 */
export function createSolverEngine(peer: JsonPeer): SolverEngine {
  return {
    async solve(auction, signal) {
      const { status, body } = await exchangeJson(
        peer,
        { path: '/solve', body: auction instanceof JsonText ? auction : writeAuction(auction) },
        signal,
      )
      const answer = parseEngineAnswer(body)
      if ('error' in answer) throw refusalOf(answer.error.code, answer.error.message)
      if (status >= 400) throw new OutsideFault(peer.name, `status ${status}`)
      if ('fault' in answer) throw invalidResponse(peer.name, duplicateFault(body) ?? answer.fault)
      return answer.solutions
    },
  }
}

/** Describes duplicate ids, a common mistake. */
function duplicateFault(body: unknown): string | undefined {
  const solutions = isObject(body) && Array.isArray(body.solutions) ? body.solutions : []
  const ids = solutions.map((solution) => isObject(solution) && solution.id)
  return new Set(ids).size < ids.length ? 'two solutions have one id' : undefined
}
