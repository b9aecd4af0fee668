import { absentMs } from '../../domain/token/sourced.ts'

/** Of an answer that somebody else gave. */
export interface Freshness {
  /** Whole seconds since they were asked. */
  age: number
  /** Whole seconds after that for which it may be kept. */
  maxAge: number
  /** Told again because they don't answer now. */
  isStale: boolean
}

const keptFor = (seconds: number) => `public, max-age=${seconds}`

/** Of what never changes: kept for a year, and not asked for again. */
export const unchanging = 'public, max-age=31536000, immutable'

/**
 * Age counts from when the source was asked. What is stale is asked for again each time, and says what it is.
 */
export function freshnessHeaders({ age, maxAge, isStale }: Freshness): Record<string, string> {
  if (!isStale) return { 'Cache-Control': keptFor(maxAge), Age: String(age) }
  return { 'Cache-Control': 'no-cache', Age: String(age), Warning: '110 - "Response is Stale"' }
}

/** That there is none is kept as long as it is remembered here; what went wrong is not. */
export function refusalCaching(status: number): string {
  return status === 404 ? keptFor(absentMs / 1_000) : 'no-store'
}
