import { type Described, derived, flag, from, instant, safeInt, text, type ValueOf } from '../described.ts'
import type { Clock } from '../log.ts'

/** The source and the age of a value. */
export const sourceFields = {
  source: text('The source, by its name in the settings.'),
  asOf: from('at', instant('The time at which the source was asked.')),
  age: derived(safeInt('Whole seconds since then.'), (value: { at: number }, now: Clock) =>
    ageDown(value, now()),
  ),
  maxAge: derived(
    safeInt('Whole seconds after `asOf` for which it may be kept; 0 when it is stale.'),
    maxAgeDown,
  ),
  isStale: flag(
    'True if this is an earlier value, returned because no source of equal or higher priority answers now.',
  ),
}

/** A value with its source and time, which may be cached for `keepMs` after `at`. */
export type Sourced<Value> = ValueOf<Described<typeof sourceFields>> & { value: Value; keepMs: number }

/** The time for which the absence of a value in all sources may be cached. */
export const absentMs = 30_000

/** The whole seconds since the source was read. */
export function ageDown({ at }: { at: number }, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1_000))
}

/** The whole seconds for which the value may be cached, counted from `at`. */
export function maxAgeDown({ keepMs }: { keepMs: number }): number {
  return Math.floor(keepMs / 1_000)
}
