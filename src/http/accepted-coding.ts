import Negotiator from 'negotiator'
import { remembering } from './remembering.ts'

/** Codings that are written here, the best first. */
const codings = ['br', 'gzip'] as const

export type Coding = (typeof codings)[number]

export interface Accepted {
  /** Undefined where the client would rather have it plain. */
  coding: Coding | undefined
  /** Whether it would do without. */
  plainToo: boolean
}

const plainOnly: Accepted = { coding: undefined, plainToo: true }

/**
 * What an `Accept-Encoding` asks for (RFC 9110, 12.5.3). Who takes neither a coding nor none gets it plain:
 * better than nothing.
 */
export function acceptedCoding(header: string | string[] | undefined): Accepted {
  return typeof header === 'string' ? weigh(header) : plainOnly
}

/** As it is: its types leave the second argument out. */
interface CodingNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}

const weigh = remembering((header): Accepted => {
  const negotiator: CodingNegotiator = new Negotiator({ headers: { 'accept-encoding': header } })
  const accepted = negotiator.encodings([...codings, 'identity'], { preferred: codings })
  return { coding: codings.find((coding) => coding === accepted[0]), plainToo: accepted.includes('identity') }
})
