import { Refusal } from '../domain/errors/error.ts'
import type { OrderServices } from './check.ts'

/**
 * The refusal of a signature that is not the owner's. The interface has one code for it, InvalidSignature;
 * with `distinctSignatureCodes` the code is `distinct` instead.
 */
export function signatureRefusal(
  distinct: 'WrongOwner' | 'InvalidEip1271Signature',
  message: string,
  { distinctSignatureCodes }: Pick<OrderServices, 'distinctSignatureCodes'>,
  data?: Record<string, unknown>,
): Refusal {
  const code = distinctSignatureCodes ? distinct : 'InvalidSignature'
  return new Refusal(code, message, { field: 'signature', ...(data && { data }) })
}
