import { encodeBytes, encodeList, encodeTuple, type TupleMember } from '../evm/abi.ts'
import { type AbiTuple, readAbi } from '../evm/abi-reader.ts'
import type { Bytes32, Hex } from '../evm/hex.ts'
import type { OrderData } from '../order/order.ts'
import { unwrapped } from '../signing/signature.ts'
import { domainSeparator, orderTypeHash, type SigningDomain } from '../signing/signing.ts'
import { encodeOrder, readOrder } from './encoded-order.ts'
import { readProof } from './merkle.ts'
import { type ConditionalOrderParams, maxInputSize, paramsTuple, readParams } from './params.ts'

/** The reason why a wallet accepts a part, as its signature carries it. */
export interface SignedPayload {
  params: ConditionalOrderParams
  /** The proof to the owner's root; empty for a single order. */
  proof: Bytes32[]
  /** Arguments of the handler that the owner has not authorised. */
  offchainInput: Hex
}

/** The way to a wallet's verifier: by the fallback handler of a Safe, or a contract that forwards to it. */
type SignatureFormat = 'safe' | 'forwarder'

interface ProgrammaticSignature extends SignedPayload {
  format: SignatureFormat
  /** The order in the signature; null if it is not one that can be placed. */
  order: OrderData | null
  /** The domain that the signature names; null in the format of forwarders, which know their own. */
  domainSeparator: Bytes32 | null
}

/** A selector that no contract has: it marks a signature for the verifier of a domain. */
const safeMarker = '0x5fd7e97d'

export function encodePayload(payload: SignedPayload): Hex {
  return `0x${encodeTuple([payloadMember(payload)])}`
}

function payloadMember({ params, proof, offchainInput }: SignedPayload): TupleMember {
  const members: TupleMember[] = [
    { dynamic: encodeList(proof.map((node) => node.slice(2))) },
    { dynamic: paramsTuple(params) },
    { dynamic: encodeBytes(offchainInput) },
  ]
  return { dynamic: encodeTuple(members) }
}

/** The signature of a part, as the contract of conditional orders makes it for the owner's kind of wallet. */
export function encodeProgrammaticSignature(
  format: SignatureFormat,
  domain: SigningDomain,
  order: OrderData,
  payload: SignedPayload,
): Hex {
  const encoded = encodeOrder(order)
  if (format === 'forwarder') return `0x${encodeTuple([encoded, payloadMember(payload)])}`
  const members: TupleMember[] = [
    domainSeparator(domain).slice(2),
    orderTypeHash.slice(2),
    { dynamic: encodeBytes(`0x${encoded}`) },
    { dynamic: encodeBytes(encodePayload(payload)) },
  ]
  return `${safeMarker}${encodeTuple(members)}`
}

/**
 * Decodes a signature of either format, also within a signature that deploys the wallet. The time is linear
 * in its size. A signature proves nothing: its payload is what its sender wrote.
 * @returns undefined for any other signature
 */
export function decodeProgrammaticSignature(signature: Hex): ProgrammaticSignature | undefined {
  const own = unwrapped(signature)
  return own.startsWith(safeMarker) ? decodeSafe(own) : readAbi(own, readForwarded)
}

function decodeSafe(signature: Hex): ProgrammaticSignature | undefined {
  const outer = readAbi(`0x${signature.slice(safeMarker.length)}`, (tuple) => ({
    separator: tuple.bytes32(),
    typeHash: tuple.bytes32(),
    encoded: tuple.bytes(signature.length),
    payload: tuple.bytes(signature.length),
  }))
  const payload = outer && readAbi(outer.payload, (tuple) => tuple.tuple(readPayload))
  if (!payload) return undefined
  const order = outer.typeHash === orderTypeHash ? readAbi(outer.encoded, readOrder) : null
  return { format: 'safe', ...payload, order: order ?? null, domainSeparator: outer.separator }
}

function readForwarded(tuple: AbiTuple): ProgrammaticSignature {
  const order = readOrder(tuple)
  return { format: 'forwarder', ...tuple.tuple(readPayload), order, domainSeparator: null }
}

function readPayload(tuple: AbiTuple): SignedPayload {
  const proof = readProof(tuple)
  return { proof, params: tuple.tuple(readParams), offchainInput: tuple.bytes(maxInputSize) }
}
