import secp256k1 from 'secp256k1'
import type { Address } from '../evm/address.ts'
import { type Bytes32, bytesToHex, type Hex, hexToBytes } from '../evm/hex.ts'
import { keccak } from '../evm/keccak.ts'
import { type EcdsaScheme, signedDigest } from './signing.ts'

export type SignatureFault = 'length' | 'v' | 'high-s' | 'unrecoverable'
export type Recovery = { signer: Address; signature: Hex } | { fault: SignatureFault }

const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

/**
 * Recovers the signer of `digest` with native secp256k1. Accepts 65 bytes r‖s‖v with v 0, 1, 27 or 28, and
 * the 64 compact bytes of EIP-2098. Returns the signature as 65 bytes with v 27 or 28, the form that the
 * settlement contract takes. Refuses a high s, because anyone can derive such a second signature from the
 * owner's.
 */
export function recoverSigner(signingScheme: EcdsaScheme, digest: Bytes32, signature: Hex): Recovery {
  const read = readSignature(signature)
  if ('fault' in read) return read
  const signer = recover(signedDigest(signingScheme, digest), read)
  if (!signer) return { fault: 'unrecoverable' }
  return { signer, signature: `${bytesToHex(read.rs)}${(read.recoveryId + 27).toString(16)}` as Hex }
}

/** r‖s and the parity of the curve point. */
export interface EcdsaSignature {
  rs: Uint8Array
  recoveryId: 0 | 1
}

/** The recovery id by v. */
const recoveryIds = new Map<number | undefined, 0 | 1>([
  [0, 0],
  [1, 1],
  [27, 0],
  [28, 1],
])

/** Parses both forms of a signature. */
export function readSignature(signature: Hex): EcdsaSignature | { fault: SignatureFault } {
  const bytes = hexToBytes(signature)
  const rs = bytes.slice(0, 64)
  let recoveryId: 0 | 1 | undefined
  if (bytes.length === 64) {
    // EIP-2098: the highest bit of s holds the parity; a low s never uses it.
    recoveryId = (bytes[32] ?? 0) >> 7 ? 1 : 0
    rs[32] = (bytes[32] ?? 0) & 0x7f
  } else if (bytes.length === 65) recoveryId = recoveryIds.get(bytes[64])
  else return { fault: 'length' }
  if (recoveryId === undefined) return { fault: 'v' }
  if (halfOrder.compare(rs, 32, 64) < 0) return { fault: 'high-s' }
  return { rs, recoveryId }
}

/** The signer's address; undefined if the bytes are not a valid signature. */
export function recover(digest: Bytes32, signature: EcdsaSignature): Address | undefined {
  try {
    const { rs, recoveryId } = signature
    const publicKey = secp256k1.ecdsaRecover(rs, recoveryId, hexToBytes(digest), false)
    return bytesToHex(keccak(publicKey.subarray(1)).subarray(12))
  } catch {
    return undefined
  }
}
