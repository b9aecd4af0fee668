import type { ParsedAppData } from '../domain/app-data/document.ts'
import { Refusal } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import { type Hex, hexSize } from '../domain/evm/hex.ts'
import type { OrderCreation } from '../domain/order/creation.ts'
import type { OrderData } from '../domain/order/order.ts'
import { digestsTried, explainSignature, smartAccountSignature } from '../domain/signing/explain-signature.ts'
import {
  mayBeOfSmartAccount,
  recoverSigner,
  type SignatureFault,
  unwrapped,
} from '../domain/signing/signature.ts'
import type { SignatureMistake } from '../domain/signing/signature-mistake.ts'
import { type EcdsaScheme, isEcdsa, orderDigest } from '../domain/signing/signing.ts'
import type { OrderServices } from './check.ts'

/** Maximum size of a contract wallet's signature, in bytes. */
export const maxContractSignature = 8_192

const faults: Record<SignatureFault, string> = {
  length: 'must be 65 bytes r‖s‖v, or the 64 compact ones of EIP-2098',
  v: 'must end in v 0, 1, 27 or 28',
  'high-s': 'has its s in the upper half of the curve order; sign with the lower one',
  unrecoverable: 'does not recover to any signer',
}

/**
 * The owner of an order. For ECDSA schemes it is the recovered signer, and `from` and the appData signer must
 * equal it. For presign and eip1271, whose signature only the chain can check, it is `from`, else the appData
 * signer.
 * @throws Refusal InvalidSignature (or WrongOwner), InvalidEip1271Signature, MissingFrom, AppdataFromMismatch
 */
export function orderOwner(
  creation: OrderCreation,
  order: OrderData,
  declaredSigner: ParsedAppData['signer'],
  services: Pick<OrderServices, 'network' | 'distinctSignatureCodes'>,
): { owner: Address; signature: Hex } {
  const { signingScheme, from } = creation
  if (isEcdsa(signingScheme)) {
    const digest = orderDigest(services.network, order)
    const { signer, signature } = recoverOrRefuse(signingScheme, digest, creation.signature)
    if (from && from !== signer) throw wrongSigner(creation, declaredSigner, services)
    checkDeclaredSigner(declaredSigner, signer)
    return { owner: signer, signature }
  }
  const signature = signatureToStore(creation)
  const owner = from ?? declaredSigner
  if (!owner) throw new Refusal('MissingFrom', `${signingScheme} orders need from`, { field: 'from' })
  checkDeclaredSigner(declaredSigner, owner)
  return { owner, signature }
}

/**
 * The stored form of a signature from which no signer can be recovered: empty for presign, and for a contract
 * wallet the form that its own code takes.
 */
function signatureToStore({ signingScheme, signature }: OrderCreation): Hex {
  const size = hexSize(signature)
  if (signingScheme === 'presign' && size !== 0 && size !== 20) {
    throw malformed('of a presign order must be empty or the owner’s 20 bytes')
  }
  if (signingScheme === 'eip1271' && size > maxContractSignature) {
    throw new Refusal(
      'InvalidEip1271Signature',
      `the wallet’s signature has ${size} bytes, more than ${maxContractSignature}`,
      { field: 'signature' },
    )
  }
  return signingScheme === 'presign' ? '0x' : unwrapped(signature)
}

/** @throws Refusal InvalidSignature */
export function recoverOrRefuse(
  signingScheme: EcdsaScheme,
  digest: Hex,
  signature: Hex,
): { signer: Address; signature: Hex } {
  const recovered = recoverSigner(signingScheme, digest, signature)
  if ('signer' in recovered) return recovered
  if (recovered.fault === 'length' && mayBeOfSmartAccount(signature)) {
    const explanation = smartAccountSignature(signature)
    throw malformed(`${faults.length}; ${explanation}`, { mistake: 'smart_account', explanation })
  }
  throw malformed(faults[recovered.fault])
}

function malformed(fault: string, data?: { mistake: SignatureMistake; explanation: string }): Refusal {
  return new Refusal('InvalidSignature', `signature ${fault}`, { field: 'signature', ...(data && { data }) })
}

/** Names the signing mistake too, if a short search finds it. */
function wrongSigner(
  creation: OrderCreation,
  declaredSigner: Address | null,
  services: Parameters<typeof orderOwner>[3],
): Refusal {
  const { recoveredSigner, expectedSigner, mistake, explanation } = explainSignature(
    creation,
    declaredSigner,
    services.network,
    digestsTried.placing,
  )
  return new Refusal(
    services.distinctSignatureCodes ? 'WrongOwner' : 'InvalidSignature',
    `signature recovers to ${recoveredSigner}, from is ${expectedSigner}`,
    { field: 'signature', data: { signer: recoveredSigner, mistake, explanation } },
  )
}

/** @throws Refusal AppdataFromMismatch when appData names another signer than the owner */
export function checkDeclaredSigner(declaredSigner: Address | null, owner: Address): void {
  if (declaredSigner === null || declaredSigner === owner) return
  throw new Refusal(
    'AppdataFromMismatch',
    `appData metadata.signer is ${declaredSigner}, the owner is ${owner}`,
    { field: 'appData' },
  )
}
