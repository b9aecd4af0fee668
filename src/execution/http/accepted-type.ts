import { remembering, weightsIn } from '../../http/weights.ts'

/** Which media type an answer of /graphql has. */
export type AnswerType = 'application/json' | 'application/graphql-response+json'

interface Accepted {
  /** Undefined where the client takes neither. */
  type: AnswerType | undefined
  /** Whether it would rather have a page, where there is one. */
  page: boolean
}

interface Preference {
  weight: number
  /** 2 for a type that is named, 1 for all of its kind, 0 for anything. */
  precision: number
}

const none: Preference = { weight: 0, precision: 0 }

/**
 * What an `Accept` asks for (RFC 9110, 12.5.1). Without one, or with one that names nothing, JSON is meant.
 */
export function acceptedType(header = ''): Accepted {
  return weigh(header)
}

const weigh = remembering((header): Accepted => {
  const named = weightsIn(header)
  const weights = named.size > 0 ? named : new Map([['*/*', 1]])
  const json = preferenceFor('application/json', weights)
  const graphql = preferenceFor('application/graphql-response+json', weights)
  const html = preferenceFor('text/html', weights)
  const isGraphql = isBetter(graphql, json)
  const best = isGraphql ? graphql : json
  const type = isGraphql ? 'application/graphql-response+json' : 'application/json'
  return { type: best.weight > 0 ? type : undefined, page: isBetter(html, best) }
})

/** The most precise entry decides, whatever the others say. */
function preferenceFor(type: string, weights: ReadonlyMap<string, number>): Preference {
  for (const [index, range] of [type, type.replace(/\/.*/, '/*'), '*/*'].entries()) {
    const weight = weights.get(range)
    if (weight !== undefined) return { weight, precision: 2 - index }
  }
  return none
}

/**
 * Of two that are wanted alike the one that is named. GraphQL over HTTP prefers its own type to JSON where
 * both are, and JSON where neither is; browsers name what they show.
 */
function isBetter(one: Preference, other: Preference): boolean {
  if (one.weight !== other.weight) return one.weight > other.weight
  if (one.precision !== other.precision) return one.weight > 0 && one.precision > other.precision
  return one.weight > 0 && one.precision === 2
}
