import type { OrderAnswer } from '../../chain/order/order-check.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import { explainSignature } from '../../domain/signing/explain-signature.ts'
import { readErc6492, smartAccountForms } from '../../domain/signing/smart-account.ts'
import type { Candidate } from '../check.ts'

/** The owner's contract accepts the signature of an eip1271 order after the order's pre-hooks. */
export function contractSignature(
  { owner, creation }: Candidate,
  answer: OrderAnswer,
  network: Network,
): void {
  if (answer.signature !== 'invalid') return
  const { mistake, explanation } = explainSignature(creation, owner, network)
  throw new Refusal('InvalidEip1271Signature', reason(owner, creation.signature, answer), {
    field: 'signature',
    ...(mistake && { data: { mistake, explanation } }),
  })
}

function reason(
  owner: string,
  signature: Hex,
  { ownerHasCode, exhausted, signatureGas }: OrderAnswer,
): string {
  if (exhausted) return `the code of ${owner} or of the order’s hooks does not end in the time it is given`
  if (!ownerHasCode && readErc6492(signature)) {
    return `${owner} has no code: deploy it first, or by a pre-hook of the order; a settlement does not make the call of an ERC-6492 signature`
  }
  if (!ownerHasCode) return `${owner} has no code: eip1271 is for contract wallets that are deployed`
  const refused = `isValidSignature of ${owner} does not accept the signature (it used ${signatureGas} gas)`
  return [refused, ...smartAccountForms(signature)].join('; ')
}
