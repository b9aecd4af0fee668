import type { Address } from '../evm/address.ts'
import type { Bytes32 } from '../evm/hex.ts'
import type { Network } from '../network/network.ts'
import type { OrderCreation } from '../order/creation.ts'
import { type EcdsaSignature, readSignature, recover, type SignatureFault } from './signature.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import { type SignedInstead, signedInstead } from './signed-instead.ts'
import { domainSeparator, ecdsaSchemes, isEcdsa, orderMembers, signedDigest } from './signing.ts'
import { structHash, typedDigest } from './typed-data.ts'

export interface SignatureExplanation {
  /** null when it can't be told: there is nobody to compare with, or only the chain knows. */
  valid: boolean | null
  /** null when there is none, or none that is known. */
  mistake: SignatureMistake | null
  /** For people. */
  explanation: string
  /** Whose signature it is if the order was signed as declared. */
  recoveredSigner: Address | null
  /** `from`, else the signer that appData names. */
  expectedSigner: Address | null
  domainSeparator: Bytes32
  structHash: Bytes32
  /** What has to be signed as typed data. */
  digest: Bytes32
}
type Judgement = Pick<SignatureExplanation, 'valid' | 'mistake' | 'explanation' | 'recoveredSigner'>

/** Digests to try when somebody asks, and while an order is placed; each costs some 70 µs. */
export const digestsTried = { asked: 400, placing: 100 }

/**
 * Says what is wrong with an order's signature, by trying what clients are known to sign in its place.
 * Of two mistakes at once it finds only a wrong scheme beside another one.
 * @param declared the signer that the order's appData names
 */
export function explainSignature(
  order: OrderCreation,
  declared: Address | null,
  network: Network,
  most = digestsTried.asked,
): SignatureExplanation {
  const separator = domainSeparator(network)
  const struct = structHash('Order', orderMembers({ ...order, appData: order.appData.hash }))
  const digest = typedDigest(separator, struct)
  const expected = order.from ?? declared
  const facts = { expectedSigner: expected, domainSeparator: separator, structHash: struct, digest }
  const signature = readSignature(order.signature)
  const scheme = order.signingScheme
  if (!isEcdsa(scheme)) return { ...facts, ...explainOther(order, expected, digest) }
  if ('fault' in signature) return { ...facts, ...malformed(signature.fault) }
  const signed = signedDigest(scheme, digest)
  const signer = recover(signed, signature)
  if (!signer) return { ...facts, ...malformed('unrecoverable') }
  const found = { recoveredSigner: signer, mistake: null, ...facts }
  if (expected === null) {
    const explanation = `it recovers to ${signer}; without from there is nobody to compare with, and whoever signed is taken for the owner`
    return { ...found, valid: null, explanation }
  }
  if (signer === expected) return { ...found, valid: true, explanation: `${signer} signed this order` }
  if (signer === order.receiver || signer === declared) {
    const who = signer === declared ? 'whom appData names as signer' : 'the receiver'
    const explanation = `${signer}, ${who}, signed this order: from must be that account, not ${expected}`
    return { ...found, valid: false, mistake: 'other_account', explanation }
  }
  if (recover(signed, otherParity(signature)) === expected) {
    const explanation = `${expected} signed this order, but v says the other of two, or was cut off`
    return { ...found, valid: false, mistake: 'signature_v', explanation }
  }
  const attempt = findAttempt(signedInstead(order, scheme, expected, network), signature, expected, most)
  return {
    ...found,
    valid: false,
    mistake: attempt?.mistake ?? null,
    explanation: attempt
      ? `${expected} signed the order ${attempt.what}`
      : `it recovers to ${signer}, not to ${expected}, and no known mistake explains that: another account signed, or another order was signed`,
  }
}

/** Without its v a signature is a compact one, whose parity is half the time the other. */
function otherParity({ rs, recoveryId }: EcdsaSignature): EcdsaSignature {
  return { rs, recoveryId: recoveryId === 0 ? 1 : 0 }
}

const faults: Record<SignatureFault, [mistake: SignatureMistake, explanation: string]> = {
  length: ['signature_length', 'it must be 65 bytes r‖s‖v, or the 64 compact ones of EIP-2098'],
  v: ['signature_v', 'it must end in v 0, 1, 27 or 28'],
  'high-s': ['high_s', 'its s is in the upper half of the curve order: sign with the lower one'],
  unrecoverable: ['unrecoverable', 'it does not recover to any signer'],
}

function malformed(fault: SignatureFault): Judgement {
  const [mistake, explanation] = faults[fault]
  return { valid: false, mistake, explanation, recoveredSigner: null }
}

/** A key's signature where the chain is declared to know. */
function explainOther(order: OrderCreation, expected: Address | null, digest: Bytes32): Judgement {
  const signature = readSignature(order.signature)
  const used = ecdsaSchemes.find(
    (scheme) =>
      expected !== null && 'rs' in signature && recover(signedDigest(scheme, digest), signature) === expected,
  )
  if (!used) {
    const explanation = `only the chain knows whether the owner signed: ${order.signingScheme} is not judged here`
    return { valid: null, mistake: null, explanation, recoveredSigner: null }
  }
  const explanation = `${expected} signed this order with its key: declare signingScheme ${used}`
  return { valid: null, mistake: 'scheme', explanation, recoveredSigner: expected }
}

function findAttempt(
  all: Iterable<SignedInstead>,
  signature: EcdsaSignature,
  expected: Address,
  most: number,
): SignedInstead | undefined {
  let tried = 0
  for (const attempt of all) {
    if (tried++ >= most) return undefined
    if (recover(attempt.signed, signature) === expected) return attempt
  }
  return undefined
}
