import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { recoverSigner, type SignatureFault } from '../../domain/signing/signature.ts'
import type { CheckAccountSignature } from './account-signature.ts'

/** The reason why a signature is not the account's. */
export type NotSigned =
  | { reason: SignatureFault | 'wallet-refused' }
  | { reason: 'wrong-signer'; signer: Address }

/**
 * Recovers a key's signature without the chain. The account's contract checks any other signature.
 * @returns undefined for the account's signature
 * @throws Outage; Refusal Unavailable if the queue of checks is full
 */
export async function notSignedBy(
  account: Address,
  digest: Bytes32,
  signature: Hex,
  checkSignature: CheckAccountSignature,
): Promise<NotSigned | undefined> {
  const recovered = recoverSigner('eip712', digest, signature)
  if ('signer' in recovered && recovered.signer === account) return undefined
  const verdict = await checkSignature({ account, digest, signature })
  if (verdict === 'valid') return undefined
  if (verdict === 'invalid') return { reason: 'wallet-refused' }
  return 'fault' in recovered
    ? { reason: recovered.fault }
    : { reason: 'wrong-signer', signer: recovered.signer }
}
