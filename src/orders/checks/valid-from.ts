import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'

/** An order that starts later still has time to be settled before it ends. */
export const validFrom: Check = ({ data, parsedAppData }, { limits }) => {
  if (parsedAppData.validFrom !== null && data.validTo < parsedAppData.validFrom + limits.minValidity) {
    throw new Refusal(
      'InvalidValidFrom',
      `validTo must be at least ${limits.minValidity} s after appData validFrom`,
      {
        field: 'appData',
      },
    )
  }
}
