import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'

/** An order that starts later still has time to be settled before it ends. */
export const validFrom: Check = ({ data, meaning }, { limits }) => {
  if (meaning.validFrom !== null && data.validTo < meaning.validFrom + limits.minValidity) {
    throw new Refusal(
      'InvalidValidFrom',
      `validTo must be at least ${limits.minValidity} s after appData validFrom`,
      {
        field: 'appData',
      },
    )
  }
}
