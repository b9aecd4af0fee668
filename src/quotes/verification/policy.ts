import type { PriceQuality } from '../../domain/quote/quote.ts'

export const verificationModes = ['prefer', 'require', 'unverified'] as const
/** Simulate where possible; refuse what cannot be, where verified was asked for; simulate nothing. */
export type VerificationMode = (typeof verificationModes)[number]

/** What an estimate has to go through before it counts. */
export interface VerificationPolicy {
  simulates: 'nothing' | 'claims' | 'everything'
  /** One that was simulated comes before any other, whatever that promises. */
  prefersSimulated: boolean
  /** What nothing could simulate does not count at all. */
  requiresSimulated: boolean
}

/**
 * Our own arithmetic is believed unless the trader asks for more; somebody's word is simulated first, whatever was asked for.
 * Of quotes in a stream each is better than the one before: there what was simulated has no precedence over a better price.
 */
export function verificationPolicyFor(
  quality: PriceQuality | 'stream',
  mode: VerificationMode,
): VerificationPolicy {
  const thorough = quality === 'verified' || quality === 'stream'
  if (mode === 'unverified')
    return { simulates: 'nothing', prefersSimulated: false, requiresSimulated: false }
  return {
    simulates: thorough ? 'everything' : 'claims',
    prefersSimulated: quality === 'verified',
    requiresSimulated: thorough && mode === 'require',
  }
}
