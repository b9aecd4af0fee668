import secp256k1 from 'secp256k1'
import { type Address, zeroAddress } from './address.ts'
import { type Bytes32, bytesToHex, type Hex, hexSize, hexToBytes } from './hex.ts'
import { keccak, keccakText } from './keccak.ts'
import type { OrderData, SigningScheme } from './order.ts'
import { type OrderUid, packOrderUid } from './order-uid.ts'

/** EIP-712 domain of the settlement contract on one chain. */
export interface SigningDomain {
  chainId: number
  settlement: Address
}

export type EcdsaScheme = Extract<SigningScheme, 'eip712' | 'ethsign'>

export function isEcdsa(scheme: SigningScheme): scheme is EcdsaScheme {
  return scheme === 'eip712' || scheme === 'ethsign'
}

export const orderTypes = {
  Order: [
    { name: 'sellToken', type: 'address' },
    { name: 'buyToken', type: 'address' },
    { name: 'receiver', type: 'address' },
    { name: 'sellAmount', type: 'uint256' },
    { name: 'buyAmount', type: 'uint256' },
    { name: 'validTo', type: 'uint32' },
    { name: 'appData', type: 'bytes32' },
    { name: 'feeAmount', type: 'uint256' },
    { name: 'kind', type: 'string' },
    { name: 'partiallyFillable', type: 'bool' },
    { name: 'sellTokenBalance', type: 'string' },
    { name: 'buyTokenBalance', type: 'string' },
  ],
}

const typeHash = {
  domain: keccakText('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
  order: keccakText(`Order(${orderTypes.Order.map(({ type, name }) => `${type} ${name}`).join(',')})`),
  cancellation: keccakText('OrderCancellation(bytes orderUid)'),
  cancellations: keccakText('OrderCancellations(bytes[] orderUids)'),
}
const nameHash = keccakText('Gnosis Protocol')
const versionHash = keccakText('v2')
const wordHash = new Map(
  ['sell', 'buy', 'erc20', 'internal', 'external'].map((word) => [word, keccakText(word)]),
)

const separators = new Map<string, Bytes32>()

export function domainSeparator({ chainId, settlement }: SigningDomain): Bytes32 {
  const key = `${chainId}:${settlement}`
  const known = separators.get(key)
  if (known) return known
  const separator = hashWords(
    typeHash.domain,
    nameHash,
    versionHash,
    uintWord(BigInt(chainId)),
    addressWord(settlement),
  )
  separators.set(key, separator)
  return separator
}

export function orderStructHash(order: OrderData): Bytes32 {
  return hashWords(
    typeHash.order,
    addressWord(order.sellToken),
    addressWord(order.buyToken),
    addressWord(order.receiver ?? zeroAddress),
    uintWord(order.sellAmount),
    uintWord(order.buyAmount),
    uintWord(BigInt(order.validTo)),
    order.appData,
    uintWord(order.feeAmount),
    stringWord(order.kind),
    uintWord(order.partiallyFillable ? 1n : 0n),
    stringWord(order.sellTokenBalance),
    stringWord(order.buyTokenBalance),
  )
}

/** What an `eip712` signer signs. */
export function orderDigest(domain: SigningDomain, order: OrderData): Bytes32 {
  return typedDigest(domain, orderStructHash(order))
}

export function orderUid(domain: SigningDomain, order: OrderData, owner: Address): OrderUid {
  return packOrderUid(orderDigest(domain, order), owner, order.validTo)
}

/** Digest of one cancellation that names all orders: the form that the client libraries sign, even for one order. */
export function cancellationsDigest(domain: SigningDomain, uids: readonly OrderUid[]): Bytes32 {
  const list = keccak(concat(uids.map((uid) => keccak(hexToBytes(uid)))))
  return typedDigest(domain, hashWords(typeHash.cancellations, bytesToHex(list)))
}

/** Digest of the older form for a single order. */
export function cancellationDigest(domain: SigningDomain, uid: OrderUid): Bytes32 {
  return typedDigest(domain, hashWords(typeHash.cancellation, bytesToHex(keccak(hexToBytes(uid)))))
}

/** What an `ethsign` signer signs: the typed digest behind the personal-message prefix for 32 bytes. */
export function ethsignDigest(digest: Bytes32): Bytes32 {
  return bytesToHex(keccak(concat([Buffer.from('\x19Ethereum Signed Message:\n32'), hexToBytes(digest)])))
}

export type SignatureFault = 'length' | 'v' | 'high-s' | 'unrecoverable'
export type Recovery = { signer: Address; signature: Hex } | { fault: SignatureFault }

const halfOrder = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex')

/**
 * Who signed `digest` with this 65-byte r‖s‖v signature, by native secp256k1.
 * v is 0, 1, 27 or 28; the signature comes back with 27 or 28, the form the settlement contract takes.
 * High-s is refused: it is a second signature for the same order that its owner never made.
 */
export function recoverSigner(scheme: EcdsaScheme, digest: Bytes32, signature: Hex): Recovery {
  if (hexSize(signature) !== 65) return { fault: 'length' }
  const bytes = hexToBytes(signature)
  const v = bytes[64] ?? 255
  const recoveryId = v >= 27 ? v - 27 : v
  if (recoveryId > 1) return { fault: 'v' }
  if (halfOrder.compare(bytes, 32, 64) < 0) return { fault: 'high-s' }
  const signed = hexToBytes(scheme === 'ethsign' ? ethsignDigest(digest) : digest)
  try {
    const publicKey = secp256k1.ecdsaRecover(bytes.subarray(0, 64), recoveryId, signed, false)
    const signer = bytesToHex(keccak(publicKey.subarray(1)).subarray(12))
    return { signer, signature: `${signature.slice(0, 130)}${(recoveryId + 27).toString(16)}` as Hex }
  } catch {
    return { fault: 'unrecoverable' }
  }
}

function typedDigest(domain: SigningDomain, structHash: Bytes32): Bytes32 {
  return bytesToHex(
    keccak(concat([Buffer.from([0x19, 0x01]), hexToBytes(domainSeparator(domain)), hexToBytes(structHash)])),
  )
}

function hashWords(...words: Hex[]): Bytes32 {
  return bytesToHex(keccak(Buffer.from(words.map((word) => word.slice(2)).join(''), 'hex')))
}

function addressWord(address: Address): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}

function uintWord(value: bigint): Hex {
  return `0x${value.toString(16).padStart(64, '0')}`
}

/** `string` members are hashed; the words are few and known. */
function stringWord(word: string): Hex {
  return wordHash.get(word) ?? keccakText(word)
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts)
}
