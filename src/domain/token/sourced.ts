/** What one of several sources said, and when. */
export interface Sourced<Value> {
  value: Value
  /** The source's name in the settings. */
  source: string
  /** When it was asked, in milliseconds since 1970. */
  at: number
  /** How long after that it may be kept; what is stale may not. */
  keepMs: number
  /** Told again because no source that comes before or with it answers now. */
  isStale: boolean
}

/** How long it may be kept that no source knows of any. */
export const absentMs = 30_000

/** Whole seconds since the source was asked. */
export function ageDown({ at }: Pick<Sourced<unknown>, 'at'>, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1_000))
}

/** Whole seconds after that question for which it may be kept. */
export function maxAgeDown({ keepMs }: Pick<Sourced<unknown>, 'keepMs'>): number {
  return Math.floor(keepMs / 1_000)
}
