import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { invalidResponse, OutsideFault } from '../../outside/fault.ts'
import { exchangeJson, type JsonPeer } from '../../outside/http-json.ts'
import { amountAtPrices, type Claim, type OutsideQuestion, refusalOf, toClaim } from '../outside/quote.ts'
import { type DriverQuote, parseDriverAnswer } from './answer.ts'

/** A solver's driver behind HTTP. */
export interface Driver {
  /**
   * Requests a quote.
   * @param deadline sent to the driver
   * @throws Refusal NoLiquidity, or the driver's own reason; OutsideFault if it is down, slow or sends
   *   invalid data
   */
  quote(question: OutsideQuestion, deadline: Date, signal: AbortSignal): Promise<Claim>
}

/** The errors of the driver itself, not about the trade. */
const driverFaults = ['DeadlineExceeded', 'SolverFailed', 'Unknown']

/** Creates a driver that is asked by `GET {url}/quote`. */
export function createDriver(peer: JsonPeer, { vaultRelayer }: { vaultRelayer: Address }): Driver {
  return {
    async quote(question, deadline, signal) {
      const { kind, sellToken, buyToken, amount } = question
      const query = {
        sellToken,
        buyToken,
        kind,
        amount: amount.toString(),
        deadline: deadline.toISOString(),
      }
      const { status, body } = await exchangeJson(peer, { path: '/quote', query }, signal)
      const answer = parseDriverAnswer(body)
      if (answer && 'kind' in answer) throw errorOf(peer.name, answer)
      if (status >= 400) throw new OutsideFault(peer.name, `status ${status}`)
      if (!answer) throw invalidResponse(peer.name, 'the response does not match the protocol')
      return toClaim(peer.name, question, rawClaim(answer, question), vaultRelayer)
    },
  }
}

function errorOf(
  name: string,
  { kind, description }: { kind: string; description?: string | null | undefined },
): Error {
  if (kind === 'QuotingFailed') return new Refusal('NoLiquidity', 'no route trades this pair at this size')
  return driverFaults.includes(kind) ? new OutsideFault(name, `says ${kind}`) : refusalOf(kind, description)
}

function rawClaim(answer: DriverQuote, question: OutsideQuestion) {
  const { amount, prices, preInteractions, interactions, txOrigin, gas, hasJitOrders } = answer
  return {
    computed: amount ?? amountAtPrices(question, prices),
    gas,
    calls: { preInteractions, interactions, txOrigin },
    playable: !hasJitOrders,
  }
}
