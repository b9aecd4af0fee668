import { Refusal } from '../domain/errors/error.ts'
import type { OrderServices } from './check.ts'

/**
 * A signature that is not the owner's. The interface has one word for it, InvalidSignature;
 * `distinct` is what the service says instead where wrong signatures are told apart.
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
