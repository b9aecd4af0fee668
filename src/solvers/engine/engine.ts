import { nonsense, OutsideFault } from '../../outside/fault.ts'
import { exchangeJson, type JsonPeer } from '../../outside/http-json.ts'
import { refusalOf } from '../outside/quote.ts'
import { type EngineSolution, parseEngineAnswer } from './answer.ts'
import { type EngineAuction, writeAuction } from './request.ts'

/** A solver engine behind HTTP. */
export interface SolverEngine {
  /**
   * None is an answer.
   * @throws Refusal with the engine's own reason; OutsideFault when it is away, slow or talks nonsense
   */
  solve(auction: EngineAuction, signal: AbortSignal): Promise<EngineSolution[]>
}

/** Asks `POST {url}/solve`: `/solve` is always put behind what is configured. */
export function createSolverEngine(peer: JsonPeer): SolverEngine {
  return {
    async solve(auction, signal) {
      const { status, body } = await exchangeJson(
        peer,
        { path: '/solve', body: writeAuction(auction) },
        signal,
      )
      const answer = parseEngineAnswer(body)
      if (answer && 'error' in answer) throw refusalOf(answer.error.code, answer.error.message)
      if (status >= 400) throw new OutsideFault(peer.name, `status ${status}`)
      if (!answer) throw nonsense(peer.name, 'it answers in no form of the protocol')
      return answer.solutions
    },
  }
}
