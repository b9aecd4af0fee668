/** A value with its source and time. */
export interface Sourced<Value> {
  value: Value
  /** The source's name in the settings. */
  source: string
  /** When the source was read, in milliseconds since 1970. */
  at: number
  /** How long after `at` it may be cached; a stale value may not be cached. */
  keepMs: number
  /** An old value, repeated because neither its source nor one of higher priority responds. */
  isStale: boolean
}

/** How long the absence of a value in all sources may be cached. */
export const absentMs = 30_000

/** Whole seconds since the source was read. */
export function ageDown({ at }: Pick<Sourced<unknown>, 'at'>, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1_000))
}

/** Whole seconds for which it may be cached, counted from `at`. */
export function maxAgeDown({ keepMs }: Pick<Sourced<unknown>, 'keepMs'>): number {
  return Math.floor(keepMs / 1_000)
}
