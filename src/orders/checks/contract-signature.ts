import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Candidate } from '../check.ts'

/** The owner's contract accepts the signature of an eip1271 order after the order's pre-hooks. */
export function contractSignature({ owner }: Candidate, answer: OrderAnswer): void {
  if (answer.signature !== 'invalid') return
  throw new Refusal('InvalidEip1271Signature', reason(owner, answer), { field: 'signature' })
}

function reason(owner: string, { ownerHasCode, exhausted, signatureGas }: OrderAnswer): string {
  if (exhausted) return `the code of ${owner} or of the order’s hooks does not end in the time it is given`
  if (!ownerHasCode) return `${owner} has no code: eip1271 is for contract wallets that are deployed`
  return `isValidSignature of ${owner} does not accept the signature (it used ${signatureGas} gas)`
}
