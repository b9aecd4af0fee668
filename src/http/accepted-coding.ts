import Negotiator from 'negotiator'
import { memoize } from './memoize.ts'

/** The supported codings, best first. */
const codings = ['br', 'gzip'] as const

export type Coding = (typeof codings)[number]

export interface Accepted {
  /** The coding; undefined if the client prefers none. */
  coding: Coding | undefined
  /** True if the client accepts a body without coding. */
  acceptsPlain: boolean
}

const plainOnly: Accepted = { coding: undefined, acceptsPlain: true }

/**
 * Reads `Accept-Encoding` (RFC 9110, 12.5.3). A client that accepts neither a coding nor `identity` gets a
 * plain body.
 */
export function acceptedCoding(header: string | string[] | undefined): Accepted {
  return typeof header === 'string' ? negotiate(header) : plainOnly
}

/** The negotiator with the second argument, which the package's types lack. */
interface CodingNegotiator {
  encodings(available: readonly string[], options: { preferred: readonly string[] }): string[]
}

const negotiate = memoize((header): Accepted => {
  const negotiator: CodingNegotiator = new Negotiator({ headers: { 'accept-encoding': header } })
  const accepted = negotiator.encodings([...codings, 'identity'], { preferred: codings })
  return {
    coding: codings.find((coding) => coding === accepted[0]),
    acceptsPlain: accepted.includes('identity'),
  }
})
