import type { PriceQuality } from '../../domain/quote/quote.ts'

export const verificationModes = ['prefer', 'require', 'unverified'] as const
/**
 * The mode of simulations. `prefer` simulates where possible; `require` also refuses estimates that cannot be
 * simulated, for verified quotes; `unverified` simulates none.
 */
export type VerificationMode = (typeof verificationModes)[number]

/** The estimates that are simulated, and the effect on their rank. */
export interface VerificationPolicy {
  simulates: 'nothing' | 'claims' | 'everything'
  /** True if a simulated estimate ranks above any other, regardless of its value. */
  prefersSimulated: boolean
  /** True if an estimate that was not simulated does not count. */
  requiresSimulated: boolean
}

/**
 * The policy for a request. Computed estimates count without a simulation, unless the trader requests
 * verified quotes; claims are always simulated first. Each quote of a stream is better than the previous one,
 * so simulated estimates have no precedence there.
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
