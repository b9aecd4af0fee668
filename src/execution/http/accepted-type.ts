import Negotiator from 'negotiator'
import { memoize } from '../../http/memoize.ts'

/** Media types of answers of /graphql. */
export type AnswerType = 'application/json' | 'application/graphql-response+json'

interface Accepted {
  /** Undefined where the client accepts neither. */
  type: AnswerType | undefined
  /** Whether the client prefers an HTML page. */
  page: boolean
}

const types: readonly (AnswerType | 'text/html')[] = [
  'application/json',
  'application/graphql-response+json',
  'text/html',
]
/** As they are sent: a client may name the charset too. */
const withCharset = types.map((type) => `${type}; charset=utf-8`)

/** In characters: the rest is ignored. Each takes half a microsecond to parse, and no client needs so many. */
const maxAcceptLength = 2_048

/**
 * Reads `Accept` (RFC 9110, 12.5.1). Without one, or with an empty one, the type is JSON. Of two types with the same
 * weight that are equally specific, the first in the header counts.
 */
export function acceptedType(header = ''): Accepted {
  return negotiate(header)
}

const negotiate = memoize((header): Accepted => {
  const accept = /[^\s,]/.test(header) ? header.slice(0, maxAcceptLength) : '*/*'
  const accepted = new Negotiator({ headers: { accept } })
    .mediaTypes(withCharset)
    .map((type) => types[withCharset.indexOf(type)])
  return { type: accepted.find((type) => type !== 'text/html'), page: accepted[0] === 'text/html' }
})

const events = 'text/event-stream'

/** Whether a client accepts event streams, and whether it says so by name: not only with a wildcard for all types. */
export const acceptedEvents = memoize((header): { accepted: boolean; named: boolean } => {
  const accept = /[^\s,]/.test(header) ? header.slice(0, maxAcceptLength) : '*/*'
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes([`${events}; charset=utf-8`]).length > 0
  return { accepted, named: accepted && /text\/(?:event-stream|\*)/i.test(accept) }
})
