import { Refusal } from '../../domain/errors/error.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { Check, Draft } from '../check.ts'

/** The order lives long enough to be settled, and not longer than its class may. Presign orders have no upper bound. */
export const validity: Check<Draft> = ({ data, creation }, { now, limits }) => {
  const seconds = unixSeconds(now())
  const field = 'validTo'
  if (data.validTo < seconds) {
    throw new Refusal(
      'OrderExpired',
      `validTo ${data.validTo} is in the past (now ${seconds}, Unix seconds)`,
      { field },
    )
  }
  if (data.validTo < seconds + limits.minValidity) {
    throw new Refusal('InsufficientValidTo', `validTo must be at least ${limits.minValidity} s from now`, {
      field,
    })
  }
  const longest = data.feeAmount > 0n ? limits.maxMarketValidity : limits.maxLimitValidity
  if (creation.signingScheme !== 'presign' && data.validTo > seconds + longest) {
    throw new Refusal('ExcessiveValidTo', `validTo must be at most ${longest} s from now`, { field })
  }
}
