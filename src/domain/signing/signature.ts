import { AbiCoder } from 'ethers'
import { type Address, address } from '../evm/address.ts'
import { type Bytes32, bytesToHex, type Hex, hexSize, hexToBytes } from '../evm/hex.ts'
import { keccak } from '../evm/keccak.ts'
import { recoverKey } from './recover-key.ts'
import { type EcdsaScheme, signedDigest } from './signing.ts'

export type SignatureFault = 'length' | 'v' | 'high-s' | 'unrecoverable'
type Recovery = { signer: Address; signature: Hex } | { fault: SignatureFault }

/** The answer of a contract that accepts a signature (ERC-1271). */
export const acceptedSignature = '0x1626ba7e'

const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

/**
 * Recovers the signer of `digest`. Accepts 65 bytes r‖s‖v with v 0, 1, 27 or 28, and
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
    const publicKey = recoverKey(rs, recoveryId, hexToBytes(digest))
    return bytesToHex(keccak(publicKey.subarray(1)).subarray(12))
  } catch {
    return undefined
  }
}

/** The magic bytes at the end of an ERC-6492 signature. */
const erc6492Suffix = '6492'.repeat(16)

/**
 * An ERC-6492 signature: the call that deploys the account, and the signature that the deployed account
 * accepts.
 */
interface DeployingSignature {
  factory: Address
  factoryCall: Hex
  signature: Hex
}

/**
 * The parts of an ERC-6492 signature; `malformed` if it only ends like one, undefined for any other
 * signature.
 */
export function readErc6492(signature: Hex): DeployingSignature | 'malformed' | undefined {
  if (!signature.endsWith(erc6492Suffix)) return undefined
  try {
    const body = signature.slice(0, -erc6492Suffix.length)
    const [factory, factoryCall, inner] = AbiCoder.defaultAbiCoder().decode(
      ['address', 'bytes', 'bytes'],
      body,
    )
    return { factory: address(factory), factoryCall, signature: inner }
  } catch {
    return 'malformed'
  }
}

/** The signature that the account's own code accepts, without the wrapper of ERC-6492. */
export function unwrapped(signature: Hex): Hex {
  const deploying = readErc6492(signature)
  return typeof deploying === 'object' ? deploying.signature : signature
}

const keySize = 65
/**
 * The minimum size of a smart account's signature: a key's signature, and the address of the module that
 * verifies it.
 */
const minSize = 20 + keySize

export function mayBeOfSmartAccount(signature: Hex): boolean {
  return hexSize(signature) >= minSize
}

/** The names of the standards that a smart account's signature follows; empty if it follows no known one. */
export function smartAccountForms(signature: Hex): string[] {
  const deploying = readErc6492(signature)
  if (deploying === 'malformed') return ['ERC-6492, but malformed: its wrapper cannot be decoded']
  if (deploying) {
    const wrapper = `ERC-6492: wrapped with the call of ${deploying.factory} that deploys the account`
    return [wrapper, ...smartAccountForms(deploying.signature)]
  }
  const nested = readErc7739(signature)
  const validator = validatorOf(nested?.signature ?? signature)
  return [
    ...(nested ? [`ERC-7739: nested typed data, for the domain ${nested.domainSeparator}`] : []),
    ...(validator ? [`ERC-7579: prefixed with the validator module ${validator}`] : []),
  ]
}

/**
 * Parses the ERC-7739 suffix of a signature: domain separator, hash and description of the contents, and the
 * description's size.
 */
function readErc7739(signature: Hex): { signature: Hex; domainSeparator: Hex } | undefined {
  const bytes = hexToBytes(signature)
  const described = ((bytes.at(-2) ?? 0) << 8) | (bytes.at(-1) ?? 0)
  const contents = bytes.length - 2 - described
  const end = contents - 64
  if (described === 0 || end < 0) return undefined
  const description = Buffer.from(bytes.subarray(contents, -2)).toString('latin1')
  if (!description.startsWith('Order(')) return undefined
  return {
    signature: bytesToHex(bytes.slice(0, end)),
    domainSeparator: bytesToHex(bytes.slice(end, end + 32)),
  }
}

/** The module's address before a key's signature. Some accounts put a byte of their own before it. */
function validatorOf(signature: Hex): Address | undefined {
  const start = hexSize(signature) - minSize
  if (start !== 0 && start !== 1) return undefined
  const digits = signature.slice(2 + 2 * start)
  const ofKey = readSignature(`0x${digits.slice(40)}`)
  const isKeys = !('fault' in ofKey) || ofKey.fault === 'high-s'
  return isKeys ? address(`0x${digits.slice(0, 40)}`) : undefined
}
