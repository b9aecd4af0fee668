import type { PriceQuality } from '../../domain/quote/quote.ts'

export const verificationModes = ['prefer', 'require', 'unverified'] as const
/** `prefer` simulates where possible; `require` also refuses estimates that cannot be simulated, for verified quotes; `unverified` simulates none. */
export type VerificationMode = (typeof verificationModes)[number]

/** Which estimates are simulated, and how that ranks them. */
export interface VerificationPolicy {
  simulates: 'nothing' | 'claims' | 'everything'
  /** A simulated estimate ranks above any other, whatever its value. */
  prefersSimulated: boolean
  /** An estimate that was not simulated does not count. */
  requiresSimulated: boolean
}

/**
 * Computed estimates count without a simulation, unless the trader asks for verified quotes; claims are always simulated first.
 * Each quote of a stream is better than the one before, so simulated estimates have no precedence there.
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
