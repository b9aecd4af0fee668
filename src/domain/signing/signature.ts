import secp256k1 from 'secp256k1'
import type { Address } from '../evm/address.ts'
import { type Bytes32, bytesToHex, type Hex, hexToBytes } from '../evm/hex.ts'
import { keccak } from '../evm/keccak.ts'
import { type EcdsaScheme, signedDigest } from './signing.ts'

export type SignatureFault = 'length' | 'v' | 'high-s' | 'unrecoverable'
export type Recovery = { signer: Address; signature: Hex } | { fault: SignatureFault }

const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

/**
 * Who signed `digest`, by native secp256k1. Two forms are read: 65 bytes r‖s‖v with v 0, 1, 27 or 28,
 * and the 64 compact bytes of EIP-2098. The signature comes back as 65 bytes with 27 or 28, the form the settlement contract takes.
 * High-s is refused: it is a second signature for the same order that its owner never made.
 */
export function recoverSigner(scheme: EcdsaScheme, digest: Bytes32, signature: Hex): Recovery {
  const read = readSignature(signature)
  if ('fault' in read) return read
  const signer = recover(signedDigest(scheme, digest), read)
  if (!signer) return { fault: 'unrecoverable' }
  return { signer, signature: `${bytesToHex(read.rs)}${(read.recoveryId + 27).toString(16)}` as Hex }
}

/** r‖s and the parity of the point it came from. */
export interface EcdsaSignature {
  rs: Uint8Array
  recoveryId: 0 | 1
}

/** Both forms, expanded and judged. */
export function readSignature(signature: Hex): EcdsaSignature | { fault: SignatureFault } {
  const bytes = hexToBytes(signature)
  const rs = bytes.slice(0, 64)
  let recoveryId: number
  if (bytes.length === 64) {
    // EIP-2098: the highest bit of s, which no low s has, says the parity.
    recoveryId = (bytes[32] ?? 0) >> 7
    rs[32] = (bytes[32] ?? 0) & 0x7f
  } else if (bytes.length === 65) {
    const v = bytes[64] ?? 255
    recoveryId = v >= 27 ? v - 27 : v
  } else return { fault: 'length' }
  if (recoveryId !== 0 && recoveryId !== 1) return { fault: 'v' }
  if (halfOrder.compare(rs, 32, 64) < 0) return { fault: 'high-s' }
  return { rs, recoveryId }
}

/** `undefined` when these bytes are nobody's signature. */
export function recover(signed: Bytes32, { rs, recoveryId }: EcdsaSignature): Address | undefined {
  try {
    const publicKey = secp256k1.ecdsaRecover(rs, recoveryId, hexToBytes(signed), false)
    return bytesToHex(keccak(publicKey.subarray(1)).subarray(12))
  } catch {
    return undefined
  }
}
