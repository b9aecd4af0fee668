/** A value with its source and time. */
export interface Sourced<Value> {
  value: Value
  /** The source's name in the settings. */
  source: string
  /** The time when the source was read, in milliseconds since 1970. */
  at: number
  /** The time after `at` for which the value may be cached; a stale value may not be cached. */
  keepMs: number
  /**
   * True for an old value that is repeated because neither its source nor one of higher priority responds.
   */
  isStale: boolean
}

/** The time for which the absence of a value in all sources may be cached. */
export const absentMs = 30_000

/** The whole seconds since the source was read. */
export function ageDown({ at }: Pick<Sourced<unknown>, 'at'>, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1_000))
}

/** The whole seconds for which the value may be cached, counted from `at`. */
export function maxAgeDown({ keepMs }: Pick<Sourced<unknown>, 'keepMs'>): number {
  return Math.floor(keepMs / 1_000)
}
