import { remembering, weightsIn } from './weights.ts'

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

const weigh = remembering((header): Accepted => {
  const weights = weightsIn(header)
  const others = weights.get('*')
  // Plain is accepted unless it is refused, but who names a coding wants it.
  const plain = weights.get('identity') ?? others ?? Number.MIN_VALUE
  let coding: Coding | undefined
  let heaviest = 0
  for (const name of codings) {
    const weight = weights.get(name) ?? others ?? 0
    if (weight <= heaviest || weight < plain) continue
    coding = name
    heaviest = weight
  }
  return { coding, plainToo: plain > 0 }
})
