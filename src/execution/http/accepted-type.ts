import Negotiator from 'negotiator'
import { remembering } from '../../http/remembering.ts'

/** Which media type an answer of /graphql has. */
export type AnswerType = 'application/json' | 'application/graphql-response+json'

interface Accepted {
  /** Undefined where the client takes neither. */
  type: AnswerType | undefined
  /** Whether it would rather have a page, where there is one. */
  page: boolean
}

const types: readonly (AnswerType | 'text/html')[] = [
  'application/json',
  'application/graphql-response+json',
  'text/html',
]
/** As they are sent: a client may ask for the charset too. */
const withCharset = types.map((type) => `${type}; charset=utf-8`)

/** In characters: each takes half a microsecond to weigh, and no client writes so many. */
const mostWeighed = 2_048

/**
 * What an `Accept` asks for (RFC 9110, 12.5.1). Without one, or with one that names nothing, JSON is meant.
 * Of two that are wanted alike, and named alike, the first in the header counts.
 */
export function acceptedType(header = ''): Accepted {
  return weigh(header)
}

const weigh = remembering((header): Accepted => {
  const accept = /[^\s,]/.test(header) ? header.slice(0, mostWeighed) : '*/*'
  const accepted = new Negotiator({ headers: { accept } })
    .mediaTypes(withCharset)
    .map((type) => types[withCharset.indexOf(type)])
  return { type: accepted.find((type) => type !== 'text/html'), page: accepted[0] === 'text/html' }
})
