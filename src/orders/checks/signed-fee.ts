import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'

/** Fees are taken from the surplus at settlement, so that the signed fee is always zero. */
export const signedFee: Check = ({ data }) => {
  if (data.feeAmount > 0n) throw new Refusal('NonZeroFee', 'feeAmount must be 0', { field: 'feeAmount' })
}
