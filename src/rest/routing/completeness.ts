import type { BodyRow } from '../../storage/bodies/read.ts'
import { refusalOf } from '../../storage/query/stored-refusals.ts'
import type { StoredAnswer } from './endpoint.ts'

/** Header that says that something is still being read; none for what is complete. */
export const completeHeader = (isComplete: string | null | undefined): Record<string, string> =>
  isComplete === 'f' ? { 'X-Is-Complete': 'false' } : {}

/** Header that names members which are not known, or not all of them; none without any. */
export const unknownHeader = (members: string | null | undefined): Record<string, string> =>
  members ? { 'X-Unknown-Members': members } : {}

/** The age of what comes from another order book. */
export const ageHeader = (age: string | null | undefined): Record<string, string> =>
  age == null ? {} : { Age: age }

/**
 * Answers with a list, and says whether it is complete.
 * @param row its body, then whether it is complete, its age, and members that are not known
 * @throws Refusal Unavailable for one that has no item and may lack some
 */
export function listAnswer(row: BodyRow | undefined): StoredAnswer | null {
  if (!row) return null
  const [body, isComplete, age, unknown] = row
  if (isComplete === 'f' && body === '[]') throw refusalOf('l')
  return { body, headers: { ...completeHeader(isComplete), ...ageHeader(age), ...unknownHeader(unknown) } }
}
