import { Refusal } from '../../domain/errors/error.ts'
import { unixSeconds } from '../../domain/log.ts'
import type { Check, Draft } from '../check.ts'

/** The order is valid long enough to be settled, and no longer than its class allows. Presign orders have no upper bound. */
export const validity: Check<Draft> = ({ order, creation }, { now, limits }) => {
  const seconds = unixSeconds(now())
  const field = 'validTo'
  if (order.validTo < seconds) {
    throw new Refusal(
      'OrderExpired',
      `validTo ${order.validTo} is in the past (now ${seconds}, Unix seconds)`,
      { field },
    )
  }
  if (order.validTo < seconds + limits.minValidity) {
    throw new Refusal('InsufficientValidTo', `validTo must be at least ${limits.minValidity} s from now`, {
      field,
    })
  }
  const longest = order.feeAmount > 0n ? limits.maxMarketValidity : limits.maxLimitValidity
  if (creation.signingScheme !== 'presign' && order.validTo > seconds + longest) {
    throw new Refusal('ExcessiveValidTo', `validTo must be at most ${longest} s from now`, { field })
  }
}
