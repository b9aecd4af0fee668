import { absentMs } from '../../domain/token/sourced.ts'

/** The age of data from an outside source. */
export interface Freshness {
  /** Whole seconds since the source was asked. */
  age: number
  /** Whole seconds from that time for which it may be cached. */
  maxAge: number
  /** An earlier result, because the source does not answer now. */
  isStale: boolean
}

const publicFor = (seconds: number) => `public, max-age=${seconds}`

/** The Cache-Control of bodies that never change: cached for a year, without revalidation. */
export const unchanging = 'public, max-age=31536000, immutable'

/** `Age` counts from when the source was asked. Stale data is revalidated on each request, and has a `Warning`. */
export function freshnessHeaders({ age, maxAge, isStale }: Freshness): Record<string, string> {
  if (!isStale) return { 'Cache-Control': publicFor(maxAge), Age: String(age) }
  return { 'Cache-Control': 'no-cache', Age: String(age), Warning: '110 - "Response is Stale"' }
}

/** A 404 may be cached as long as the service caches it; other refusals may not. */
export function refusalCaching(status: number): string {
  return status === 404 ? publicFor(absentMs / 1_000) : 'no-store'
}
