import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'

/** Fees are taken from the surplus at settlement, so the signed fee must be zero. */
export const signedFee: Check = ({ order }) => {
  if (order.feeAmount > 0n) throw new Refusal('NonZeroFee', 'feeAmount must be 0', { field: 'feeAmount' })
}
