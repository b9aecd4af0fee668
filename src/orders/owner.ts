import type { Address } from '../domain/address.ts'
import type { AppDataMeaning } from '../domain/app-data.ts'
import { Refusal } from '../domain/error.ts'
import { type Hex, hexSize } from '../domain/hex.ts'
import type { Network } from '../domain/network.ts'
import type { OrderData } from '../domain/order.ts'
import type { OrderCreation } from '../domain/order-creation.ts'
import {
  type EcdsaScheme,
  isEcdsa,
  orderDigest,
  recoverSigner,
  type SignatureFault,
} from '../domain/signing.ts'

const faults: Record<SignatureFault, string> = {
  length: 'must be 65 bytes r‖s‖v',
  v: 'must end in v 0, 1, 27 or 28',
  'high-s': 'has its s in the upper half of the curve order; sign with the lower one',
  unrecoverable: 'does not recover to any signer',
}

/**
 * Whose order it is: the recovered signer for the ECDSA schemes, which `from` and the appData signer must then equal;
 * what `from` or the appData signer says for presign, whose signature is on chain.
 * @throws Refusal InvalidSignature, MissingFrom, AppdataFromMismatch, IncompatibleSigningScheme
 */
export function orderOwner(
  creation: OrderCreation,
  data: OrderData,
  meaning: AppDataMeaning,
  network: Network,
): { owner: Address; signature: Hex } {
  if (isEcdsa(creation.signingScheme)) {
    const recovered = recoverOrRefuse(creation.signingScheme, orderDigest(network, data), creation.signature)
    if (creation.from && creation.from !== recovered.signer)
      throw wrongSigner(recovered.signer, creation.from)
    if (meaning.signer && meaning.signer !== recovered.signer)
      throw signerMismatch(meaning.signer, recovered.signer)
    return { owner: recovered.signer, signature: recovered.signature }
  }
  if (creation.signingScheme === 'eip1271') {
    throw new Refusal(
      'IncompatibleSigningScheme',
      'eip1271 is not available on this service; contract wallets use presign',
      {
        field: 'signingScheme',
      },
    )
  }
  if (![0, 20].includes(hexSize(creation.signature))) {
    throw new Refusal(
      'InvalidParameter',
      'signature of a presign order must be empty or the owner’s 20 bytes',
      { field: 'signature' },
    )
  }
  const owner = creation.from ?? meaning.signer
  if (!owner) throw new Refusal('MissingFrom', 'presign orders need from', { field: 'from' })
  if (meaning.signer && meaning.signer !== owner) throw signerMismatch(meaning.signer, owner)
  return { owner, signature: '0x' }
}

/** @throws Refusal InvalidParameter for what is no signature at all, InvalidSignature for one that recovers to nobody */
export function recoverOrRefuse(
  scheme: EcdsaScheme,
  digest: Hex,
  signature: Hex,
): { signer: Address; signature: Hex } {
  const recovered = recoverSigner(scheme, digest, signature)
  if ('signer' in recovered) return recovered
  const malformed = recovered.fault === 'length' || recovered.fault === 'v'
  const code = malformed ? 'InvalidParameter' : 'InvalidSignature'
  throw new Refusal(code, `signature ${faults[recovered.fault]}`, { field: 'signature' })
}

function wrongSigner(signer: Address, from: Address): Refusal {
  return new Refusal('InvalidSignature', `signature recovers to ${signer}, from is ${from}`, {
    field: 'signature',
    data: { signer },
  })
}

function signerMismatch(declared: Address, owner: Address): Refusal {
  return new Refusal('AppdataFromMismatch', `appData metadata.signer is ${declared}, the owner is ${owner}`, {
    field: 'appData',
  })
}
