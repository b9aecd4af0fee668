import type { SentAuction } from '../../../fakes/auction-engine.ts'
import { answering, type Behaviour, hanging, huge } from '../../../fakes/solver-engine.ts'
import { type DrainContext, drains } from './drains.ts'
import { lies } from './lies.ts'
import { type Offer, offersIn, type Solution } from './offer.ts'

/** The malicious engines. */
export const badNames = ['liar', 'drain', 'hangs', 'floods'] as const
export type BadName = (typeof badNames)[number]

/** The maximum of competing solutions in an answer. */
const perAnswer = 3
const floodBytes = 50_000_000

export function badBehaviours(bounds: DrainContext): Record<BadName, Behaviour> {
  return {
    liar: solving(Object.values(lies)),
    drain: solving(
      Object.values(drains).map((drain) => (id: number, offer: Offer) => drain(id, offer, bounds)),
    ),
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
