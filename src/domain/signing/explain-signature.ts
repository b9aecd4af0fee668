import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { Network } from '../network/network.ts'
import type { OrderCreation } from '../order/creation.ts'
import { type SignedInstead, signedInstead } from './known-mistakes.ts'
import { type EcdsaSignature, readSignature, recover, type SignatureFault } from './signature.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import { domainSeparator, ecdsaSchemes, isEcdsa, orderMembers, signedDigest } from './signing.ts'
import { structHash, typedDigest } from './typed-data.ts'

export interface SignatureExplanation {
  /** null when it cannot be decided: no expected signer is known, or only the chain can verify it. */
  valid: boolean | null
  /** null when there is none, or an unknown one. */
  mistake: SignatureMistake | null
  /** Human-readable. */
  explanation: string
  /** The signer if the order was signed as declared. */
  recoveredSigner: Address | null
  /** `from`, or else the signer that appData names. */
  expectedSigner: Address | null
  domainSeparator: Bytes32
  structHash: Bytes32
  /** The digest to sign as typed data. */
  digest: Bytes32
}
type Judgement = Pick<SignatureExplanation, 'valid' | 'mistake' | 'explanation' | 'recoveredSigner'>

/** Most digests to try, when a client asks for an explanation and while an order is placed; each costs some 70 µs. */
export const digestsTried = { asked: 400, placing: 100 }

/**
 * Explains what is wrong with an order's signature by trying the digests of known client mistakes.
 * Finds two mistakes at once only if one of them is a wrong scheme.
 * @param declaredSigner the signer that the order's appData names
 */
export function explainSignature(
  order: OrderCreation,
  declaredSigner: Address | null,
  network: Network,
  maxDigests = digestsTried.asked,
): SignatureExplanation {
  const separator = domainSeparator(network)
  const struct = structHash('Order', orderMembers({ ...order, appData: order.appData.hash }))
  const digest = typedDigest(separator, struct)
  const expectedSigner = order.from ?? declaredSigner
  const facts = { expectedSigner, domainSeparator: separator, structHash: struct, digest }
  const signature = readSignature(order.signature)
  const signingScheme = order.signingScheme
  if (!isEcdsa(signingScheme)) return { ...facts, ...explainOther(order, expectedSigner, digest) }
  if ('fault' in signature) return { ...facts, ...explainMalformed(signature.fault) }
  const signed = signedDigest(signingScheme, digest)
  const signer = recover(signed, signature)
  if (!signer) return { ...facts, ...explainMalformed('unrecoverable') }
  const recovered = { recoveredSigner: signer, mistake: null, ...facts }
  if (expectedSigner === null) {
    const explanation = `it recovers to ${signer}; without from there is no account to compare with, and the recovered signer counts as the owner`
    return { ...recovered, valid: null, explanation }
  }
  if (signer === expectedSigner)
    return { ...recovered, valid: true, explanation: `${signer} signed this order` }
  if (signer === order.receiver || signer === declaredSigner) {
    const role = signer === declaredSigner ? 'whom appData names as signer' : 'the receiver'
    const explanation = `${signer}, ${role}, signed this order: from must be that account, not ${expectedSigner}`
    return { ...recovered, valid: false, mistake: 'other_account', explanation }
  }
  if (recover(signed, otherParity(signature)) === expectedSigner) {
    const explanation = `${expectedSigner} signed this order, but v says the other of two, or was cut off`
    return { ...recovered, valid: false, mistake: 'signature_v', explanation }
  }
  const attempt = findSignedInstead(
    signedInstead(order, signingScheme, expectedSigner, network),
    signature,
    expectedSigner,
    maxDigests,
  )
  return {
    ...recovered,
    valid: false,
    mistake: attempt?.mistake ?? null,
    explanation: attempt
      ? `${expectedSigner} signed the order ${attempt.description}`
      : `it recovers to ${signer}, not to ${expectedSigner}, and no known mistake explains that: another account signed, or another order was signed`,
  }
}

/** A signature that lost its v is read as a compact one; its parity is then wrong half the time. */
function otherParity({ rs, recoveryId }: EcdsaSignature): EcdsaSignature {
  return { rs, recoveryId: recoveryId === 0 ? 1 : 0 }
}

const faults: Record<SignatureFault, [mistake: SignatureMistake, explanation: string]> = {
  length: ['signature_length', 'it must be 65 bytes r‖s‖v, or the 64 compact ones of EIP-2098'],
  v: ['signature_v', 'it must end in v 0, 1, 27 or 28'],
  'high-s': ['high_s', 'its s is in the upper half of the curve order: sign with the lower one'],
  unrecoverable: ['unrecoverable', 'it does not recover to any signer'],
}

function explainMalformed(fault: SignatureFault): Judgement {
  const [mistake, explanation] = faults[fault]
  return { valid: false, mistake, explanation, recoveredSigner: null }
}

/** For presign and eip1271: finds out whether the owner's key signed the order after all. */
function explainOther(order: OrderCreation, expectedSigner: Address | null, digest: Bytes32): Judgement {
  const signature = readSignature(order.signature)
  const ecdsaScheme = ecdsaSchemes.find(
    (scheme) =>
      expectedSigner !== null &&
      'rs' in signature &&
      recover(signedDigest(scheme, digest), signature) === expectedSigner,
  )
  if (!ecdsaScheme) {
    const explanation = `only the chain knows whether the owner signed: ${order.signingScheme} is not judged here`
    return { valid: null, mistake: null, explanation, recoveredSigner: null }
  }
  const explanation = `${expectedSigner} signed this order with its key: declare signingScheme ${ecdsaScheme}`
  return { valid: null, mistake: 'scheme', explanation, recoveredSigner: expectedSigner }
}

function findSignedInstead(
  candidates: Iterable<SignedInstead>,
  signature: EcdsaSignature,
  expectedSigner: Address,
  maxDigests: number,
): SignedInstead | undefined {
  let digestCount = 0
  for (const attempt of candidates) {
    if (digestCount++ >= maxDigests) return undefined
    if (recover(attempt.signed, signature) === expectedSigner) return attempt
  }
  return undefined
}
