import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'

/** An order with a later start leaves enough time to settle it before it expires. */
export const validFrom: Check = ({ order, parsedAppData }, { limits }) => {
  if (parsedAppData.validFrom !== null && order.validTo < parsedAppData.validFrom + limits.minValidity) {
    throw new Refusal(
      'InvalidValidFrom',
      `validTo must be at least ${limits.minValidity} s after appData validFrom`,
      {
        field: 'appData',
      },
    )
  }
}
