import { address, bytes32, described, flag, oneOf, text, type ValueOf } from '../described.ts'
import type { Address } from '../evm/address.ts'
import { type Bytes32, type Hex, hexSize } from '../evm/hex.ts'
import type { Network } from '../network/network.ts'
import type { OrderCreation } from '../order/creation.ts'
import { signedInstead } from './known-mistakes.ts'
import {
  type EcdsaSignature,
  mayBeOfSmartAccount,
  readSignature,
  recover,
  type SignatureFault,
  smartAccountForms,
} from './signature.ts'
import type { SignatureMistake } from './signature-mistake.ts'
import {
  domainSeparator,
  ecdsaSchemes,
  isEcdsa,
  orderDigest,
  orderStructHash,
  signedDigest,
} from './signing.ts'

export const signatureExplanation = described(
  'SignatureExplanation',
  'A comparison of an order’s signature with the expected one.',
  {
    valid: flag.orNull(
      'True if the expected signer signed this order as declared. Null if no expected signer is known, and for PRESIGN and EIP1271, which only the chain can verify.',
    ),
    mistake: oneOf<SignatureMistake>('SignatureMistake').orNull(
      'null when there is none, and when it is none of the known ones: another account signed, or another order was signed.',
    ),
    explanation: text('The same in words, with the details.'),
    recoveredSigner: address.orNull(
      'The account whose signature it is if the order was signed as declared; null when no account can be recovered.',
    ),
    expectedSigner: address.orNull('`from`, else the signer that the appData document names.'),
    domainSeparator: bytes32('EIP-712 hash of the network’s signing domain.'),
    structHash: bytes32('EIP-712 hash of the order alone.'),
    digest: bytes32('The digest to sign as typed data; ETHSIGN signs it as a personal message of 32 bytes.'),
  },
)
type SignatureExplanation = ValueOf<typeof signatureExplanation>
type SignatureCheck = Pick<SignatureExplanation, 'valid' | 'mistake' | 'explanation' | 'recoveredSigner'>

/**
 * The maximum number of digests to try, when a client requests an explanation and while an order is placed.
 * Each costs about 70 µs.
 */
export const digestsTried = { asked: 400, placing: 100 }

/**
 * Explains the error in an order's signature by trying the digests of known client mistakes. It finds two
 * mistakes at once only if one of them is a wrong scheme.
 * @param declaredSigner the signer that the order's appData names
 */
export function explainSignature(
  creation: OrderCreation,
  declaredSigner: Address | null,
  network: Network,
  maxDigests = digestsTried.asked,
): SignatureExplanation {
  const order = { ...creation, appData: creation.appData.hash }
  const digest = orderDigest(network, order)
  const expectedSigner = creation.from ?? declaredSigner
  return {
    ...verdictOf(creation, declaredSigner, expectedSigner, digest, network, maxDigests),
    expectedSigner,
    domainSeparator: domainSeparator(network),
    structHash: orderStructHash(order),
    digest,
  }
}

function verdictOf(
  creation: OrderCreation,
  declaredSigner: Address | null,
  expectedSigner: Address | null,
  digest: Bytes32,
  network: Network,
  maxDigests: number,
): SignatureCheck {
  const { signingScheme } = creation
  const signature = readSignature(creation.signature)
  if (!isEcdsa(signingScheme)) return verdictOfOther(creation, signature, expectedSigner, digest)
  if ('fault' in signature) return malformed(signature.fault, creation.signature)
  const signed = signedDigest(signingScheme, digest)
  const recoveredSigner = recover(signed, signature)
  if (!recoveredSigner) return malformed('unrecoverable', creation.signature)
  if (expectedSigner === null) {
    const explanation = `it recovers to ${recoveredSigner}; without from there is no account to compare with, and the recovered signer counts as the owner`
    return { valid: null, mistake: null, explanation, recoveredSigner }
  }
  if (recoveredSigner === expectedSigner) {
    return { valid: true, mistake: null, explanation: `${expectedSigner} signed this order`, recoveredSigner }
  }
  if (recoveredSigner === creation.receiver || recoveredSigner === declaredSigner) {
    const role = recoveredSigner === declaredSigner ? 'whom appData names as signer' : 'the receiver'
    const explanation = `${recoveredSigner}, ${role}, signed this order: from must be that account, not ${expectedSigner}`
    return { valid: false, mistake: 'other_account', explanation, recoveredSigner }
  }
  if (recover(signed, otherParity(signature)) === expectedSigner) {
    const explanation = `${expectedSigner} signed this order, but v says the other of two, or was cut off`
    return { valid: false, mistake: 'signature_v', explanation, recoveredSigner }
  }
  let digestCount = 0
  for (const instead of signedInstead(creation, signingScheme, expectedSigner, network)) {
    if (digestCount++ >= maxDigests) break
    if (recover(instead.signed, signature) !== expectedSigner) continue
    const explanation = `${expectedSigner} signed the order ${instead.description}`
    return { valid: false, mistake: instead.mistake, explanation, recoveredSigner }
  }
  const explanation = `it recovers to ${recoveredSigner}, not to ${expectedSigner}, and no known mistake explains that: another account signed, or another order was signed`
  return { valid: false, mistake: null, explanation, recoveredSigner }
}

/**
 * The signature with the other parity. A signature that lost its v is read as a compact one; its parity is
 * then wrong half the time.
 */
function otherParity({ rs, recoveryId }: EcdsaSignature): EcdsaSignature {
  return { rs, recoveryId: recoveryId === 0 ? 1 : 0 }
}

const faults: Record<SignatureFault, [mistake: SignatureMistake, explanation: string]> = {
  length: ['signature_length', 'it must be 65 bytes r‖s‖v, or the 64 compact ones of EIP-2098'],
  v: ['signature_v', 'it must end in v 0, 1, 27 or 28'],
  'high-s': ['high_s', 'its s is in the upper half of the curve order: sign with the lower one'],
  unrecoverable: ['unrecoverable', 'it does not recover to any signer'],
}

function malformed(fault: SignatureFault, signature: Hex): SignatureCheck {
  const [mistake, explanation] =
    fault === 'length' && mayBeOfSmartAccount(signature)
      ? (['smart_account', smartAccountSignature(signature)] as const)
      : faults[fault]
  return { valid: false, mistake, explanation, recoveredSigner: null }
}

/** The advice for a signature that is too long for a key's. */
export function smartAccountSignature(signature: Hex): string {
  const size = `it has ${hexSize(signature)} bytes, and is the signature of a smart account`
  return `${[size, ...smartAccountForms(signature)].join('; ')}: send signingScheme eip1271, with the account as from`
}

/** Checks, for presign and eip1271, whether the owner's key signed the order after all. */
function verdictOfOther(
  { signingScheme, signature: bytes }: Pick<OrderCreation, 'signingScheme' | 'signature'>,
  signature: ReturnType<typeof readSignature>,
  expectedSigner: Address | null,
  digest: Bytes32,
): SignatureCheck {
  const ecdsaScheme =
    expectedSigner === null || 'fault' in signature
      ? undefined
      : ecdsaSchemes.find((scheme) => recover(signedDigest(scheme, digest), signature) === expectedSigner)
  if (!ecdsaScheme) {
    const notJudged = `only the chain knows whether the owner signed: ${signingScheme} is not judged here`
    const forms = signingScheme === 'eip1271' ? smartAccountForms(bytes) : []
    const explanation = [notJudged, ...forms].join('; ')
    return { valid: null, mistake: null, explanation, recoveredSigner: null }
  }
  const explanation = `${expectedSigner} signed this order with its key: declare signingScheme ${ecdsaScheme}`
  return { valid: null, mistake: 'scheme', explanation, recoveredSigner: expectedSigner }
}
