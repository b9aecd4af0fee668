import type { Address } from '../../../src/domain/evm/address.ts'
import type { SentAuction } from '../../../test/fakes/auction-engine.ts'
import { answering, type Behaviour, hanging, huge } from '../../../test/fakes/solver-engine.ts'
import { tokenAbi } from '../orders/crowd.ts'
import { type DrainContext, drains, race } from './drains.ts'
import { lies } from './lies.ts'
import { type Offer, offersIn, type Solution } from './offer.ts'

/** The malicious engines. */
export const badNames = ['liar', 'drain', 'hangs', 'floods'] as const
export type BadName = (typeof badNames)[number]

/** The maximum of competing solutions in an answer. */
const perAnswer = 3
export const floodBytes = 50_000_000

export interface Bounds {
  settlement: Address
  vaultRelayer: Address
  /** The URL of the chain's node. */
  rpcUrl: string
  /** The draining engine also tries to be faster than the guard. */
  races?: boolean
}

export function badBehaviours(bounds: Bounds): Record<BadName, Behaviour> {
  const context: DrainContext = { ...bounds, balanceOf: (token) => balanceOf(bounds, token) }
  const tricks = [...Object.values(drains), ...(bounds.races ? [race] : [])]
  return {
    liar: solving(Object.values(lies)),
    drain: solving(tricks.map((drain) => (id: number, offer: Offer) => drain(id, offer, context))),
    hangs: hanging,
    floods: huge(floodBytes),
  }
}

type Turn = (id: number, offer: Offer) => Promise<Solution> | Solution

/**
 * Plays the tricks in turns: each auction continues after the previous one's last. A solution's id is the
 * trick's number.
 */
function solving(tricks: readonly Turn[]): Behaviour {
  let next = 0
  return async (question, response) => {
    if (question.path !== '/solve' || (question.body as SentAuction).id === null)
      return void response.end('{}')
    const solutions = await Promise.all(
      offersIn(question)
        .slice(0, perAnswer)
        .map((offer) => {
          const id = next++ % tricks.length
          return tricks[id]?.(id, offer)
        }),
    )
    answering({ solutions })(question, response)
  }
}

/** Reads a balance over its own JSON-RPC: an engine has no code of the program. */
async function balanceOf({ rpcUrl, settlement }: Bounds, to: Address): Promise<bigint> {
  const data = tokenAbi.encodeFunctionData('balanceOf', [settlement])
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to, data }, 'latest'] })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(rpcUrl, { method: 'POST', headers, body, signal: AbortSignal.timeout(5_000) })
  return BigInt(((await response.json()) as { result: string }).result)
}
